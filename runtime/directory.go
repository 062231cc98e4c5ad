package runtime

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/internal/sums"
	"github.com/crosswalk-gateway/crosswalk/internal/watch"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// scanFiles is the most files of a directory that are read: 256 for modules and their sidecars,
// which is three times the number of smallest modules in a ConfigMap, and as many for a Subscriber.
const scanFiles = 512

// directory is the module directory.
type directory struct {
	source
	keys       sums.Keys
	subscriber Subscriber // may be nil
}

func newDirectory(config Config, packedBytes, directoryBytes int) directory {
	d := directory{keys: config.Keys, subscriber: config.Subscriber}
	d.source = source{config.Dir, watch.ReadLimits{
		FileBytes: int64(packedBytes), TotalBytes: int64(directoryBytes), Files: scanFiles, Lower: d.subscribed, Quiet: config.Quiet,
	}}
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

// source is where files of a scan are read again. A scan keeps the content of few files, so that
// only files that are being loaded take memory.
type source struct {
	dir    string
	limits watch.ReadLimits
}

// ErrChanged is a file whose content changed since the scan that found it.
var ErrChanged = errors.New("the file changed since it was found")

// read returns files of a scan with their content, in the same order. The error is ErrChanged if one
// is not as it was.
func (d source) read(files ...watch.File) ([]watch.File, error) {
	d.limits.Order, d.limits.Content = nil, nil
	now, err := watch.Read(d.dir, d.limits, func(name string) bool {
		return slices.ContainsFunc(files, func(f watch.File) bool { return f.Name == name })
	})
	if err != nil {
		return nil, err
	}
	if len(now.Skipped) > 0 && !now.Unsettled {
		return nil, fmt.Errorf("%s %s", now.Skipped[0].Name, now.Skipped[0].Reason)
	}
	whole := make([]watch.File, len(files))
	for i, f := range files {
		same := slices.IndexFunc(now.Files, func(g watch.File) bool { return g.Name == f.Name && g.Sum == f.Sum })
		if same < 0 {
			return nil, ErrChanged
		}
		whole[i] = now.Files[same]
	}
	return whole, nil
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
