package status

import (
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// TestPageShowsDeclaredFields: the page shows the declared fields of a module, and nothing for a
// module that sees whole objects.
func TestPageShowsDeclaredFields(t *testing.T) {
	long := strings.Repeat("é", 200)
	tests := []struct {
		name   string
		fields map[string][]string
		want   string
	}{
		{"none declared", nil, ""},
		{"nothing declared", map[string][]string{"v1": {}, "v2": {}}, "v2: nothing; v1: nothing"},
		{"by version", map[string][]string{"v1": {"spec.a"}, "v1beta1": {"spec.b", "spec.c[].d"}}, "v1: spec.a; v1beta1: spec.b, spec.c[].d"},
		{"too many", map[string][]string{"v1": {long}}, "v1: " + long[:296] + "…"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			facts := moduleFacts(runtime.Status{State: runtime.StateServing, Digest: "0123456789abcdef", Fields: test.fields})
			got, _, _ := strings.Cut(facts, " · ")
			if got = strings.TrimPrefix(got, "sees only "); test.fields == nil {
				got = strings.TrimPrefix(got, "size 0 KiB")
			}
			if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
