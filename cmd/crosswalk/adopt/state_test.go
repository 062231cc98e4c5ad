package adopt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/project"
)

// copyOperator copies the operator in testdata: its repository is that of Crosswalk otherwise.
func copyOperator(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(testOperator)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// loadState loads the kinds that depend on state, with set-up code if there is a file of it.
func loadState(t *testing.T, setUp string) (*operator.Program, map[string]discover.Resource) {
	t.Helper()
	dir := copyOperator(t)
	p, err := operator.Load(context.Background(), operator.Workplace{Dir: dir, Patterns: []string{"./state/v1", "./state/v2", "./state/plugin"}, SetUp: setUp})
	if err != nil {
		t.Fatal(err)
	}
	found, _ := discover.Find(p)
	kinds := map[string]discover.Resource{}
	for _, k := range found {
		k.SetUpContext = p.SetUp.Has(operator.SetUpContext)
		kinds[k.Name] = k
	}
	return p, kinds
}

// depends returns the lines that are reported for a kind.
func depends(t *testing.T, p *operator.Program, k discover.Resource) (lines []string) {
	t.Helper()
	x, _, err := extract.Kind(p, k)
	if err != nil {
		t.Fatal(err)
	}
	found, err := x.State(k)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range found {
		lines = append(lines, d.Text())
	}
	return lines
}

// TestState reports each sort of state, and nothing for variables that no main changes.
func TestState(t *testing.T) {
	const sets = "depends on what the operator's main sets: example.com/operator/state/v1."
	p, kinds := loadState(t, "")
	want := map[string][]string{
		"Setter":      {sets + "getter (state/v1/setter.go:12, set at state/v1/setter.go:10)"},
		"Assigned":    {sets + "Prefix (state/v1/assigned.go:9, set at cmd/operator/main.go:13)"},
		"Hook":        {sets + "Describe (state/v1/hook.go:10, exported without a value)"},
		"Flag":        {sets + "Strict (state/v1/flag.go:9, set at cmd/operator/main.go:11)"},
		"Field":       {sets + "Options (state/v1/field.go:9, set at cmd/operator/main.go:14)"},
		"Registry":    {sets + "names (state/v1/registry.go:9, set at state/v1/registry.go:14)"},
		"Clock":       {"depends on the clock: time.Now (state/v1/clock.go:11)"},
		"Environment": {"depends on the environment: os.Getenv (state/v1/environment.go:11)"},
		"Files":       {"depends on files: os.ReadFile (state/v1/files.go:12)"},
		"Random":      {"depends on randomness: math/rand/v2.Int (state/v1/random.go:12)"},
		"Machine":     {"depends on the machine: runtime.GOOS (state/v1/machine.go:17)"},
		"Contextual":  {"depends on values of the context: context.Context.Value (state/v1/contextual.go:17)"},
		"More":        {sets + "more (state/v1/more.go:9, set at state/v1/more.go:12)"},
		"Default":     nil, "Locked": nil, "Tests": nil, "Dead": nil, "Uncalled": nil, "Initial": nil, "Blank": nil, "Read": nil, "Plugin": nil,
	}
	if len(kinds) != len(want) {
		t.Errorf("there are %d kinds, not %d", len(kinds), len(want))
	}
	for name, lines := range want {
		if got := depends(t, p, kinds[name]); !slices.Equal(got, lines) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(lines, "\n"))
		}
	}
}

// TestSetUp reports the state that the set-up code does not set.
func TestSetUp(t *testing.T) {
	p, kinds := loadState(t, "testdata/setup/setup.go")
	for name, want := range map[string]int{"Setter": 0, "Assigned": 0, "Hook": 0, "Field": 0, "Registry": 0, "Contextual": 0, "Flag": 1, "Clock": 1, "More": 1} {
		if got := depends(t, p, kinds[name]); len(got) != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := project.Context(kinds["Contextual"]); got != "SetUpContext(context.Background())" {
		t.Errorf("the context is %s", got)
	}
	for text, want := range map[string]string{
		"package main\n\nfunc init() {}\nfunc SetUp() {}\n":                  "setup.go has an init function, which would run after the conversions are registered: name it SetUp",
		"package main\n\nvar A = 1\n":                                        "setup.go has neither func SetUp() nor func SetUpContext(context.Context) context.Context: write what the operator's main does before it converts",
		"package main\n\nfunc SetUp() error { return nil }\n":                "setup.go: SetUp must be a func(), not a func() error",
		"package setup\n\nfunc SetUp() {}\n":                                 "setup.go must be of package main, not setup",
		"package main\n\nfunc SetUp() { undefined() }\n":                     "setup.go does not compile: undefined: undefined",
		"package main\n\nfunc SetUpContext(ctx int) (c int)  { return 0 }\n": "setup.go: SetUpContext must be a func(context.Context) context.Context, not a func(int) int",
	} {
		dir := copyOperator(t)
		name := filepath.Join(t.TempDir(), "any.go")
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := operator.Load(context.Background(), operator.Workplace{Dir: dir, Patterns: []string{"./conversion"}, SetUp: name})
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestEffects copies initialisers that work by calling functions, and no others.
func TestEffects(t *testing.T) {
	p, kinds := loadState(t, "")
	for name, test := range map[string]struct{ with, without, imports string }{
		"Initial": {with: "func init() { fill() }", without: "learn(", imports: "[example.com/operator/state/v1]"},
		"Blank":   {with: `var _ = learn("a")`, without: "fill()", imports: "[example.com/operator/state/v1]"},
		"Plugin":  {with: "func init() { register() }", without: "fill()", imports: "[example.com/operator/state/plugin]"},
		"Read":    {without: "func init()", imports: "[]"},
	} {
		x, _, err := extract.Kind(p, kinds[name])
		if err != nil {
			t.Fatal(err)
		}
		files, err := x.Files()
		if err != nil {
			t.Fatal(err)
		}
		all := ""
		for _, f := range files {
			all += string(f.Text)
		}
		if !strings.Contains(all, test.with) || test.without != "" && strings.Contains(all, test.without) || fmt.Sprint(x.Effectful()) != test.imports {
			t.Errorf("%s: imported for their effects are %s, copied is\n%s", name, x.Effectful(), all)
		}
	}
}
