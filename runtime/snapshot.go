package runtime

import (
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
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

	source source
}

// cut reports whether the scan may lack files, because the directory has too many.
func (s Scan) cut() bool {
	return slices.ContainsFunc(s.Skipped, func(s watch.Skipped) bool { return s.Name == "." })
}

// Read returns a file of the scan with its content.
//
// # Errors
//
// The file changed since the scan, or cannot be read any more. Another scan follows.
func (s Scan) Read(f watch.File) (watch.File, error) {
	if len(f.Content) == f.Size {
		return f, nil
	}
	files, err := s.source.read(f)
	if err != nil {
		return watch.File{}, err
	}
	return files[0], nil
}

// Subscriber reads files of the module directory that are not modules.
type Subscriber interface {
	// FileLimit returns the most bytes of a file that the subscriber reads; 0 for files that it
	// does not read.
	FileLimit(name string) int64
	// Scanned handles a scan, which includes the registry's files. The registry calls it for each
	// scan, never twice at a time, before it loads the modules of the scan. Scanned returns at
	// once; it reads files later, and beside the registry.
	Scanned(s Scan)
}

// wanted reports whether the registry reads a file.
func wanted(name string) bool {
	if _, ok := artifact.SidecarBase(name); ok {
		return true
	}
	return artifact.IsModuleFile(name) || strings.HasSuffix(name, Tombstone) || sums.Is(name) || artifact.Misspelled(name) != ""
}
