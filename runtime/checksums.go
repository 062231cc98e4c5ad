package runtime

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/internal/sums"
	"github.com/crosswalk-gateway/crosswalk/internal/watch"
)

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
