package verdict

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		a, err := ReadAccepted(here)
		if got := errorText(err); got != test.want {
			t.Errorf("%q: got %s", test.text, got)
		}
		if err == nil && strings.Contains(test.text, "accept") {
			if !a.Has("state", "time.Now") || a.Has("state", "time.Since") || a.Reason("uncovered", "a.go:12") != "no API server sends it" {
				t.Errorf("%q: read %v", test.text, a)
			}
			const want = "sums\naccept state time.Now: the result has the time of the conversion\naccept uncovered a.go:12: no API server sends it\n"
			if got := string(a.Append([]byte("sums\n"))); got != want {
				t.Errorf("written again is %q", got)
			}
		}
	}
	if a, err := ReadAccepted(filepath.Join(t.TempDir(), "none")); err != nil || a.Has("state", "x") {
		t.Errorf("without a file: %v, %v", a, err)
	}
}

// TestAcceptedFilesAndDirectories accepts all blocks of a file, and all files of a directory.
func TestAcceptedFilesAndDirectories(t *testing.T) {
	a := Accepted{reasons: map[[2]string]string{{"uncovered", "api/a.go"}: "r", {"uncovered", "pkg/config/"}: "r", {"uncovered", "x.go:3-4"}: "r"}}
	for name, want := range map[string]bool{
		"api/a.go:3": true, "api/a.go:3-9": true, "api/b.go:3": false, "pkg/config/c.go:1": true, "pkg/config/deep/c.go:1": true,
		"pkg/configs/c.go:1": false, "x.go:3-4": true, "x.go:3": false, "/x.go:1": false, "x": false,
	} {
		if a.Has("uncovered", name) != want {
			t.Errorf("%s is accepted: %v", name, !want)
		}
	}
	if a.Has("refused", "api/a.go:3") {
		t.Error("a line of another kind accepts")
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
