package runtime

import (
	"crypto/sha256"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/watch"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// job is a module file to load, and the result.
type job struct {
	name   artifact.Name
	file   watch.File
	beside *watch.File // its sidecar; nil if it has none
	unread string      // why its sidecar could not be read; empty if it could, or if there is none
	denied error       // why the checksums do not allow it
	module *module.Module
	err    error
	since  time.Time // when the registry found this content
	again  bool      // this content has failed before

	// Guarded by Registry.mu:
	wanted    bool // a client has requested its conversions
	tried     bool // loaded, rejected or postponed
	recorded  bool // the result is recorded
	overran   int  // tries that exceeded their time
	postponed bool // and without a result yet
	dropped   bool // its content was replaced before it was loaded
}

// contentSum returns the checksum of the job's content: the file and its sidecar, or the reason why
// that could not be read.
func (j *job) contentSum() [sha256.Size]byte {
	if j.unread != "" {
		return sha256.Sum256(append(j.file.Sum[:len(j.file.Sum):len(j.file.Sum)], j.unread...))
	}
	return artifact.ContentSum(j.file, j.beside)
}
