package runtime

import (
	"log/slog"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
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

	last *Scan // the newest; of a directory that cannot be read, the last files with the error. Guarded by Registry.scanning
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

// combine replaces the newest scan of one directory, and returns the scan of all. It returns false
// while other directories were not read yet, for startPatience at most: of two owners that bring a
// kind, the one whose files are found first should not win. r.scanning is held.
func (r *Registry) combine(d *followed, s Scan) (all Scan, enough bool) {
	if d.owner == "" {
		return s, true
	}
	if s.Err != nil && d.last != nil {
		kept := *d.last
		kept.Err, kept.Unsettled = s.Err, false
		s = kept
	}
	d.last = &s
	lists := map[string]*sums.Check{}
	all.owners = map[string]*Scan{}
	for _, one := range r.directories {
		if one.last == nil {
			if time.Since(r.began()) < startPatience {
				return Scan{}, false
			}
			continue
		}
		all.owners[one.owner], lists[one.owner] = one.last, one.last.Checksums
		all.Unsettled = all.Unsettled || one.last.Unsettled
		for _, f := range one.last.Files {
			f.Name = watch.JoinOwner(one.owner, f.Name)
			all.Files = append(all.Files, f)
		}
		for _, f := range one.last.Skipped {
			f.Name = watch.JoinOwner(one.owner, f.Name)
			all.Skipped = append(all.Skipped, f)
		}
	}
	all.Checksums = sums.Join(lists)
	return all, true
}

// began is when Run was called.
func (r *Registry) began() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.start.began
}

// of returns the directory of an owner.
func (r *Registry) of(owner string) *followed {
	for _, d := range r.directories {
		if d.owner == owner {
			return d
		}
	}
	return r.directories[0] // not reached: each module comes from a directory
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
