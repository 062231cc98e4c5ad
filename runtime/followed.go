package runtime

import (
	"log/slog"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// followed is an owner's directory with what follows it. Each directory is watched and read by a
// goroutine of its own, so that one that is written to all the time, or whose file system hangs,
// delays no other.
type followed struct {
	directory
	watcher *watch.Watcher
	again   func()      // requests a scan: the watcher's Again; tests replace it
	retry   *time.Timer // requests a scan when a failed file may be tried again

	last *Scan // the newest; of a directory that cannot be read, the last files with the error. Guarded by directories.scanning
}

// newFollowed returns a followed directory. limits are those of all directories together, of which each
// of so many owners gets an equal part.
func newFollowed(owner Owner, owners int, config Config, logger *slog.Logger, limits watch.ReadLimits) *followed {
	limits.Files = scanFiles
	if owners > 1 {
		limits.Files = max(scanFiles/owners, ownerFiles)
		limits.TotalBytes /= int64(owners)
	}
	f := &followed{directory: newDirectory(owner, config.Keys, config.Subscriber, limits)}
	f.watcher = watch.New(watch.Config{Dir: owner.Dir, Logger: logger, Quiet: config.Quiet, MaxQuiet: config.MaxQuiet, Poll: config.Poll})
	f.again = f.watcher.Again
	f.retry = time.AfterFunc(time.Hour, f.watcher.Again)
	f.retry.Stop()
	return f
}

// within returns the modules of an owner, by their base within its directory.
func within(owner string, names map[string]artifact.Name) map[string]artifact.Name {
	own := map[string]artifact.Name{}
	for base, name := range names {
		if name.Owner == owner {
			own[plainName(base)] = name
		}
	}
	return own
}
