package compare

import (
	"fmt"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
)

// TestCoverageCountsBlocksThatCanRun takes each line of the fixture for a block that did not run.
// Those that cannot run are not missed, and those of functions that nothing calls do not count.
func TestCoverageCountsBlocksThatCanRun(t *testing.T) {
	const name = "coverage/v1/v1.go"
	p, k := load(t, "./coverage/v1", "./coverage/v2")
	x, _, err := extract.Kind(p, k)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(testOperator + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []block
	var want []string
	for i, line := range strings.Split(string(text), "\n") {
		_, comment, ok := strings.Cut(line, "// can")
		if !ok {
			if !strings.Contains(line, "return positive") {
				continue
			}
			comment = "not run"
		}
		blocks = append(blocks, block{from: token.Position{Line: i + 1, Column: 1}, to: token.Position{Line: i + 1, Column: 100}})
		if !strings.HasPrefix(comment, "not run") {
			want = append(want, fmt.Sprintf("%s:%d", name, i+1))
		}
	}
	q := profile(p, k, x)
	got := q.measure(map[string][]block{"example.com/operator/" + name: blocks})
	if !slices.Equal(got.Missing, want) || got.Blocks != len(want) || got.Ran != 0 {
		t.Errorf("missing are\n%s\nwant\n%s", strings.Join(got.Missing, "\n"), strings.Join(want, "\n"))
	}
	for i := range blocks {
		blocks[i].ran = true
	}
	if got := q.measure(map[string][]block{"example.com/operator/" + name: blocks}); len(got.Missing) > 0 || got.Ran != got.Blocks {
		t.Errorf("of blocks that ran, %d of %d count, and %q are missing", got.Ran, got.Blocks, got.Missing)
	}
	if paths := q.packages(); !slices.Equal(paths, []string{"example.com/operator/coverage/v1"}) {
		t.Errorf("measured are %q", paths)
	}
}

func TestParseProfile(t *testing.T) {
	blocks, err := parseProfile([]byte("mode: set\na.com/b/c.go:3.4,5.6 2 0\na.com/b/c.go:1.2,2.3 1 1\na.com/b/c.go:3.4,5.6 2 1\n"))
	if got, want := fmt.Sprint(blocks, err), "map[a.com/b/c.go:[{{ 0 1 2} { 0 2 3} true} {{ 0 3 4} { 0 5 6} true}]] <nil>"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, text := range []string{"nothing\n", "a.go:1.2 3\n"} {
		if blocks, err := parseProfile([]byte(text)); err == nil {
			t.Errorf("%q is taken for %v", text, blocks)
		}
	}
}

// TestHubsRefusalsDoNotCount profiles methods with a context: the code of the defaults counts, and
// the methods of the hub, which refuse, do not.
func TestHubsRefusalsDoNotCount(t *testing.T) {
	p, k := load(t, "./knative/v1", "./knative/v2")
	x, _, err := extract.Kind(p, k)
	if err != nil {
		t.Fatal(err)
	}
	var counted []string
	for name, functions := range profile(p, k, x).functions {
		for _, f := range functions {
			if strings.HasPrefix(name, "example.com/operator/knative/v2/") {
				counted = append(counted, f.Name())
			}
		}
	}
	if !slices.Equal(counted, []string{"SetDefaults"}) {
		t.Errorf("of the hub's functions, %q count for the coverage", counted)
	}
}
