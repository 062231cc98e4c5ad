package runtime

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

const widget = "K.g_v1_v2.wasm"

// convertOne has the module that serves convert an object, as a review would.
func (f *following) convertOne() (string, error) {
	set := f.pin()
	defer set.Release()
	for _, b := range set.Bindings() {
		if b.From == "v1" && b.To == "v2" {
			converted, _, err := b.Module.Convert(context.Background(), "g/v1", "g/v2", [][]byte{[]byte(`{"apiVersion":"g/v1","kind":"K"}`)})
			if err != nil {
				return "", err
			}
			return string(converted[0]), nil
		}
	}
	f.t.Fatal("nothing converts v1 to v2")
	return "", nil
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
	const want = "rolled back: on probation it failed 3 batches, and the version before (sha256 "
	if st.State != StateServing || st.FailedDigest != bad || !strings.HasPrefix(st.LastError, want) || !strings.Contains(st.LastError, "the module trapped: unreachable") {
		t.Errorf("after the roll back: %+v", st)
	}
	for name, c := range map[string]struct {
		got  prometheus.Collector
		want float64
	}{
		"rollbacks": {f.metrics.rollbacks.WithLabelValues(widget), 1}, "probation": {f.metrics.probation.WithLabelValues(widget), 0},
		"last reload": {f.metrics.reloadOK.WithLabelValues(widget), 0}, "previous": {f.metrics.previous.WithLabelValues(widget), probationMarks},
	} {
		if got := testutil.ToFloat64(c.got); got != c.want {
			t.Errorf("the metric of %s is %v, want %v", name, got, c.want)
		}
	}

	// The bad content stays out, whatever else was there in between; the file may be mended.
	f.replaceBy("command_good")
	f.put(widget, "x09_unreachable")
	f.until("the refusal", func() bool { return f.status(widget).FailedDigest == bad })
	if st := f.status(widget); st.Kind != "command" || !strings.HasPrefix(st.LastError, want) {
		t.Errorf("the bad content came back: %+v", st)
	}
	// And whoever takes the module out of service has that forgotten.
	f.remove(widget)
	f.put("K.g_v1_v2.removed", "good_echo")
	f.until("the removal", func() bool { return f.status(widget).Digest == "" })
	f.remove("K.g_v1_v2.removed")
	f.put(widget, "x09_unreachable")
	f.until("a new beginning", func() bool { return f.status(widget).Digest == bad })
}

// What both versions fail says nothing against the newer one.
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
	f.until("the end of the probation", func() bool { return f.status(widget).ProbationUntil == nil })
	if _, err := f.convertOne(); err == nil {
		t.Error("the version before converts after the probation")
	}
	set := f.pin()
	defer set.Release()
	if n := len(set.modules); n != 1 {
		t.Errorf("%d modules are held", n)
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

// A version that declares other fields is shown other things, so that the version before cannot stand in; it takes over all the same.
func TestProbationOfOtherFields(t *testing.T) {
	f := probing(t, time.Hour, "good_echo")
	good := f.status(widget).Digest
	f.put("K.g_v1_v2.yaml", "fields: {v1: [spec.a], v2: [spec.b]}")
	f.replaceBy("x09_unreachable")
	for range probationMarks {
		if _, err := f.convertOne(); err == nil || !strings.Contains(err.Error(), "unreachable") {
			t.Fatalf("the module's own fault is wanted: %v", err)
		}
	}
	f.until("the roll back", func() bool { return f.status(widget).Digest == good })
}

// Putting the version before back is no swap that has to prove itself.
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

// Whether a module's answers keep to the contract is found out by others, who ask for the version before.
func TestInstead(t *testing.T) {
	f := probing(t, time.Hour, "good_echo")
	good := f.status(widget).Digest
	f.replaceBy("golden_fixed")
	object := [][]byte{[]byte(`{"apiVersion":"g/v1","kind":"K"}`)}
	for range probationMarks {
		m := f.module("v1", "v2")
		if !m.OnProbation() {
			t.Fatal("not on probation")
		}
		converted, _, confirm, ok := m.Instead(context.Background(), "g/v1", "g/v2", object)
		if !ok || string(converted[0]) != string(object[0]) {
			t.Fatalf("%s, %v", converted, ok)
		}
		confirm("its answer breaks a rule")
	}
	f.until("the roll back", func() bool { return f.status(widget).Digest == good })
	if st := f.status(widget); !strings.Contains(st.LastError, "the last with: its answer breaks a rule.") {
		t.Errorf("%+v", st)
	}
	if _, _, _, ok := f.module("v1", "v2").Instead(context.Background(), "g/v1", "g/v2", object); ok {
		t.Error("a module that is not on probation has a version before")
	}
}
