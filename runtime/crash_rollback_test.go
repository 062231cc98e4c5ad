package runtime

import (
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// TestCrashesRollBackX23: a module that crashes at every object is rolled back on probation, in
// each of the ways in which an SDK, or a language without one, tells of a crash.
func TestCrashesRollBackX23(t *testing.T) {
	for file, want := range map[string]string{
		"x23_status":    "last failure: the module crashed: index out of range [5] with length 0. ",
		"x23_logged":    "last failure: the module trapped: unreachable; its last error message: panicked at src/lib.rs:7:5: no such field. ",
		"x23_report":    "last failure: the module exited with code 2 instead of returning; its last error message: panic: assignment to nil map. ",
		"x24_full":      "last failure: the module ran out of memory: its instance has ",
		"command_panic": "last failure: the module exited with code 2 instead of returning; its last error message: panic: boom. ",
	} {
		t.Run(file, func(t *testing.T) {
			f := probing(t, time.Hour, "good_echo")
			good := f.status(widget).Digest
			f.replaceBy(file)
			for i := range probationMarks {
				if got, err := f.convertOne(); err != nil || got != `{"apiVersion":"g/v1","kind":"K"}` {
					t.Fatalf("batch %d, which the previous version converts: %s, %v", i, got, err)
				}
			}
			f.until("the rollback", func() bool { return f.status(widget).Digest == good })
			if st := f.status(widget); st.RolledBackAt == nil || !strings.Contains(st.LastError, want) {
				t.Errorf("rolled back at %v for %q, which does not say %q", st.RolledBackAt, st.LastError, want)
			}
		})
	}
}

// TestRollbackBeforeTheScan: a scan that finds the file of a failed version gone rolls back first. So
// the version that serves is an orphan, without the failure of a file that is not there.
func TestRollbackBeforeTheScan(t *testing.T) {
	r := resting(t)
	good, bad := loadFixture(t, smallLimits, "good_echo"), loadFixture(t, smallLimits, "x09_unreachable")
	s := r.state.entry(testName.Base)
	s.serving, s.present = bad, true
	s.previous = &PreviousModule{Module: good, newer: bad, until: time.Now().Add(time.Hour), marks: probationMarks, last: "a trap"}
	r.plan("", nil, scanOf(watch.Snapshot{}, false))
	r.publishResults(nil)
	if s.serving != good || s.present || s.failure != nil {
		t.Errorf("%+v", s)
	}
}
