package oracle

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/template"

	"github.com/crosswalk-gateway/crosswalk/test/operators/list"
)

// source is what the programs in testdata need to know of a kind.
type source struct {
	Kind, Hub string
	// Packages are the versions' packages, and Conversion the one with converters, if any.
	Packages   []string
	Conversion string
	// Add names each package's function that registers its types in a scheme. It is empty if an init
	// function registers them in client-go's, which Registered reports.
	Add        []string
	Registered bool
	// Registry reports whether controller-runtime's webhook takes converters.
	Registry bool
}

var (
	addToScheme   = regexp.MustCompile(`(?m)^\s*(func )?AddToScheme\b`)
	schemeBuilder = regexp.MustCompile(`(?m)^(var )?\s*SchemeBuilder\b`)
)

// build builds the webhook of a kind in a module with the versions of the operator's go.mod. sources are
// directories with samples, words and constants.
func build(t *testing.T, o list.Operator, served webhook) (program string, sources []string) {
	t.Helper()
	module := moduleOf(t, o)
	var downloaded struct{ GoMod, Dir string }
	decode(t, run(t, ".", nil, "go", "mod", "download", "-json", module+"@"+o.Version), &downloaded)
	dir := t.TempDir()
	runtime := require(t, filepath.Join(dir, "go.mod"), module, o.Version, downloaded.GoMod)
	if sum, err := os.ReadFile(filepath.Join(downloaded.Dir, "go.sum")); err == nil {
		write(t, filepath.Join(dir, "go.sum"), sum)
	}
	of := source{Kind: o.Kind, Hub: served.hub, Packages: o.Packages, Registry: runtime >= 23}
	if o.Form == list.Converter {
		of.Packages, of.Conversion = o.Packages[:len(o.Packages)-1], o.Packages[len(o.Packages)-1]
	}
	of.Add = make([]string, len(of.Packages))
	for i, p := range of.Packages {
		in := strings.TrimSpace(string(run(t, dir, nil, "go", "list", "-mod=mod", "-f", "{{.Dir}}", p)))
		sources = append(sources, in)
		files, _ := filepath.Glob(filepath.Join(in, "*.go"))
		for _, file := range files {
			text, err := os.ReadFile(file)
			switch {
			case err != nil:
				t.Fatal(err)
			case addToScheme.Match(text):
				of.Add[i] = "AddToScheme"
			case of.Add[i] == "" && schemeBuilder.Match(text):
				of.Add[i] = "SchemeBuilder.AddToScheme"
			}
		}
		of.Registered = of.Registered || of.Add[i] == ""
	}
	compile(t, dir, of, served, o.Packages)
	all := strings.Fields(string(run(t, dir, nil, "go", append([]string{"list", "-mod=mod", "-deps", "-f", "{{if not .Standard}}{{.Dir}}{{end}}"}, o.Packages...)...)))
	separator := string(filepath.ListSeparator)
	return filepath.Join(dir, "webhook"), []string{downloaded.Dir, strings.Join(sources, separator), strings.Join(all, separator)}
}

// compile writes the program for a kind beside a go.mod, and builds it with counters for the blocks of
// the operator's packages.
func compile(t *testing.T, dir string, of source, served webhook, packages []string) {
	t.Helper()
	files := []string{"oracle", "difference", "generate", "fill", "kind", cmp.Or(served.handler, "webhook")}
	if served.hub != "" {
		files[5] = "knative"
	}
	for _, name := range []string{served.setUp, served.objects} {
		if name != "" {
			files = append(files, name)
		}
	}
	for i, name := range files {
		var text bytes.Buffer
		if err := template.Must(template.ParseFiles(filepath.Join("testdata", name+".go.txt"))).Execute(&text, of); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, fmt.Sprintf("%d.go", i)), text.Bytes())
	}
	run(t, dir, nil, "go", "build", "-mod=mod", "-cover", "-coverpkg=oracle,"+strings.Join(packages, ","), "-o", "webhook", ".")
}

// require writes a go.mod with the versions of the operator's go.mod, and returns the minor version of
// controller-runtime. A published module lacks the directories by which it replaces others: these have
// the operator's version.
func require(t *testing.T, name, module, version, from string) (runtime int) {
	t.Helper()
	var mod struct {
		Require []struct{ Path, Version string }
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
		Exclude []struct{ Path, Version string }
	}
	decode(t, run(t, ".", nil, "go", "mod", "edit", "-json", from), &mod)
	var text strings.Builder
	fmt.Fprintf(&text, "module oracle\n\ngo 1.26.0\n\nrequire %s %s\n", module, version)
	replaced := map[string]string{}
	for _, r := range mod.Replace {
		if replaced[r.Old.Path] = r.New.Version; r.New.Version != "" {
			fmt.Fprintf(&text, "replace %s %s => %s %s\n", r.Old.Path, r.Old.Version, r.New.Path, r.New.Version)
		}
	}
	for _, r := range mod.Require {
		if by, ok := replaced[r.Path]; ok && by == "" {
			r.Version = version
		}
		fmt.Fprintf(&text, "require %s %s\n", r.Path, r.Version)
		if r.Path == "sigs.k8s.io/controller-runtime" {
			_, _ = fmt.Sscanf(cmp.Or(replaced[r.Path], r.Version), "v0.%d", &runtime)
		}
	}
	for _, e := range mod.Exclude {
		fmt.Fprintf(&text, "exclude %s %s\n", e.Path, e.Version)
	}
	write(t, name, []byte(text.String()))
	return runtime
}

// moduleOf returns the path of the operator's module: the shortest prefix of a package's path that the
// proxy has in the version.
func moduleOf(t *testing.T, o list.Operator) string {
	t.Helper()
	parts := strings.Split(o.Packages[0], "/")
	for n := 2; n <= len(parts); n++ {
		path := strings.Join(parts[:n], "/")
		if n == 2 && parts[0] == "github.com" {
			continue
		}
		if exec.Command("go", "mod", "download", path+"@"+o.Version).Run() == nil {
			return path
		}
	}
	t.Fatalf("no module has %s", o.Packages[0])
	return ""
}
