package runtime

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// directory is the module directory of an owner.
type directory struct {
	source
	keys       sums.Keys
	subscriber Subscriber // may be nil
}

func newDirectory(owner Owner, keys sums.Keys, subscriber Subscriber, limits watch.ReadLimits) directory {
	d := directory{keys: keys, subscriber: subscriber}
	limits.Lower = d.subscribed
	d.source = source{owner.Name, owner.Dir, limits}
	return d
}

// subscribed returns the most bytes of a file that the subscriber reads; 0 for other files.
func (d directory) subscribed(name string) int64 {
	if d.subscriber == nil {
		return 0
	}
	return d.subscriber.FileLimit(name)
}

// scan takes a snapshot and reads its checksums. served are the modules that go first where there is
// not room for all.
func (d directory) scan(served map[string]artifact.Name) Scan {
	limits := d.limits
	limits.Content, limits.Order = sums.Is, byShare(served)
	snapshot, err := watch.Read(d.dir, limits, func(name string) bool { return wanted(name) || d.subscribed(name) > 0 })
	if err != nil {
		return Scan{Err: err}
	}
	return Scan{Snapshot: snapshot, Checksums: sums.Of(snapshot, d.keys, leftOut(d.dir, snapshot)), source: d.source}
}

// leftOut reports whether the directory has a list that the snapshot omits because there are too
// many files.
func leftOut(dir string, snapshot watch.Snapshot) bool {
	cut := slices.ContainsFunc(snapshot.Skipped, func(s watch.Skipped) bool { return s.Name == "." })
	if !cut || slices.ContainsFunc(snapshot.Files, func(f watch.File) bool { return f.Name == sums.ListFile }) {
		return false
	}
	_, err := os.Lstat(filepath.Join(dir, sums.ListFile))
	return !errors.Is(err, fs.ErrNotExist)
}
