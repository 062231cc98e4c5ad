package status

import (
	"os"
	"path/filepath"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// pulledFile is the file whose time crosswalk pull --watch sets each time the registry has the
// image that the directory holds (cmd/crosswalk/oci). It lies in the image's version of the
// directory.
const pulledFile = "..data/..pulled"

// pulled returns when the module directory was last equal to the registry's image. It opens
// nothing: the file's time is all that there is.
func pulled(dir string) (at time.Time, ok bool) {
	info, err := os.Stat(filepath.Join(dir, pulledFile))
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), true
}

// oldestPull returns when the directory was pulled of which that is longest ago.
func oldestPull(owners []runtime.Owner) (oldest time.Time) {
	for _, o := range owners {
		if at, ok := pulled(o.Dir); ok && (oldest.IsZero() || at.Before(oldest)) {
			oldest = at
		}
	}
	return oldest
}
