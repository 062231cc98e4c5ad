package runtime

import (
	"context"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

// TestX13InstanceIsPutBack calls guests that leave traces everywhere. Those whose state the image holds must be served by one
// and the same instance, made anew between the calls; those that hide it elsewhere must get a new one each time.
func TestX13InstanceIsPutBack(t *testing.T) {
	l := testLoader(t, smallLimits)
	for _, tc := range []struct {
		file string
		kept bool
	}{
		{"x13_state", true},
		{"x13_state_exported", true},
		{"good_echo", true},
		{"x13_state_table", false},
		{"x13_state_table_exported", false},
		{"x13_state_vector", false},
		{"x13_state_segment", false},
		{"x13_state_files", true},
	} {
		m := loadFixture(t, l, tc.file)
		var first *instance
		for call := range 5 {
			if _, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject}); err != nil {
				t.Fatalf("%s, call %d: %v", tc.file, call, err)
			}
			in := m.pool.pop()
			if (in != nil) != tc.kept {
				t.Fatalf("%s, call %d: kept an instance: %v, want %v", tc.file, call, in != nil, tc.kept)
			}
			if in == nil {
				continue
			}
			if first == nil {
				first = in
			}
			if kept := in == first; !kept && goruntime.GOOS == "linux" {
				t.Errorf("%s, call %d: another instance", tc.file, call)
			}
			m.pool.idle = append(m.pool.idle, in)
		}
	}
}

func TestVerify(t *testing.T) {
	limits := smallLimits
	limits.VerifyShare = 1
	m := loadFixture(t, testLoader(t, limits), "x15_world")
	for range 3 {
		if _, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject}); err != nil {
			t.Fatal(err)
		}
	}
	if same, different := testutil.ToFloat64(m.metrics.same), testutil.ToFloat64(m.metrics.different); same < 3 || different != 0 {
		t.Errorf("%v batches verified as the same and %v as different", same, different)
	}
}

// TestVerifyFinds has what depends on more than the object: on its neighbours, on what came before. Both are seen, and said once they are.
func TestVerifyFinds(t *testing.T) {
	limits := smallLimits
	limits.VerifyShare = 1
	objects := [][]byte{[]byte(`{"a":0}`), []byte(`{"a":1}`), []byte(`{"a":2}`)}
	for _, tc := range []struct {
		file    string
		sidecar string
		objects [][]byte
		pure    bool
	}{
		{"good_echo", "state: reset\n", objects, true},
		{"good_refuse", "state: reset\n", objects[:1], true},
		{"command_refuse", "state: reset\n", objects, true}, // names the first of those that it refuses
		{"a14_neighbour", "state: reset\n", objects[:1], true},
		{"a14_neighbour", "state: reset\n", objects, false},
		{"a15_counter", "state: reset\n", objects[:1], true},
		{"a15_counter", "state: trusted\n", objects[:1], false},
	} {
		m, err := testLoader(t, limits).loadWith(context.Background(), testName, fixture(t, tc.file), beside(tc.sidecar))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := m.Convert(context.Background(), "g/v1", "g/v2", tc.objects); err != nil {
			t.Fatal(err)
		}
		want := [2]float64{1, 0}
		if !tc.pure {
			want = [2]float64{0, 1}
		}
		if got := [2]float64{testutil.ToFloat64(m.metrics.same), testutil.ToFloat64(m.metrics.different)}; got != want || m.impure.Load() == tc.pure {
			t.Errorf("%s, %s: %v batches the same and different, want %v; impure %v", tc.file, tc.sidecar, got, want, m.impure.Load())
		}
		m.close()
	}
}

func TestReplyBytes(t *testing.T) {
	limits := smallLimits
	limits.ReplyBytes, limits.BatchObjects = 100_000, 4
	m := loadFixture(t, testLoader(t, limits), "good_echo")
	object := []byte(`{"pad":"` + strings.Repeat("x", 9_000) + `"}`)
	objects := make([][]byte, 40)
	for i := range objects {
		objects[i] = object
	}
	_, _, err := m.Convert(context.Background(), "g/v1", "g/v2", objects)
	wantFault(t, err, FaultOutput, "more than the 100000 bytes")
	if _, _, err := m.Convert(context.Background(), "g/v1", "g/v2", objects[:9]); err != nil {
		t.Error(err)
	}
}

// TestTrustedInstanceIsRecycled: an instance that is trusted with its state is kept, until its memory has grown past half of the limit.
func TestTrustedInstanceIsRecycled(t *testing.T) {
	limits := smallLimits
	limits.MemoryPages = 8
	l := testLoader(t, limits)
	for _, tc := range []struct {
		object int // in bytes; the guest needs more than twice as much
		kept   bool
	}{{1 << 10, true}, {64 << 10, true}, {150 << 10, false}} {
		m, err := l.loadWith(context.Background(), testName, fixture(t, "good_echo"), beside("state: trusted\n"))
		if err != nil {
			t.Fatal(err)
		}
		object := []byte(`{"pad":"` + strings.Repeat("x", tc.object) + `"}`)
		if _, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{object}); err != nil {
			t.Fatal(err)
		}
		in := m.pool.pop()
		if kept := in != nil; kept != tc.kept {
			t.Errorf("an object of %d bytes: kept %v, want %v", tc.object, kept, tc.kept)
		}
		in.close()
		m.close()
	}
}
