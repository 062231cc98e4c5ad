package runtime

import (
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

// TestFieldsAreShown looks for a module's fields where operators do, with the process that vets in
// between.
func TestFieldsAreShown(t *testing.T) {
	f := followVetted(t, map[string]string{"K.g_v1_v2.wasm": "good_fields", "K.g_v2_to_v3.wasm": "good_echo"}, true)
	f.until("both serve", func() bool { return f.module("v1", "v2") != nil && f.module("v2", "v3") != nil })
	m := f.module("v2", "v1")
	if got, want := strings.Join(m.Fields("v2", "v1"), " "), "spec.b spec.a metadata.annotations['x']"; got != want {
		t.Errorf("fields %s, want %s", got, want)
	}
	if got := f.module("v2", "v3").Fields("v2", "v3"); got != nil {
		t.Errorf("a module that declares none has fields %v", got)
	}
	if got := f.status("K.g_v1_v2.wasm").Fields; !slices.Equal(got["v1"], []string{"spec.a", "metadata.annotations['x']"}) || len(got) != 2 {
		t.Errorf("the status has fields %v", got)
	}
	for file, want := range map[string]float64{"K.g_v1_v2.wasm": 3, "K.g_v2_to_v3.wasm": 0} {
		if got := testutil.ToFloat64(f.journal.metrics.declared.WithLabelValues(file)); got != want {
			t.Errorf("%s: the metric is %v, want %v", file, got, want)
		}
	}
}
