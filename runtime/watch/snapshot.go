package watch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

const (
	// dataLink is the name through which a kubelet switches a volume from one complete directory to
	// the next.
	dataLink = "..data"
	// maxNames bounds the entries of a directory that are read: plenty for modules, and some 10 ms
	// of system calls.
	maxNames = 10_000
	// maxTries is how often a snapshot is begun anew because the directory was replaced meanwhile.
	// A kubelet replaces it once a minute at most, and reading it takes milliseconds.
	maxTries = 5
)

// ReadLimits bound a snapshot. A zero field means its default. Where there is not room for all,
// files are taken in the order of their names, or of Order, so that replicas take the same.
type ReadLimits struct {
	FileBytes  int64                   // of one file; a larger one is skipped. Default 32 MiB
	Lower      func(name string) int64 // a lower limit than FileBytes for some files; 0 for the others. Nil: for no file
	TotalBytes int64                   // of all files; one that does not fit beside those before it is skipped. Default 256 MiB
	Files      int                     // how many; those after them are left out. Default 256: three times what a ConfigMap of the smallest modules holds
	Order      func(names []string)    // sorts the names, the most important first; nil: by name
	Content    func(name string) bool  // files whose content is kept; of others only size and checksum. Nil: of all files
	Quiet      time.Duration           // how long a file outside ..data must not have changed. Default 250 ms, a Watcher's own
}

func (l ReadLimits) withDefaults() ReadLimits {
	if l.FileBytes == 0 {
		l.FileBytes = 32 << 20
	}
	if l.TotalBytes == 0 {
		l.TotalBytes = 256 << 20
	}
	if l.Files == 0 {
		l.Files = 256
	}
	if l.Quiet == 0 {
		l.Quiet = defaultQuiet
	}
	return l
}

// order sorts entries by Order; they are sorted by name.
func (l ReadLimits) order(found []entry) {
	if l.Order == nil {
		return
	}
	names := make([]string, len(found))
	entries := map[string]entry{}
	for i, e := range found {
		names[i], entries[e.name] = e.name, e
	}
	l.Order(names)
	for i, name := range names {
		found[i] = entries[name]
	}
}

// of returns the limit of a file's size.
func (l ReadLimits) of(name string) int64 {
	if l.Lower != nil {
		if lower := l.Lower(name); lower > 0 {
			return min(lower, l.FileBytes)
		}
	}
	return l.FileBytes
}

// File is one file as it was.
type File struct {
	Name    string            // within the directory
	Content []byte            // nil if it is not kept
	Size    int               // of the content in bytes
	Sum     [sha256.Size]byte // SHA-256 of the content
}

// Skipped is a wanted file that is not in the snapshot.
type Skipped struct {
	Name   string // "." stands for files beyond the limits of the directory as a whole
	Reason string // a sentence without its subject; the same for as long as the cause is
}

// Snapshot is the content of a directory at one moment.
type Snapshot struct {
	Files   []File    // sorted by name
	Skipped []Skipped // likewise
	// Unsettled says that a file was skipped because it is still being written. The next snapshot
	// may have it; Watcher.Again requests one.
	Unsettled bool
}

// Read takes a snapshot of the top-level regular files of a directory whose names want accepts. It
// skips names that begin with a dot, and subdirectories.
//
// Where there is a ..data, Read opens its target once, so that all files are of one version. Other
// files have no such guarantee. Read takes such a file only if it did not change while it was read
// and was not modified within Quiet before; otherwise it waits for one Quiet and tries again. So
// Read does not take an unfinished copy for a file, unless the copying pauses for longer than
// Quiet: the reader of the content has to detect a truncated file.
//
// Read follows symbolic links within the directory and rejects links that lead out of it. It never
// opens pipes, sockets and devices. It skips a file that cannot be read, with the reason, and reads
// the others.
//
// # Errors
//
// The directory cannot be opened or listed, its ..data leads nowhere or out of it, or it was
// replaced during each of five attempts.
func Read(dir string, limits ReadLimits, want func(name string) bool) (Snapshot, error) {
	limits = limits.withDefaults()
	var err error
	for try := range maxTries {
		if try > 0 {
			time.Sleep(time.Millisecond << try) // 30 ms in all, until the change is complete
		}
		var snapshot Snapshot
		var replaced bool
		if snapshot, replaced, err = readOnce(dir, limits, want); err == nil && !replaced {
			slices.SortFunc(snapshot.Files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
			slices.SortFunc(snapshot.Skipped, func(a, b Skipped) int { return strings.Compare(a.Name, b.Name) })
			return snapshot, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("it was replaced while it was read, %d times in a row", maxTries)
	}
	return Snapshot{}, fmt.Errorf("read directory %s: %w", dir, withoutPath(err))
}

// readOnce makes one attempt. It holds the directory and the target of its ..data open, so that all
// reads see the same ones. At the end it checks that the names still lead to them: a kubelet may
// already have removed files of an old version.
func readOnce(dir string, limits ReadLimits, want func(string) bool) (snapshot Snapshot, replaced bool, err error) {
	root, err := openDirectory(os.Stat, os.OpenRoot, dir)
	if err != nil {
		return Snapshot{}, false, err
	}
	defer root.Close()
	data, err := openData(root)
	if err != nil {
		return Snapshot{}, false, err
	}
	if data != nil {
		defer data.Close()
	}
	found, more, err := find(root, data, want)
	if err != nil {
		return Snapshot{}, false, err
	}
	limits.order(found)
	switch {
	case more:
		snapshot.skip(".", fmt.Sprintf("has more than %d entries; of those looked at, %d files are taken", maxNames, min(len(found), limits.Files)))
	case len(found) > limits.Files:
		snapshot.skip(".", fmt.Sprintf("has %d files; only %d are taken, and %s is the first of those left out", len(found), limits.Files, found[limits.Files].name))
	}
	snapshot.read(found[:min(len(found), limits.Files)], limits)
	if replaced = !leadsTo(os.Stat, dir, root); data != nil && !replaced {
		replaced = !leadsTo(root.Stat, dataLink, data)
	}
	return snapshot, replaced, nil
}

// openData opens the target of ..data; nil if there is no ..data.
func openData(root *os.Root) (*os.Root, error) {
	if _, err := root.Lstat(dataLink); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	data, err := openDirectory(root.Stat, root.OpenRoot, dataLink)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dataLink, withoutPath(err))
	}
	return data, nil
}

// openDirectory opens directories only: opening a pipe would block until it has a writer.
func openDirectory(stat func(string) (os.FileInfo, error), open func(string) (*os.Root, error), name string) (*os.Root, error) {
	info, err := stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errors.New("not a directory")
	}
	return open(name)
}

// leadsTo reports whether a name still leads to an open directory.
func leadsTo(stat func(string) (os.FileInfo, error), name string, opened *os.Root) bool {
	now, err := stat(name)
	if err != nil {
		return false
	}
	then, err := opened.Stat(".")
	return err == nil && os.SameFile(now, then)
}

// find lists the entries that are wanted, sorted by name, and reports whether there were too many
// to look at them all.
func find(root, data *os.Root, want func(string) bool) (found []entry, more bool, err error) {
	names, more, err := list(root)
	if err != nil {
		return nil, false, err
	}
	entries := map[string]entry{}
	for _, name := range names {
		if want(name) && (data == nil || !linksToData(root, name)) {
			entries[name] = entry{root, name, false}
		}
	}
	if data != nil {
		names, moreData, err := list(data)
		if err != nil {
			return nil, false, fmt.Errorf("%s: %w", dataLink, withoutPath(err))
		}
		more = more || moreData
		for _, name := range names {
			if _, hidden := entries[name]; want(name) && !hidden {
				entries[name] = entry{data, name, true}
			}
		}
	}
	return slices.SortedFunc(maps.Values(entries), func(a, b entry) int { return strings.Compare(a.name, b.name) }), more, nil
}

// linksToData reports whether an entry is one of a kubelet's links into ..data. They come after the
// files that they lead to and go after them, so it is in ..data that one has to look.
func linksToData(root *os.Root, name string) bool {
	target, err := root.Readlink(name)
	return err == nil && strings.HasPrefix(target, dataLink+"/")
}

// list returns the names in a directory that do not begin with a dot, in no order, and whether it
// stopped at maxNames.
func list(root *os.Root) (names []string, more bool, err error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	for seen := 0; ; {
		some, err := f.Readdirnames(min(512, maxNames+1-seen))
		seen += len(some)
		if seen > maxNames {
			some, more = some[:len(some)-1], true
		}
		for _, name := range some {
			if !strings.HasPrefix(name, ".") {
				names = append(names, name)
			}
		}
		if more || errors.Is(err, io.EOF) {
			return names, more, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
}

// pending is a change that has not been reported yet. The zero value means that there is none.
type pending struct {
	since   time.Time // when it began
	due     time.Time // when it is to be passed on
	certain bool      // whether to report it even if the fingerprint is the same
}

// note adds an event. It delays the report until the directory has been quiet, but not beyond max
// after the first event.
func (p *pending) note(now time.Time, quiet, max time.Duration, certain bool) {
	if p.since.IsZero() {
		p.since = now
	}
	p.due = now.Add(quiet)
	if last := p.since.Add(max); last.Before(p.due) {
		p.due = last
	}
	p.certain = p.certain || certain
}

// soon makes a change pending that is reported after a pause, or earlier if an event makes it due.
func (p *pending) soon(now time.Time, pause time.Duration) {
	*p = pending{since: now, due: now.Add(pause), certain: true}
}
