package fuzz

import "testing"

func TestEdges(t *testing.T) {
	all := edges{{"v1", "v2"}, {"v2", "v3"}, {"v3", "v2"}}
	for _, tc := range []struct {
		from, to      string
		reach, direct bool
	}{
		{"v1", "v2", true, true}, {"v1", "v3", true, false}, {"v3", "v2", true, true}, {"v2", "v1", false, false}, {"v1", "v4", false, false}, {"v1", "v1", true, false},
	} {
		if reach, direct := all.reach(tc.from, tc.to), all.direct(tc.from, tc.to); reach != tc.reach || direct != tc.direct {
			t.Errorf("%s to %s: reach %v, direct %v", tc.from, tc.to, reach, direct)
		}
	}
}
