package runtime

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

const widget = "K.g_v1_v2.wasm"

// convertOne converts an object as a review would: a failed batch falls back to the previous
// version, if there is one.
func (f *following) convertOne() (string, error) {
	set := f.pin()
	defer set.Release()
	object := [][]byte{[]byte(`{"apiVersion":"g/v1","kind":"K"}`)}
	b := f.binding(set)
	converted, _, err := b.Module.Convert(context.Background(), "g/v1", "g/v2", object)
	if fault := (*module.FaultError)(nil); errors.As(err, &fault) && b.Previous != nil {
		var again error
		if converted, _, again = b.Previous.Convert(context.Background(), "g/v1", "g/v2", object); again == nil {
			b.Previous.FellBack(fault.Kind, fault.Error())
			err = nil
		}
	}
	if err != nil {
		return "", err
	}
	return string(converted[0]), nil
}

// binding returns the binding of v1 to v2 in a set.
func (f *following) binding(set *Set) Binding {
	for _, b := range set.Bindings() {
		if b.From == "v1" && b.To == "v2" {
			return b
		}
	}
	f.t.Fatal("nothing converts v1 to v2")
	return Binding{}
}

func probing(t *testing.T, d time.Duration, first string) *following {
	t.Helper()
	f := &following{t: t, dir: t.TempDir()}
	f.put(widget, first)
	f.run(Config{Probation: d})
	f.until("the first module", func() bool { return f.Ready() && f.status(widget).Digest != "" })
	return f
}

func (f *following) replaceBy(to string) (digest string) {
	f.t.Helper()
	before := f.status(widget).Digest
	f.put(widget, to)
	f.until("the swap", func() bool { return f.status(widget).Digest != before })
	return f.status(widget).Digest
}

func TestProbationRollsBack(t *testing.T) {
	f := probing(t, time.Hour, "good_echo")
	good := f.status(widget).Digest
	if st := f.status(widget); st.ProbationUntil != nil {
		t.Errorf("a first module is on probation: %+v", st)
	}
	bad := f.replaceBy("x09_unreachable")
	if st := f.status(widget); st.ProbationUntil == nil || st.PreviousDigest != good || st.PreviousBatches != 0 {
		t.Errorf("after the swap: %+v", st)
	}
	for i := range probationMarks {
		if got, err := f.convertOne(); err != nil || got != `{"apiVersion":"g/v1","kind":"K"}` {
			t.Fatalf("batch %d, which the version before converts: %s, %v", i, got, err)
		}
	}
	f.until("the roll back", func() bool { return f.status(widget).Digest == good })
	st := f.status(widget)
	want := "rolled back: on probation it failed 3 batches that the previous version (sha256 " + good[:12] + ") converted; last failure: the module trapped: unreachable. " +
		"This gateway does not load it again, but a restarted one would: replace the file with a fixed module or the previous one"
	if st.RolledBackAt == nil || !st.RolledBackAt.Equal(*st.LastErrorAt) {
		t.Errorf("rolled back at %v", st.RolledBackAt)
	}
	if st.State != StateServing || st.FailedDigest != bad || st.LastError != want || st.ProbationUntil != nil {
		t.Errorf("after the roll back: %+v", st)
	}
	if st.Calls != 0 || st.Faults != 0 {
		t.Errorf("the version before has been counted for what it did while it stood by: %+v", st)
	}
	for name, c := range map[string]struct {
		got  prometheus.Collector
		want float64
	}{
		"rollbacks":   {f.journal.metrics.rollbacks.WithLabelValues(widget), 1},
		"last reload": {f.journal.metrics.reloadOK.WithLabelValues(widget), 0}, "previous": {f.journal.metrics.previous.WithLabelValues(widget), probationMarks},
		"declared": {f.journal.metrics.declared.WithLabelValues(widget), 0},
	} {
		if got := testutil.ToFloat64(c.got); got != c.want {
			t.Errorf("the metric of %s is %v, want %v", name, got, c.want)
		}
	}
	if got := f.series("crosswalk_module_objects_total", map[string]string{"module": widget}); got != probationMarks { // the newer version's alone
		t.Errorf("%v objects are counted, want %d", got, probationMarks)
	}
	if got := f.series("crosswalk_module_faults_total", map[string]string{"module": widget, "fault": faults.Trap}); got != probationMarks {
		t.Errorf("%v faults are counted, want %d", got, probationMarks)
	}

	// The bad content stays banned, also after other content; the file may be repaired.
	f.replaceBy("command_good")
	f.put(widget, "x09_unreachable")
	f.until("the refusal", func() bool { return f.status(widget).FailedDigest == bad })
	if st := f.status(widget); st.ABI != "command" || st.LastError != want || st.RolledBackAt == nil || !st.RolledBackAt.Before(*st.LastErrorAt) {
		t.Errorf("the bad content came back: %+v", st)
	}
	// Taking the module out of service forgets the ban.
	f.remove(widget)
	f.put("K.g_v1_v2.removed", "good_echo")
	f.until("the removal", func() bool { return f.status(widget).Digest == "" })
	f.remove("K.g_v1_v2.removed")
	f.put(widget, "x09_unreachable")
	f.until("a new beginning", func() bool { return f.status(widget).Digest == bad })
}

// A batch that both versions fail does not count against the newer one.
func TestProbationBothFail(t *testing.T) {
	f := probing(t, time.Hour, "x09_divide")
	f.replaceBy("x09_unreachable")
	for range 2 * probationMarks {
		if _, err := f.convertOne(); err == nil || !strings.Contains(err.Error(), "unreachable") {
			t.Fatalf("the module's own fault is wanted: %v", err)
		}
	}
	if st := f.status(widget); st.PreviousBatches != 0 || st.ProbationUntil == nil {
		t.Errorf("%+v", st)
	}
}

func TestProbationEnds(t *testing.T) {
	f := probing(t, 300*time.Millisecond, "good_echo")
	f.replaceBy("x09_unreachable")
	f.until("the end of the probation", func() bool { // a scan ends it in the state first, and in the set afterwards
		set := f.pin()
		defer set.Release()
		return f.status(widget).ProbationUntil == nil && f.binding(set).Previous == nil
	})
	if _, err := f.convertOne(); err == nil {
		t.Error("the version before converts after the probation")
	}
	f.until("the version before to be let go of", func() bool {
		set := f.pin()
		defer set.Release()
		return len(set.modules) == 1
	})
}

// TestProbationStood: the log has the number of batches of a probation, and a warning if some of
// them failed.
func TestProbationStood(t *testing.T) {
	for marks, want := range []string{
		`level=INFO msg="module passed probation" module=K.g_v1_v2.wasm sha256=abc batches=7 failed=0 of=3`,
		`level=WARN msg="module passed probation" module=K.g_v1_v2.wasm sha256=abc batches=7 failed=1 of=3`,
	} {
		var log strings.Builder
		r, err := New(Config{Dir: t.TempDir(), Limits: smallLimits, Registerer: prometheus.NewRegistry(), OnSet: func(*Set) {}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		m := loadFixture(t, smallLimits, "good_echo")
		for range 7 {
			if _, _, err := m.Convert(t.Context(), "g/v1", "g/v2", [][]byte{testObject}); err != nil {
				t.Fatal(err)
			}
		}
		want = strings.Replace(want, "abc", foreign.Digest(m.Digest()), 1)
		now := time.Now()
		r.state.entries[testName.Base] = &entry{serving: m, previous: &PreviousModule{Module: &module.Module{}, newer: m, until: now, marks: marks}}
		r.state.checkProbation(now.Add(-time.Second))
		if log.Len() > 0 {
			t.Errorf("before its end: %s", log.String())
		}
		r.state.checkProbation(now)
		if !strings.Contains(log.String(), want) || r.state.entries[testName.Base].previous != nil {
			t.Errorf("%s, want %s", log.String(), want)
		}
	}
}

// A swap during a probation leaves the last version that stood one to go back to.
func TestProbationOfTwo(t *testing.T) {
	f := probing(t, time.Hour, "good_echo")
	good := f.status(widget).Digest
	f.replaceBy("x09_unreachable")
	f.replaceBy("x09_divide")
	if st := f.status(widget); st.PreviousDigest != good {
		t.Errorf("the version to go back to is %s, want %s", st.PreviousDigest, good)
	}
	for range probationMarks {
		if _, err := f.convertOne(); err != nil {
			t.Fatal(err)
		}
	}
	f.until("the roll back", func() bool { return f.status(widget).Digest == good })
}

// Restoring the previous version does not begin a probation.
func TestProbationUndone(t *testing.T) {
	f := probing(t, time.Hour, "good_echo")
	f.replaceBy("x09_unreachable")
	f.replaceBy("good_echo")
	if st := f.status(widget); st.ProbationUntil != nil || st.LastError != "" {
		t.Errorf("%+v", st)
	}
}

func TestNoProbation(t *testing.T) {
	f := probing(t, 0, "good_echo")
	f.replaceBy("x09_unreachable")
	if _, err := f.convertOne(); err == nil {
		t.Error("another version converts")
	}
	if st := f.status(widget); st.ProbationUntil != nil {
		t.Errorf("%+v", st)
	}
}

// TestProbationOfSidecar: a sidecar that changes makes another version, of the same digest.
func TestProbationOfSidecar(t *testing.T) {
	f := probing(t, time.Hour, "good_echo")
	m := f.module("v1", "v2")
	f.put("K.g_v1_v2.yaml", "fields: {v1: [spec.a], v2: [spec.b]}")
	f.until("the swap", func() bool { return f.status(widget).ProbationUntil != nil })
	set := f.pin()
	defer set.Release()
	for range probationMarks {
		f.binding(set).Previous.FellBack("contract", "it broke it")
	}
	f.until("the roll back", func() bool { return f.module("v1", "v2") == m })
	const want = "rolled back: on probation it failed 3 batches that the same module with its previous sidecar converted; last failure: it broke it. This gateway"
	if st := f.status(widget); !strings.HasPrefix(st.LastError, want) || st.FailedDigest != st.Digest || st.Sidecar != "" {
		t.Errorf("%+v", st)
	}
	f.remove("K.g_v1_v2.yaml")
	f.until("the file's being well again", func() bool { st := f.status(widget); return st.LastError == "" && st.RolledBackAt == nil })
	if f.module("v1", "v2") != m {
		t.Error("what serves was loaded again")
	}
}

// TestProbationLasts: with a failure the time begins anew, so that a module which is called rarely,
// and fails, does not outlast the one before.
func TestProbationLasts(t *testing.T) {
	f := probing(t, time.Hour, "good_echo")
	good := f.status(widget).Digest
	f.replaceBy("x09_unreachable")
	first := *f.status(widget).ProbationUntil
	for n := range probationMarks {
		f.mu.Lock()
		p := f.state.entries["K.g_v1_v2"].previous
		f.mu.Unlock()
		p.mu.Lock()
		p.until = time.Now().Add(time.Minute) // 59 minutes later
		p.mu.Unlock()
		if _, err := f.convertOne(); err != nil {
			t.Fatal(err)
		}
		if st := f.status(widget); n < probationMarks-1 && st.ProbationUntil.Before(first) {
			t.Errorf("after %d failures the probation ends at %v", n+1, st.ProbationUntil)
		}
	}
	f.until("the roll back", func() bool { return f.status(widget).Digest == good })
}

// TestProbationMarks: failures that the machine may have caused do not count, nor do failures after
// the third.
func TestProbationMarks(t *testing.T) {
	for kind, counts := range map[string]bool{
		faults.Trap: true, faults.Fuel: true, faults.Memory: true, faults.Stack: true, faults.ABI: true, faults.Output: true, "contract": true, // which is the host's word
		faults.Deadline: false, faults.Busy: false, faults.Breaker: false, faults.Internal: false,
	} {
		t.Run(kind, func(t *testing.T) {
			asked := 0
			m := &module.Module{}
			p := &PreviousModule{Module: m, newer: m, rollBack: func() { asked++ }, logger: slog.New(slog.DiscardHandler), batches: prometheus.NewCounter(prometheus.CounterOpts{Name: "batches"})}
			for i := range probationMarks + 2 {
				p.FellBack(kind, strconv.Itoa(i))
			}
			marks, last, _ := p.account()
			if counts && (marks != probationMarks || last != "2" || asked != 1) || !counts && (marks != 0 || asked != 0) {
				t.Errorf("%d marks, the last for %q; asked %d times to go back", marks, last, asked)
			}
		})
	}
}

// TestProbationBusyRegistry: the gateway rolls back while it loads other modules, and the module
// that replaces the bad one has the good one behind it.
func TestProbationBusyRegistry(t *testing.T) {
	f := probing(t, time.Hour, "good_echo")
	good := f.status(widget).Digest
	bad := f.replaceBy("x09_unreachable")
	under := f.pin() // a review under way
	defer under.Release()
	f.mayLoad.Lock()
	f.put(widget, "good_fields")
	f.until("its being loaded", func() bool { return f.loads.Load() == 1 })
	p := f.binding(under).Previous
	for range probationMarks {
		p.FellBack("contract", "it broke it")
	}
	f.until("the roll back", func() bool { return f.status(widget).Digest == good })
	f.mayLoad.Unlock()
	f.until("the third version", func() bool { st := f.status(widget); return st.Digest != good && st.PreviousDigest == good })
	if st := f.status(widget); st.LastError != "" || st.PreviousBatches != 0 || st.ProbationUntil == nil {
		t.Errorf("%+v", st)
	}
	if _, err := f.convertOne(); err != nil {
		t.Error(err)
	}
	f.put(widget, "x09_unreachable")
	f.until("the refusal", func() bool { return f.status(widget).FailedDigest == bad })
}

// TestProbationOfReplaced: a review that began with a bad version has the one before stand in,
// although another has replaced the bad one.
func TestProbationOfReplaced(t *testing.T) {
	f := probing(t, time.Hour, "good_echo")
	good := f.status(widget).Digest
	f.replaceBy("x09_unreachable")
	under := f.pin()
	defer under.Release()
	third := f.replaceBy("x09_divide")
	object := [][]byte{[]byte(`{"apiVersion":"g/v1","kind":"K"}`)}
	p := f.binding(under).Previous
	for range probationMarks {
		if got, _, err := p.Convert(context.Background(), "g/v1", "g/v2", object); err != nil || string(got[0]) != string(object[0]) || p.Digest() != good {
			t.Fatalf("%s, %v", got, err)
		}
		p.FellBack(faults.Trap, "a trap")
	}
	f.publishResults(nil)
	if st := f.status(widget); st.Digest != third || st.PreviousBatches != 0 || st.ProbationUntil == nil {
		t.Errorf("the third version pays for the second: %+v", st)
	}
}

// TestPredecessorRests: objects that both versions fail have the one before rest too.
func TestPredecessorRests(t *testing.T) {
	limits := smallLimits
	limits.BreakerFaults, limits.BreakerPause, limits.BreakerPauseMax = 2, time.Hour, time.Hour
	m := loadFixture(t, limits, "x09_unreachable")
	p := &PreviousModule{Module: m, newer: m}
	for i, want := range []string{faults.Trap, faults.Trap, faults.Breaker} {
		_, _, err := p.Convert(context.Background(), "g/v1", "g/v2", slices.Repeat([][]byte{testObject}, i+1))
		if fault := (*module.FaultError)(nil); !errors.As(err, &fault) || fault.Kind != want {
			t.Errorf("call %d: %v, want %s", i, err, want)
		}
	}
	if n := m.Activity(time.Now()).Calls; n != 0 {
		t.Errorf("%d calls are counted", n)
	}
}
