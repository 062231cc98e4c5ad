package adopt

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/project"
)

const converters = "testdata/converters"

// loadConverters loads packages of testdata/converters, and those that were found to make
// converters.
func loadConverters(t *testing.T, found ...string) *operator.Program {
	t.Helper()
	for i := range found {
		found[i] = "example.com/converters/" + found[i]
	}
	p, err := operator.Load(context.Background(), operator.Workplace{Dir: converters, Patterns: []string{"./api/v1", "./api/v2"}, Converters: found, Roots: []string{gocmd.Absolute(converters)}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFindConverters(t *testing.T) {
	got := map[string]string{}
	kinds, notes := discover.Find(loadConverters(t, "internal/webhook"))
	const literal = "example.com/converters/internal/webhook (webhook.go:34) passes a function literal to NewSpokeConverter, which has no name that a module can call: make it a function of the package"
	for _, k := range kinds {
		if k.Name == "Literal" && (k.Problem == nil || k.Problem.Error() != literal) {
			t.Errorf("%s: got %v, want %s", k.Name, k.Problem, literal)
		}
		if k.Form == discover.FormConverters && k.Problem == nil {
			names := project.Imports(k)
			got[k.File()] = names.Call(k.Spokes[0].To) + " " + names.Call(k.Spokes[0].From)
		}
	}
	want := map[string]string{
		"Exported.tools.example.com_v2_v1.wasm": "webhook.ConvertV1ToHub webhook.ConvertHubToV1",
		"Lower.tools.example.com_v2_v1.wasm":    "webhook_lowerToHub webhook_lowerToV1",
	}
	for name, calls := range want {
		if got[name] != calls {
			t.Errorf("%s is converted by %q, want %q", name, got[name], calls)
		}
	}
	if len(got) != len(want) || len(notes) > 0 {
		t.Errorf("found %v, %q", got, notes)
	}
}

// TestRefusedConverters refuses functions whose values only the running operator has, and
// conversion-gen's functions that are parts.
func TestRefusedConverters(t *testing.T) {
	const path = "example.com/converters/"
	kinds, _ := discover.Find(loadConverters(t, "refused", "variable"))
	got := map[string]string{}
	for _, k := range kinds {
		if k.Problem != nil {
			got[k.Name] = k.Problem.Error()
		}
	}
	for name, want := range map[string]string{
		"Captured": path + "refused (refused.go:23) passes a function literal to NewSpokeConverter, which has no name that a module can call: make it a function of the package",
		"Method":   path + "refused (refused.go:28) passes the method c.toV1 to NewSpokeConverter, which uses its receiver c: its value is known only when the operator runs; make it a function of the package that does not need it",
		"Value":    path + "refused (refused.go:29) passes value to NewSpokeConverter: only a function of a package can be adopted; the value of this expression is known only when the operator runs",
		"Variable": path + "variable (variable.go:14) passes spokes to NewHubSpokeConverter, and adopt finds the conversion functions only in calls of NewSpokeConverter between its parentheses",
		"Custom":   path + "variable (custom.go:12) passes custom{} to NewHubSpokeConverter, and adopt finds the conversion functions only in calls of NewSpokeConverter between its parentheses",
		"Part":     "conversion-gen's functions are only parts of a conversion: parts/parts.go:11 calls one, and may do more; name the package that has the whole conversion, with ConvertTo and ConvertFrom or with NewSpokeConverter",
		"Exported": "conversion-gen's functions are only parts of a conversion: internal/webhook/webhook.go:19 calls one, and may do more; name the package that has the whole conversion, with ConvertTo and ConvertFrom or with NewSpokeConverter (other callers: internal/webhook/webhook.go:27)",
	} {
		if got[name] != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got[name], want)
		}
	}
	if len(got) != 7 {
		t.Errorf("refused are %d kinds: %v", len(got), got)
	}
}

// TestConvertersAreFoundBesideTheNamedPackages names the packages of the types only.
func TestConvertersAreFoundBesideTheNamedPackages(t *testing.T) {
	source := copiedDir(t, converters)
	t.Chdir(source)
	for _, test := range []struct {
		patterns []string
		want     string
	}{
		{[]string{"./api/v1", "./api/v2"}, "example.com/converters/internal/webhook example.com/converters/refused example.com/converters/variable"},
		{[]string{"./api/v1", "./api/v2", "./refused", "./variable"}, "example.com/converters/internal/webhook"},
		{[]string{"./meta"}, ""},
	} {
		w, err := operator.Local(t.Context(), test.patterns, t.TempDir())
		if err == nil {
			w, err = w.WithConverters(t.Context(), t.TempDir())
		}
		if got := strings.Join(w.Converters, " "); err != nil || got != test.want {
			t.Errorf("%v: found %q, %v, want %q", test.patterns, got, err, test.want)
		}
	}
}

// TestConvertersInTheModuleAroundTheTypes has the types in a module within that of the converters,
// whose go.mod replaces it by its directory.
func TestConvertersInTheModuleAroundTheTypes(t *testing.T) {
	source := copiedDir(t, converters)
	for name, text := range map[string]string{
		"api/go.mod":  "module example.com/converters/api\n\ngo 1.24\n\nrequire example.com/converters/meta v0.0.0\n\nreplace example.com/converters/meta => ../meta\n",
		"meta/go.mod": "module example.com/converters/meta\n\ngo 1.24\n",
		"go.mod": "module example.com/converters\n\ngo 1.24\n\nrequire (\n\texample.com/converters/api v0.0.0\n\texample.com/converters/meta v0.0.0\n)\n\n" +
			"replace (\n\texample.com/converters/api => ./api\n\texample.com/converters/meta => ./meta\n)\n",
	} {
		if err := gocmd.WriteFile(filepath.Join(source, filepath.FromSlash(name)), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		dir      string
		patterns []string
	}{{".", []string{"./api/v1", "./api/v2"}}, {"api", []string{"./v1", "./v2"}}} {
		t.Chdir(filepath.Join(source, test.dir))
		w, err := operator.Local(t.Context(), test.patterns, t.TempDir())
		if err == nil {
			w, err = w.WithConverters(t.Context(), t.TempDir())
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := operator.Load(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		kinds, notes := discover.Find(p)
		i := slices.IndexFunc(kinds, func(k discover.Resource) bool {
			return k.Name == "Lower" && k.Form == discover.FormConverters && k.Problem == nil
		})
		if i < 0 || w.Dir != source {
			t.Errorf("in %s: loaded in %s, found %v, %q", test.dir, w.Dir, kinds, notes)
		}
	}
}

// copiedDir copies a directory of testdata to a temporary one.
func copiedDir(t *testing.T, from string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestRunConverters builds the module and links the test of a kind whose converters have unexported
// functions.
func TestRunConverters(t *testing.T) {
	if testing.Short() {
		t.Skip("builds modules")
	}
	withoutZstd(t)
	source := copiedDir(t, converters)
	t.Chdir(source)
	for _, name := range []string{"refused", "variable"} {
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	o := Options{Packages: []string{"./api/v1", "./api/v2"}, Kind: "Lower", Dir: "lower", NoRun: true, Out: &out}
	if err := Run(t.Context(), o); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	text, err := os.ReadFile(filepath.Join(o.Dir, "main.go"))
	const want = "//go:linkname webhook_lowerToHub example.com/converters/internal/webhook.lowerToHub\n"
	if err != nil || !strings.Contains(string(text), want) {
		t.Errorf("main.go has no %q, %v:\n%s", want, err, text)
	}
	link := exec.Command("go", "test", "-mod=mod", "-vet=off", "-c", "-o", os.DevNull, ".")
	link.Dir = o.Dir
	if text, err := link.CombinedOutput(); err != nil {
		t.Errorf("the test does not link with the operator's own packages: %v: %s", err, text)
	}
	o.Check = true
	if err := Run(t.Context(), o); err != nil {
		t.Errorf("nothing has changed, but: %v", err)
	}
}
