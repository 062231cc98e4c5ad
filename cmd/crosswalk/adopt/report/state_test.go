package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/state"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/verdict"
)

// TestReportState reports state that is neither set up nor accepted, and lines that accept nothing.
func TestReportState(t *testing.T) {
	found := []state.Dependence{
		{Name: "a/b.V", On: state.MainSets, At: []string{"b/v.go:1"}, Set: []string{"main.go:2", "main.go:3", "main.go:4", "main.go:5"}},
		{Name: "time.Now", On: "the clock", At: []string{"b/v.go:2"}},
	}
	for _, test := range []struct {
		accepted string // adopt.lock
		printed  string
		left     string
	}{
		{"", "depends on what the operator's main sets: a/b.V (b/v.go:1, set at main.go:2, main.go:3, main.go:4 and 1 more)\ndepends on the clock: time.Now (b/v.go:2)\n",
			"2: depends on what the operator's main sets: a/b.V (b/v.go:1, set at main.go:2, main.go:3, main.go:4 and 1 more)depends on the clock: time.Now (b/v.go:2)"},
		{"accept state time.Now: it is a time stamp\naccept state a.Old: it was there\n",
			"depends on what the operator's main sets: a/b.V (b/v.go:1, set at main.go:2, main.go:3, main.go:4 and 1 more)\ndepends on the clock: time.Now (b/v.go:2); accepted: it is a time stamp\n" +
				"note: adopt.lock accepts state a.Old, which no conversion depends on any more\n", "1: depends on what the operator's main sets: a/b.V (b/v.go:1, set at main.go:2, main.go:3, main.go:4 and 1 more)"},
		{"accept state time.Now: a\naccept state a/b.V: b\n",
			"depends on what the operator's main sets: a/b.V (b/v.go:1, set at main.go:2, main.go:3, main.go:4 and 1 more); accepted: b\ndepends on the clock: time.Now (b/v.go:2); accepted: a\n", "0: "},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "adopt.lock"), []byte(test.accepted), 0o644); err != nil {
			t.Fatal(err)
		}
		accepted, err := verdict.ReadAccepted(dir)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		left, _ := New(&out).State(found, accepted, "adopt.lock")
		hint := ""
		if test.left[0] != '0' {
			hint = "no comparison shows these: set them in a Go file for --set-up, or write to adopt.lock for each: accept state NAME: REASON\n"
		}
		if out.String() != test.printed+hint {
			t.Errorf("printed is %s", &out)
		}
		if got := fmt.Sprintf("%d: %s", len(left), strings.Join(left, "")); got != test.left {
			t.Errorf("left is %s", got)
		}
	}
}

// TestReportUnsearched reports variables that a main may set apart from those that it sets.
func TestReportUnsearched(t *testing.T) {
	var out bytes.Buffer
	left, unsearched := New(&out).State([]state.Dependence{{Name: "a/b.V", On: state.MaySet, At: []string{"b/v.go:1"}}}, verdict.Accepted{}, "adopt.lock")
	if text := "depends on what a main may set, and none was searched: a/b.V (b/v.go:1)\n"; len(left) > 0 || strings.Join(unsearched, " ") != "a/b.V" || !strings.HasPrefix(out.String(), text) {
		t.Errorf("%q, %q: %s", left, unsearched, &out)
	}
}
