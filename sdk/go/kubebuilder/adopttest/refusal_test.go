package adopttest

import "testing"

func TestValidMetadata(t *testing.T) {
	for _, test := range []struct {
		name, key string
		value     any
		want      bool
	}{
		{"labels", "app", "a-b.c", true},
		{"labels", "example.com/part", "", true},
		{"labels", "", "a", false},
		{"labels", "a b", "a", false},
		{"labels", "example.com/", "a", false},
		{"labels", "app", "a b", false},
		{"labels", "app", true, false},
		{"annotations", "example.com/part", "{ any text }", true},
		{"annotations", "é", "a", false},
	} {
		if got := validMetadata(map[string]any{"metadata." + test.name: map[string]any{test.key: test.value}}); got != test.want {
			t.Errorf("%s %q: %v is valid: %v", test.name, test.key, test.value, got)
		}
	}
}
