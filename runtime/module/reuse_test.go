package module

import (
	"context"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// TestInstanceIsResetOrReplacedX13 calls guests that leave traces everywhere. Those whose state the
// image holds must be served by one and the same instance, made anew between the calls; those that
// hide it elsewhere must get a new one each time.
func TestInstanceIsResetOrReplacedX13(t *testing.T) {
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
	wantFault(t, err, faults.Output, "limit of 100000 bytes")
	if _, _, err := m.Convert(context.Background(), "g/v1", "g/v2", objects[:9]); err != nil {
		t.Error(err)
	}
}
