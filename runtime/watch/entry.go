package watch

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// entry is a file that is wanted.
type entry struct {
	root   *os.Root
	name   string
	atomic bool // it came through ..data, and so never changes
}

// read fills the snapshot from the entries that were found.
func (s *Snapshot) read(found []entry, limits ReadLimits) {
	before := settle(found, limits.Quiet)
	left := limits.TotalBytes
	for i, e := range found {
		limit := limits.of(e.name)
		file, err := e.read(before[i], min(limit, left), limits.Content == nil || limits.Content(e.name))
		var over *sizeError
		switch {
		case err == nil:
			s.Files = append(s.Files, file)
			left -= int64(file.Size)
		case errors.Is(err, fs.ErrNotExist) && !e.isLink(): // it vanished since it was listed
		case errors.Is(err, errChanging):
			s.Unsettled = true
			s.skip(e.name, errChanging.Error())
		case errors.As(err, &over) && over.size <= limit:
			s.skip(e.name, fmt.Sprintf("does not fit: the limit is %d bytes for all files together", limits.TotalBytes))
		case errors.As(err, &over):
			s.skip(e.name, fmt.Sprintf("is too large: the limit is %d bytes", limit))
		default:
			s.skip(e.name, e.explain(err))
		}
	}
}

func (s *Snapshot) skip(name, reason string) { s.Skipped = append(s.Skipped, Skipped{name, reason}) }

// settle returns the attributes of each file; nil for a file that cannot be examined or need not be
// compared. If a file was modified within quiet, settle waits for that long, so that a file that
// has changed by the time it is read is known to be incomplete. A time in the future, from a clock
// that is ahead, counts as just past.
func settle(found []entry, quiet time.Duration) []os.FileInfo {
	before := make([]os.FileInfo, len(found))
	wait := false
	for i, e := range found {
		if e.atomic {
			continue
		}
		if info, err := e.root.Stat(e.name); err == nil && info.Mode().IsRegular() {
			before[i] = info
			wait = wait || time.Since(info.ModTime()) < quiet
		}
	}
	if wait {
		time.Sleep(quiet)
	}
	return before
}

var errChanging = errors.New("is still being written")

// kindError is an entry that is not a regular file.
type kindError fs.FileMode

func (e kindError) Error() string {
	switch mode := fs.FileMode(e); {
	case mode.IsDir():
		return "is a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "is a named pipe"
	case mode&fs.ModeSocket != 0:
		return "is a socket"
	case mode&fs.ModeDevice != 0:
		return "is a device"
	default:
		return "is not a regular file"
	}
}

// sizeError is a file that is too large, with as many bytes as are known of.
type sizeError struct{ size int64 }

func (e *sizeError) Error() string { return fmt.Sprintf("is too large: %d bytes", e.size) }

// ReadFile reads one file for a tool, through links: a regular file of at most limit bytes, because
// the name alone says neither that a read of it ends, nor that its content fits into memory. The error
// names the file, and a larger file's has the name of the limit.
func ReadFile(path string, limit int64, name string) (*File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s %w", path, kindError(info.Mode()))
	} else if err == nil && info.Size() > limit {
		return nil, fmt.Errorf("%s %w; %d are allowed (%s)", path, &sizeError{info.Size()}, limit, name)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("%s grew beyond the %d bytes that are allowed (%s)", path, limit, name)
	}
	return &File{Name: filepath.Base(path), Content: content, Size: len(content), Sum: sha256.Sum256(content)}, nil
}

// read reads a file of at most limit bytes, and keeps its content or only the checksum. If the file
// differs from before, or changes meanwhile, the error is errChanging. A nil before means that there
// are no attributes to compare: the file is either immutable or appeared a moment ago.
func (e entry) read(before os.FileInfo, limit int64, keep bool) (File, error) {
	f, info, err := e.open()
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	if !e.atomic && !unchanged(before, info) {
		return File{}, errChanging
	}
	if keep {
		content := bytes.NewBuffer(make([]byte, 0, min(info.Size(), limit)+bytes.MinRead))
		if _, err := readAll(content, f, info, limit); err != nil {
			return File{}, err
		}
		return File{Name: e.name, Content: content.Bytes(), Size: content.Len(), Sum: sha256.Sum256(content.Bytes())}, nil
	}
	sum := sha256.New()
	n, err := readAll(sum, f, info, limit)
	if err != nil {
		return File{}, err
	}
	return File{Name: e.name, Size: int(n), Sum: [sha256.Size]byte(sum.Sum(nil))}, nil
}

// open opens regular files only. Opening a device may have effects, so open checks the kind first.
func (e entry) open() (*os.File, os.FileInfo, error) {
	info, err := e.root.Stat(e.name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, kindError(info.Mode())
	}
	return e.openUnblocked()
}

// openUnblocked opens the file that has the name by now. Opening a pipe may block, so it does not
// wait, and checks the kind again.
func (e entry) openUnblocked() (f *os.File, info os.FileInfo, err error) {
	f, err = e.root.OpenFile(e.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = kindError(info.Mode())
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// file is the part of *os.File that readAll needs.
type file interface {
	io.Reader
	Stat() (os.FileInfo, error)
}

// readAll copies at most limit bytes from a file that looked like info when it was opened, and looks
// at it again.
func readAll(to io.Writer, f file, info os.FileInfo, limit int64) (n int64, err error) {
	if info.Size() > limit {
		return 0, &sizeError{info.Size()}
	}
	if n, err = io.Copy(to, io.LimitReader(f, limit+1)); err != nil {
		return 0, err
	}
	if after, err := f.Stat(); err != nil || !unchanged(info, after) {
		return 0, errChanging
	}
	if n > limit {
		return 0, &sizeError{n}
	}
	return n, nil
}

// unchanged reports whether two looks at a name showed the same file with the same attributes.
func unchanged(a, b os.FileInfo) bool {
	return a != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && changeTime(a).Equal(changeTime(b))
}

func (e entry) isLink() bool {
	info, err := e.root.Lstat(e.name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// explain says why an entry could not be read. It has no path, which the reader has already.
func (e entry) explain(err error) string {
	var kind kindError
	if errors.As(err, &kind) {
		return kind.Error()
	}
	var number syscall.Errno
	if e.isLink() {
		if errors.Is(err, fs.ErrNotExist) {
			return "is a symbolic link that leads nowhere"
		}
		if !errors.As(err, &number) { // os.Root's own error, which has no name
			return "is a symbolic link that is absolute or leads out of the directory"
		}
	}
	return "cannot be read: " + withoutPath(err).Error()
}

// withoutPath takes the operation and the path off an error of the file system.
func withoutPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
