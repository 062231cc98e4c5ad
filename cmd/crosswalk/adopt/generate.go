package adopt

import (
	"bytes"
	"fmt"
	"go/format"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

// project is the data of the templates.
type project struct {
	kind
	Module   string   // file name
	Tags     string   // of the build
	Opaque   []string // names of types
	Metadata []string // that the module decodes; nil: all
	Command  string   // that made the project
	SetUp    bool     // the set-up code has a function to call
	Imports  []string // packages with initialisers that change what conversions read
}

// importNames gives each package of the versions, and of conversion functions, a name.
type importNames map[string]string

func (k kind) imports() importNames {
	names := importNames{}
	add := func(pkg *types.Package) {
		if names[pkg.Path()] != "" {
			return
		}
		name := pkg.Name()
		for slices.ContainsFunc(mapValues(names), func(used string) bool { return used == name }) || name == "kubebuilder" || name == "context" {
			name += "x"
		}
		names[pkg.Path()] = name
	}
	if k.form == formUnstructured {
		names[unstructuredPackage], names[kubeRuntime], names[kubeUtilJSON] = "unstructured", "runtime", "utiljson" // names that others must not have
		defer func() { delete(names, unstructuredPackage); delete(names, kubeRuntime); delete(names, kubeUtilJSON) }()
	}
	for _, v := range k.versions() {
		add(v.named.Obj().Pkg())
		if (k.form == formFunctions || k.form == formConverters) && v.to != nil {
			add(v.to.Pkg())
			add(v.from.Pkg())
		}
	}
	return names
}

func mapValues(m importNames) (values []string) {
	for _, v := range m {
		values = append(values, v)
	}
	return values
}

func (n importNames) lines() string { return n.linesWith(nil) }

// linesWith returns the lines with those of blank imports.
func (n importNames) linesWith(blank []string) string {
	var lines []string
	for _, path := range blank {
		if n[path] == "" {
			lines = append(lines, fmt.Sprintf("\t_ %q\n", path))
		}
	}
	for path, name := range n {
		lines = append(lines, fmt.Sprintf("\t%s %q\n", name, path))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[strings.Index(a, `"`):], b[strings.Index(b, `"`):]) })
	return strings.Join(lines, "")
}

// typeName returns a version's type, as the generated code names it.
func (n importNames) typeName(v version) string {
	return n[v.named.Obj().Pkg().Path()] + "." + v.named.Obj().Name()
}

// functions returns the two function literals that convert a spoke to the hub and from it.
func (k kind) functions(n importNames, v version) string {
	spoke, hub := n.typeName(v), n.typeName(k.hub)
	to, from := "spoke.ConvertTo(hub)", "spoke.ConvertFrom(hub)"
	switch k.form {
	case formKnative:
		to, from = "spoke.ConvertTo("+k.context()+", hub)", "spoke.ConvertFrom("+k.context()+", hub)"
	case formConverters:
		to, from = n.call(v.to)+"("+k.context()+", spoke, hub)", n.call(v.from)+"("+k.context()+", hub, spoke)"
	case formUnstructured:
		return unstructuredFunctions(spoke, hub, k.context())
	case formFunctions:
		to = fmt.Sprintf("%s.%s(spoke, hub%s)", n[v.to.Pkg().Path()], v.to.Name(), scope(v.to))
		from = fmt.Sprintf("%s.%s(hub, spoke%s)", n[v.from.Pkg().Path()], v.from.Name(), scope(v.from))
	}
	return fmt.Sprintf("func(spoke *%s, hub *%s) error { return %s },\nfunc(hub *%s, spoke *%s) error { return %s }", spoke, hub, to, hub, spoke, from)
}

// withDefaults returns the expression for a version, with its SetDefaults.
func (k kind) withDefaults(n importNames, pkg string, v version, expression string) string {
	if v.defaults == nil {
		return expression
	}
	return fmt.Sprintf("%s.WithDefaults(%s, func(o *%s) { o.SetDefaults(%s) })", pkg, expression, n.typeName(v), k.context())
}

// context returns the expression for the context of conversions.
func (k kind) context() string {
	if k.setUpContext {
		return setUpContext + "(context.Background())"
	}
	return "context.Background()"
}

// scope returns the argument for a conversion function's scope, if it has one. conversion-gen's
// functions only pass it on.
func scope(f *types.Func) string {
	if parameters(f) == 3 {
		return ", nil"
	}
	return ""
}

// standard returns the imports of the standard library in main.go.
func (p project) standard(n importNames) string {
	lines := ""
	if p.form == formKnative || p.form == formConverters || p.form == formUnstructured {
		lines = "\t\"context\"\n"
	}
	if p.linked(n) != "" {
		lines += "\t_ \"unsafe\" // for go:linkname\n"
	}
	if lines != "" {
		lines += "\n"
	}
	return lines
}

// importsOfMain returns the other imports of main.go.
func (p project) importsOfMain(n importNames) string {
	lines := p.used(n, true).linesWith(p.Imports)
	if p.form == formUnstructured {
		lines += fmt.Sprintf("\t%q\n\t%q\n\tutiljson %q\n", unstructuredPackage, kubeRuntime, kubeUtilJSON)
	}
	return lines
}

// importsOfTest returns the imports of adopt_test.go.
func (p project) importsOfTest(n importNames) string {
	lines := p.used(n, false).lines()
	if p.form == formUnstructured {
		lines += fmt.Sprintf("\tutiljson %q\n", kubeUtilJSON)
	}
	return lines
}

// writeProject writes the files beside the vendor tree.
func writeProject(dir string, p project) error {
	names := p.imports()
	var main, test bytes.Buffer
	fmt.Fprintf(&main, "// Command %s converts %s.%s with the operator's own Go code. Written by crosswalk adopt. DO NOT EDIT.\npackage main\n\nimport (\n%s%s\n\t\"%s/kubebuilder\"\n)\n\n",
		strings.ToLower(p.name), p.name, p.group, p.standard(names), p.importsOfMain(names), sdkModule)
	call := ""
	if p.SetUp {
		call = "\t" + setUpName + "() // of setup.go\n"
	}
	fmt.Fprintf(&main, "func init() {\n"+call+"\tkubebuilder.Register(kubebuilder.Kind{\n\t\tHub: %s,\n\t\tSpokes: []kubebuilder.Version{\n",
		p.withDefaults(names, "kubebuilder", p.hub, fmt.Sprintf("kubebuilder.HubType[%s](%q)", names.typeName(p.hub), p.hub.apiVersion)))
	for _, v := range p.spokes {
		fmt.Fprintf(&main, "%s,\n", p.withDefaults(names, "kubebuilder", v, fmt.Sprintf("kubebuilder.SpokeFunc(%q,\n%s)", v.apiVersion, p.functions(names, v))))
	}
	main.WriteString("\t\t},\n" + p.unmarshal())
	if p.Metadata != nil {
		fmt.Fprintf(&main, "\t\tMetadata: %#v, // which the conversions read beside labels and annotations\n", p.Metadata)
	}
	main.WriteString("\t})\n}\n\nfunc main() {}\n" + p.linked(names) + p.helpers())

	context := ""
	if p.form == formKnative || p.form == formConverters || p.form == formUnstructured {
		context = "\t\"context\"\n"
	}
	fmt.Fprintf(&test, "// Written by crosswalk adopt. DO NOT EDIT.\npackage main\n\nimport (\n%s\t\"testing\"\n\n%s\n\t\"%s/kubebuilder/adopttest\"\n)\n\n", context, p.importsOfTest(names), sdkModule)
	fmt.Fprintf(&test, "// TestEqual compares the module with the operator's own code. Run it with make test.\nfunc TestEqual(t *testing.T) {\n\tadopttest.Run(t, adopttest.Kind{\n\t\tName: %q, Module: %q, Opaque: %#v,\n\t\tHub: %s,\n\t\tSpokes: []adopttest.Version{\n",
		p.name, p.Module, p.Opaque, p.withDefaults(names, "adopttest", p.hub, fmt.Sprintf("adopttest.Hub[%s](%q)", names.typeName(p.hub), p.hub.apiVersion)))
	for _, v := range p.spokes {
		fmt.Fprintf(&test, "%s,\n", p.withDefaults(names, "adopttest", v, fmt.Sprintf("adopttest.Spoke(%q,\n%s)", v.apiVersion, p.functions(names, v))))
	}
	test.WriteString("\t\t},\n" + p.unmarshal() + "\t})\n}\n")

	for name, text := range map[string][]byte{"main.go": main.Bytes(), "adopt_test.go": test.Bytes()} {
		formatted, err := format.Source(text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := writeFile(filepath.Join(dir, name), formatted); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{"Makefile": makefile, "README.md": readme} {
		var b bytes.Buffer
		if err := template.Must(template.New(name).Parse(text)).Execute(&b, p); err != nil {
			return err
		}
		if err := writeFile(filepath.Join(dir, name), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// Kind, Group, Hub and Spokes are for the templates.
func (p project) Kind() string  { return p.name }
func (p project) Group() string { return p.group }
func (p project) Hub() string   { return p.hub.apiVersion }

const makefile = `# Written by crosswalk adopt.
GO        ?= go
CROSSWALK ?= crosswalk
MODULE    := {{.Module}}

.PHONY: build
build: ## Build the module from vendor/
	GOOS=wasip1 GOARCH=wasm $(GO) build -mod=vendor -buildmode=c-shared -trimpath -buildvcs=false -ldflags='-s -w' {{with .Tags}}-tags={{.}} {{end}}-o $(MODULE) .

.PHONY: test
test: ## Compare the module with the operator's own code
	CROSSWALK=$(CROSSWALK) $(GO) test -mod=mod -count=1 .

.PHONY: check
check: ## Say whether the operator's code has changed since
	$(CROSSWALK) {{.Command}} --check
`

const readme = `# {{.Kind}}.{{.Group}}

A Crosswalk module that converts {{.Kind}} with the operator's own Go code. Everything here is written by

    crosswalk {{.Command}}

Run the command again after a change of the operator's conversions or types; ` + "`make check`" + ` says whether there was one.

- ` + "`vendor/`" + ` has the declarations that the conversions need, copied from the operator and its dependencies.{{if .Opaque}} Types that no
  conversion looks into are opaque there: the module carries their JSON text as it is. Unknown fields inside survive.{{end}}
- ` + "`make build`" + ` builds {{.Module}}.
- ` + "`make test`" + ` compares the module with the operator's code: random objects for each pair of versions, objects with one member
  absent or null, and fragments.
- ` + "`adopt.lock`" + ` has the checksum of each source file that something was copied from.
`
