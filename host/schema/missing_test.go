package schema

import (
	"slices"
	"strings"
	"testing"
)

func TestMissing(t *testing.T) {
	versions := []Version{
		{Name: "v1", Served: true, Storage: true, Stored: true},
		{Name: "v2", Served: true},
		{Name: "v1beta1", Stored: true},
		{Name: "v1alpha1"},
	}
	for _, c := range []struct {
		name, routes string // from>to, separated by spaces
		want         []string
	}{
		{"none", "", []string{
			"v2 is served, and nothing converts v1 (storage) to v2",
			"v2 is served, and nothing converts v2 to v1 (storage)",
			"v1beta1 is not served but may be stored, and nothing converts v1beta1 to v1 (storage)",
		}},
		{"all", "v1>v2 v2>v1 v1beta1>v1", nil},
		{"one way", "v1>v2 v1beta1>v1 v1>v1beta1", []string{"v2 is served, and nothing converts v2 to v1 (storage)"}},
		{"other way", "v2>v1 v1beta1>v1", []string{"v2 is served, and nothing converts v1 (storage) to v2"}},
		{"not from the old one", "v2>v1 v1>v2 v1>v1beta1 v1beta1>v2", []string{"v1beta1 is not served but may be stored, and nothing converts v1beta1 to v1 (storage)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			crd := &CRD{Versions: versions}
			got := crd.Missing(func(from, to string) bool { return slices.Contains(strings.Fields(c.routes), from+">"+to) })
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
