//go:build !linux

package watch

import (
	"os"
	"time"
)

// identity is known on Linux only.
func identity(os.FileInfo) (device, inode uint64) { return 0, 0 }

// changeTime is known on Linux only.
func changeTime(info os.FileInfo) time.Time { return info.ModTime() }
