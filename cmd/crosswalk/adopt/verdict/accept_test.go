package adopt

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/state"
)

func TestReadAccepted(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"# comment\nabc  a.go\n", ""},
		{"accept state time.Now: the result has the time of the conversion\n  accept uncovered a.go:12: no API server sends it  \n", ""},
		{"\naccept state time.Now\n", `adopt.lock:2: "accept state time.Now" has no reason: write accept WHAT NAME: REASON`},
		{"accept state time.Now: \n", `adopt.lock:1: "accept state time.Now:" has no reason: write accept WHAT NAME: REASON`},
		{"accept stat time.Now: typo\n", "adopt.lock:1: accept stat is not known: must be state, uncovered, uncompared, refused, functions"},
	} {
		t.Chdir(t.TempDir())
		if err := os.WriteFile("adopt.lock", []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		here, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		a, err := readAccepted(here)
		if got := errorText(err); got != test.want {
			t.Errorf("%q: got %s", test.text, got)
		}
		if err == nil && strings.Contains(test.text, "accept") {
			if !a.has("state", "time.Now") || a.has("state", "time.Since") || a.reason("uncovered", "a.go:12") != "no API server sends it" {
				t.Errorf("%q: read %v", test.text, a)
			}
			const want = "sums\naccept state time.Now: the result has the time of the conversion\naccept uncovered a.go:12: no API server sends it\n"
			if got := string(a.append([]byte("sums\n"))); got != want {
				t.Errorf("written again is %q", got)
			}
		}
	}
	if a, err := readAccepted(filepath.Join(t.TempDir(), "none")); err != nil || a.has("state", "x") {
		t.Errorf("without a file: %v, %v", a, err)
	}
}

// TestAcceptedFilesAndDirectories accepts all blocks of a file, and all files of a directory.
func TestAcceptedFilesAndDirectories(t *testing.T) {
	a := accepted{reasons: map[[2]string]string{{"uncovered", "api/a.go"}: "r", {"uncovered", "pkg/config/"}: "r", {"uncovered", "x.go:3-4"}: "r"}}
	for name, want := range map[string]bool{
		"api/a.go:3": true, "api/a.go:3-9": true, "api/b.go:3": false, "pkg/config/c.go:1": true, "pkg/config/deep/c.go:1": true,
		"pkg/configs/c.go:1": false, "x.go:3-4": true, "x.go:3": false, "/x.go:1": false, "x": false,
	} {
		if a.has("uncovered", name) != want {
			t.Errorf("%s is accepted: %v", name, !want)
		}
	}
	if a.has("refused", "api/a.go:3") {
		t.Error("a line of another kind accepts")
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestReportState reports state that is neither set up nor accepted, and lines that accept nothing.
func TestReportState(t *testing.T) {
	found := []state.Dependence{
		{Name: "a/b.V", On: state.MainSets, At: []string{"b/v.go:1"}, Set: []string{"main.go:2", "main.go:3", "main.go:4", "main.go:5"}},
		{Name: "time.Now", On: "the clock", At: []string{"b/v.go:2"}},
	}
	for _, test := range []struct {
		accepted map[[2]string]string
		lines    []string
		printed  string
		left     string
	}{
		{nil, nil, "depends on what the operator's main sets: a/b.V (b/v.go:1, set at main.go:2, main.go:3, main.go:4 and 1 more)\ndepends on the clock: time.Now (b/v.go:2)\n",
			"2: depends on what the operator's main sets: a/b.V (b/v.go:1, set at main.go:2, main.go:3, main.go:4 and 1 more)depends on the clock: time.Now (b/v.go:2)"},
		{map[[2]string]string{{"state", "time.Now"}: "it is a time stamp"}, []string{"accept state time.Now: it is a time stamp", "accept state a.Old: it was there"},
			"depends on what the operator's main sets: a/b.V (b/v.go:1, set at main.go:2, main.go:3, main.go:4 and 1 more)\ndepends on the clock: time.Now (b/v.go:2); accepted: it is a time stamp\n" +
				"note: adopt.lock accepts state a.Old, which no conversion depends on any more\n", "1: depends on what the operator's main sets: a/b.V (b/v.go:1, set at main.go:2, main.go:3, main.go:4 and 1 more)"},
		{map[[2]string]string{{"state", "time.Now"}: "a", {"state", "a/b.V"}: "b"}, nil,
			"depends on what the operator's main sets: a/b.V (b/v.go:1, set at main.go:2, main.go:3, main.go:4 and 1 more); accepted: b\ndepends on the clock: time.Now (b/v.go:2); accepted: a\n", "0: "},
	} {
		var out bytes.Buffer
		r := &report{out: &out}
		left := r.state(found, accepted{lines: test.lines, reasons: test.accepted}, "adopt.lock")
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
