package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// job is a module file to load, and the result.
type job struct {
	name   artifact.Name
	file   watch.File  // without its content
	beside *watch.File // its sidecar; nil if it has none
	unread string      // why its sidecar could not be read; empty if it could, or if there is none
	denied error       // why the checksums do not allow it
	signer string      // the key that signed the checksums; empty if none did
	since  time.Time   // when the registry found this content
	again  bool        // this content has failed before
	served bool        // a module of this name serves, or served before the restart

	module *module.Module // the result, of the worker that loads it
	err    error

	// Guarded by queue.mu:
	cohort      *cohort                 // jobs that begin to serve together; nil if this one is alone
	loading     bool                    // a worker loads it
	wanted      bool                    // a client has requested its conversions
	overran     int                     // tries that exceeded their time
	interrupted int                     // tries that gave way to new content
	dropped     bool                    // its content was replaced before it was loaded
	stop        context.CancelCauseFunc // ends its try
}

// cohort is the new content of one kind in one scan. It begins to serve together, when all of it is
// loaded, rejected or postponed: one by one, a conversion could use a chain, or a module of lesser
// rank, because the right module is not loaded yet.
type cohort struct {
	left int    // jobs that were not tried yet
	done []*job // jobs with a result
}

// kind returns the kind that pays for the work on a job, as <Kind>.<group>.
func (j *job) kind() string { return kindOf(j.name) }

func kindOf(name artifact.Name) string { return name.Kind + "." + name.Group }

// contentSum returns the checksum of the job's content: the file and its sidecar, or the reason why
// that could not be read.
func (j *job) contentSum() [sha256.Size]byte {
	if j.unread != "" {
		return sha256.Sum256(append(j.file.Sum[:len(j.file.Sum):len(j.file.Sum)], j.unread...))
	}
	return artifact.ContentSum(j.file, j.beside)
}

// same reports whether two jobs are for the same content of the same file.
func (j *job) same(other *job) bool {
	return j.name.File == other.name.File && j.contentSum() == other.contentSum()
}

// tried records in a job's cohort that it was tried, and returns the jobs of the cohort with results
// if it was the last.
func (j *job) tried(result bool) (done []*job) {
	c := j.cohort
	if c == nil {
		if result {
			return []*job{j}
		}
		return nil
	}
	j.cohort = nil
	if result {
		c.done = append(c.done, j)
	}
	if c.left--; c.left > 0 {
		return nil
	}
	return c.done
}

// close closes the module of a job that will not serve.
func (j *job) close() {
	if j.module != nil {
		j.module.Close()
	}
}

// slow reports whether content overran a try or has failed before.
func (j *job) slow() bool { return j.again || j.overran > 0 }

// finished reports whether a job has a result.
func (j *job) finished() bool { return j.module != nil || j.err != nil }

// digestOf is a digest in hexadecimal; empty for a file that could not be read.
func digestOf(sum [32]byte) string {
	if sum == [32]byte{} {
		return ""
	}
	return hex.EncodeToString(sum[:])
}
