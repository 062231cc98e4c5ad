package watch

import (
	"os"
	"syscall"
	"time"
)

// identity returns which file it is, among all of the machine.
func identity(info os.FileInfo) (device, inode uint64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Dev), s.Ino
	}
	return 0, 0
}

// changeTime returns when the file's content or attributes last changed. Unlike ModTime, nobody can
// set it back.
func changeTime(info os.FileInfo) time.Time {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(int64(s.Ctim.Sec), int64(s.Ctim.Nsec))
	}
	return info.ModTime()
}
