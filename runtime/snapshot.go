package runtime

import (
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/sums"
	"github.com/crosswalk-gateway/crosswalk/internal/watch"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// Tombstone is the ending of a file that takes a module out of service: <base>.removed beside, or
// instead of, <base>.wasm. A deleted file takes nothing out of service (threat-model.md W7): an emptied
// ConfigMap or a lost mount must not turn off a conversion that objects depend on.
const Tombstone = ".removed"

// Scan is one consistent snapshot of the module directory with the verdict of its SHA256SUMS. The
// registry and its Subscriber work on the same Scan, so they cannot judge the files of one release
// at different moments.
type Scan struct {
	watch.Snapshot
	Checksums *sums.Check // nil if Err is set
	Err       error       // the directory could not be read
}

// wanted reports whether the registry reads a file.
func wanted(name string) bool {
	if _, ok := artifact.SidecarBase(name); ok {
		return true
	}
	return artifact.IsModuleFile(name) || strings.HasSuffix(name, Tombstone) || sums.Is(name) || artifact.Misspelled(name) != ""
}
