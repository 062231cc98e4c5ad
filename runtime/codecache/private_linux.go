package codecache

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

const noFollow = syscall.O_NOFOLLOW

// openPrivate opens a directory that belongs to this user and that nobody else may write, and locks
// it. base leads to the open directory itself, so later renames above it have no effect.
func openPrivate(dir string) (held *os.File, base string, err error) {
	held, err = os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	switch {
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP):
		return nil, "", errors.New("it is not a directory, or it is a symbolic link to one: name the directory itself")
	case err != nil:
		return nil, "", withoutPath(err)
	}
	defer func() {
		if err != nil {
			held.Close()
		}
	}()
	info, err := held.Stat()
	if err != nil {
		return nil, "", withoutPath(err)
	}
	if err := checkOwner(info); err != nil {
		return nil, "", fmt.Errorf("%w: code from it would run in the gateway. Name a directory that does not exist, such as %s/crosswalk, and the gateway makes one that is its own", err, strings.TrimRight(dir, "/"))
	}
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, "", ErrInUse
	} else if err != nil {
		return nil, "", fmt.Errorf("locking it: %w", err)
	}
	return held, fmt.Sprintf("/proc/self/fd/%d", held.Fd()), nil
}

// checkOwner returns an error if another user could have written the file.
func checkOwner(info fs.FileInfo) error {
	owner := info.Sys().(*syscall.Stat_t).Uid
	switch {
	case int(owner) != os.Geteuid():
		return fmt.Errorf("it belongs to user %d, and the gateway is user %d", owner, os.Geteuid())
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("others may write it (mode %04o)", info.Mode().Perm())
	}
	return nil
}

// identity hashes everything that compiled code depends on besides its input: the program, to the
// last bit, and the features of the processor.
func identity() ([sha256.Size]byte, error) {
	h := sha256.New()
	program, err := os.Open("/proc/self/exe")
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	defer program.Close()
	if _, err := io.Copy(h, program); err != nil {
		return [sha256.Size]byte{}, err
	}
	about, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	h.Write([]byte(features(string(about))))
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// features returns the features of the first processor in /proc/cpuinfo: "flags" on amd64,
// "Features" on arm64.
func features(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		name, value, _ := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); name == "flags" || name == "Features" {
			return value
		}
	}
	return ""
}
