package runtime

import (
	"errors"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// Tombstone is the ending of a file that takes a module out of service: <base>.removed beside, or
// instead of, <base>.wasm. A deleted file takes nothing out of service (faults.md W7): an emptied
// ConfigMap or a lost mount must not turn off a conversion that objects depend on.
const Tombstone = ".removed"

// Scan is one consistent snapshot of the module directory with the verdict of its SHA256SUMS. The
// registry and its Subscriber work on the same Scan, so they cannot judge the files of one release
// at different moments.
type Scan struct {
	watch.Snapshot             // with the files of all owners
	Checksums      *sums.Check // nil if Err is set
	Err            error       // no directory could be read

	source source           // of the only owner; otherwise see owners
	owners map[string]*Scan // the newest scan of each owner's directory, if there are several
}

// UnsettledFor reports whether a file of the same owner is still being written.
func (s Scan) UnsettledFor(file string) bool {
	owner, _ := watch.SplitOwner(file)
	return s.of(owner).Unsettled
}

// of returns the scan of an owner's directory.
func (s Scan) of(owner string) Scan {
	if s.owners == nil {
		return s
	}
	if one := s.owners[owner]; one != nil {
		return *one
	}
	return Scan{Err: errUnread}
}

// errUnread is the error of a directory of an owner that was not read yet.
var errUnread = errors.New("the directory was not read yet")

// partial reports whether the scan may lack files of an owner: because the directory has too many,
// one is being written, or the directory cannot be read.
func (s Scan) partial(owner string) bool {
	one := s.of(owner)
	return one.Err != nil || one.Unsettled || slices.ContainsFunc(one.Skipped, func(s watch.Skipped) bool { return s.Name == "." })
}

// Read returns a file of the scan with its content.
//
// # Errors
//
// The file changed since the scan, or cannot be read any more. Another scan follows.
func (s Scan) Read(f watch.File) (watch.File, error) {
	if len(f.Content) == f.Size {
		return f, nil
	}
	owner, _ := watch.SplitOwner(f.Name)
	files, err := s.of(owner).source.read(f)
	if err != nil {
		return watch.File{}, err
	}
	return files[0], nil
}

// Subscriber reads files of the module directory that are not modules.
type Subscriber interface {
	// FileLimit returns the most bytes of a file that the subscriber reads; 0 for files that it
	// does not read.
	FileLimit(name string) int64
	// Scanned handles a scan, which includes the registry's files. The registry calls it for each
	// scan, never twice at a time, before it loads the modules of the scan. Scanned returns at
	// once; it reads files later, and beside the registry.
	Scanned(s Scan)
}

// wanted reports whether the registry reads a file.
func wanted(name string) bool {
	if _, ok := artifact.SidecarBase(name); ok {
		return true
	}
	return artifact.IsModuleFile(name) || strings.HasSuffix(name, Tombstone) || sums.Is(name) || artifact.Misspelled(name) != ""
}
