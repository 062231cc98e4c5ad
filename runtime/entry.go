package runtime

import (
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// entry is the registry's entry of one module, by the base of its name: the serving module and the file.
type entry struct {
	serving  *module.Module
	previous *PreviousModule // the fallback of serving, while that is on probation
	since    time.Time       // when serving began to serve
	present  bool            // whether the directory has a file of this name
	failure  *failure        // of the newest content, while that does not serve

	banned map[[32]byte]ban // contents that are not loaded again, by content sum
}

// failure is content that did not load. The registry remembers it, so that it does not retry at
// every scan.
type failure struct {
	file       string
	digest     [32]byte // of the module's file
	contentSum [32]byte // of it and its sidecar
	err        error
	at         time.Time
	tries      int
	retryAt    time.Time // zero: not before the directory changes

	rolledBack time.Time // when it was rolled back; zero if it was not
	overrun    bool      // it served, and one of its calls overran
}

// ban is the reason why content is not loaded again: it was rolled back, or taken out of service because
// one of its calls ran on after its deadline.
type ban struct {
	err     error
	at      time.Time
	overrun bool // one of its calls overran, which is not a rollback
}

// failure returns the failure of banned content, found in a file: it is not retried.
func (v ban) failure(file string, contentSum, digest [32]byte, now time.Time) *failure {
	f := &failure{file: file, contentSum: contentSum, digest: digest, err: v.err, at: now, tries: 1, overrun: v.overrun}
	if !v.overrun {
		f.rolledBack = v.at
	}
	return f
}

// instead names the consequence of a rejected module, for log lines.
func (s *entry) instead() string {
	if s.serving == nil {
		return "nothing converts these versions"
	}
	return "the previous module keeps serving (sha256 " + foreign.Digest(s.serving.Digest()) + ")"
}

// rejectedFile is why a file is not used, and since when.
type rejectedFile struct {
	reason string
	at     time.Time
}
