// Package project writes the Go module around the copied declarations, and builds it.
package project

import (
	"bytes"
	"fmt"
	"go/format"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// Project is the data of the templates.
type Project struct {
	discover.Resource
	Module   string   // file name
	Tags     string   // of the build
	Metadata []string // that the module decodes; nil: all
	Command  string   // that made the project
	SetUp    bool     // the set-up code has a function to call
	Imports  []string // packages with initialisers that change what conversions read
	Exact    bool     // objects are decoded by sigs.k8s.io/json, as in the operator's webhook
}

// kubeJSON decodes the objects of controller-runtime's webhooks.
const kubeJSON = "sigs.k8s.io/json"

// IsExact reports whether the operator's webhook decodes objects by sigs.k8s.io/json: knative's has
// encoding/json.
func IsExact(k discover.Resource, p *operator.Program) bool {
	return k.Form != discover.FormKnative && k.Form != discover.FormUnstructured && p.All[kubeJSON] != nil
}

// importNames gives each package of the versions, and of conversion functions, a name.
type importNames map[string]string

func Imports(k discover.Resource) importNames {
	names := importNames{}
	add := func(pkg *types.Package) {
		if names[pkg.Path()] != "" {
			return
		}
		name := pkg.Name()
		for slices.ContainsFunc(mapValues(names), func(used string) bool { return used == name }) || slices.Contains([]string{"kubebuilder", "context", "kubejson"}, name) {
			name += "x"
		}
		names[pkg.Path()] = name
	}
	if k.Form == discover.FormUnstructured {
		names[discover.UnstructuredPackage], names[discover.KubeRuntime], names[discover.KubeUtilJSON] = "unstructured", "runtime", "utiljson" // names that others must not have
		defer func() {
			delete(names, discover.UnstructuredPackage)
			delete(names, discover.KubeRuntime)
			delete(names, discover.KubeUtilJSON)
		}()
	}
	for _, v := range k.Versions() {
		add(v.Named.Obj().Pkg())
		if (k.Form == discover.FormFunctions || k.Form == discover.FormConverters) && v.To != nil {
			add(v.To.Pkg())
			add(v.From.Pkg())
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
func (n importNames) typeName(v discover.Version) string {
	return n[v.Named.Obj().Pkg().Path()] + "." + v.Named.Obj().Name()
}

// Functions returns the two function literals that convert a spoke to the hub and from it.
func Functions(k discover.Resource, n importNames, v discover.Version) string {
	spoke, hub := n.typeName(v), n.typeName(k.Hub)
	to, from := "spoke.ConvertTo(hub)", "spoke.ConvertFrom(hub)"
	switch k.Form {
	case discover.FormKnative:
		to, from = "spoke.ConvertTo("+Context(k)+", hub)", "spoke.ConvertFrom("+Context(k)+", hub)"
		if k.HubAt != "" {
			to, from = "hub.ConvertFrom("+Context(k)+", spoke)", "hub.ConvertTo("+Context(k)+", spoke)"
		}
	case discover.FormConverters:
		to, from = n.Call(v.To)+"("+Context(k)+", spoke, hub)", n.Call(v.From)+"("+Context(k)+", hub, spoke)"
	case discover.FormUnstructured:
		return unstructuredFunctions(spoke, hub, Context(k))
	case discover.FormFunctions:
		to = fmt.Sprintf("%s.%s(spoke, hub%s)", n[v.To.Pkg().Path()], v.To.Name(), scope(v.To))
		from = fmt.Sprintf("%s.%s(hub, spoke%s)", n[v.From.Pkg().Path()], v.From.Name(), scope(v.From))
	}
	return fmt.Sprintf("func(spoke *%s, hub *%s) error { return %s },\nfunc(hub *%s, spoke *%s) error { return %s }", spoke, hub, to, hub, spoke, from)
}

// withDefaults returns the expression for a version, with its SetDefaults.
func withDefaults(k discover.Resource, n importNames, pkg string, v discover.Version, expression string) string {
	if v.Defaults == nil {
		return expression
	}
	return fmt.Sprintf("%s.WithDefaults(%s, func(o *%s) { o.SetDefaults(%s) })", pkg, expression, n.typeName(v), Context(k))
}

// Context returns the expression for the context of conversions.
func Context(k discover.Resource) string {
	if k.SetUpContext {
		return operator.SetUpContext + "(context.Background())"
	}
	return "context.Background()"
}

// scope returns the argument for a conversion function's scope, if it has one. conversion-gen's
// functions only pass it on.
func scope(f *types.Func) string {
	if discover.Parameters(f) == 3 {
		return ", nil"
	}
	return ""
}

// standard returns the imports of the standard library in main.go.
func (p Project) standard(n importNames) string {
	lines := ""
	if p.Form == discover.FormKnative || p.Form == discover.FormConverters || p.Form == discover.FormUnstructured {
		lines = "\t\"context\"\n"
	}
	if linked(p.Resource, n) != "" {
		lines += "\t_ \"unsafe\" // for go:linkname\n"
	}
	if lines != "" {
		lines += "\n"
	}
	return lines
}

// importsOfMain returns the other imports of main.go.
func (p Project) importsOfMain(n importNames) string {
	lines := used(p.Resource, n, true).linesWith(p.Imports)
	if p.Form == discover.FormUnstructured {
		lines += fmt.Sprintf("\t%q\n\t%q\n\tutiljson %q\n", discover.UnstructuredPackage, discover.KubeRuntime, discover.KubeUtilJSON)
	}
	return lines
}

// importsOfTest returns the imports of adopt_test.go.
func (p Project) importsOfTest(n importNames) string {
	lines := used(p.Resource, n, false).lines()
	if p.Exact {
		lines += fmt.Sprintf("\tkubejson %q\n", kubeJSON)
	}
	if p.Form == discover.FormUnstructured {
		lines += fmt.Sprintf("\tutiljson %q\n", discover.KubeUtilJSON)
	}
	return lines
}

// WriteProject writes the files beside the vendor tree.
func WriteProject(dir string, p Project) error {
	names := Imports(p.Resource)
	var main, test bytes.Buffer
	fmt.Fprintf(&main, "// Command %s converts %s.%s with the operator's own Go code. Written by crosswalk adopt. DO NOT EDIT.\npackage main\n\nimport (\n%s%s\n\t\"%s/kubebuilder\"\n)\n\n",
		strings.ToLower(p.Name), p.Name, p.Group, p.standard(names), p.importsOfMain(names), gocmd.SDKPackage)
	call := ""
	if p.SetUp {
		call = "\t" + operator.SetUpName + "() // of setup.go\n"
	}
	fmt.Fprintf(&main, "func init() {\n"+call+"\tkubebuilder.Register(kubebuilder.Kind{\n\t\tHub: %s,\n\t\tSpokes: []kubebuilder.Version{\n",
		withDefaults(p.Resource, names, "kubebuilder", p.Hub, fmt.Sprintf("kubebuilder.HubType[%s](%q)", names.typeName(p.Hub), p.Hub.APIVersion)))
	for _, v := range p.Spokes {
		fmt.Fprintf(&main, "%s,\n", withDefaults(p.Resource, names, "kubebuilder", v, fmt.Sprintf("kubebuilder.SpokeFunc(%q,\n%s)", v.APIVersion, Functions(p.Resource, names, v))))
	}
	main.WriteString("\t\t},\n" + unmarshal(p.Resource))
	if p.Exact {
		main.WriteString("\t\tExact: true,\n")
	}
	if p.Metadata != nil {
		fmt.Fprintf(&main, "\t\tMetadata: %#v, // which the conversions read beside labels and annotations\n", p.Metadata)
	}
	main.WriteString("\t})\n}\n\nfunc main() {}\n" + linked(p.Resource, names) + helpers(p.Resource))

	context := ""
	if p.Form == discover.FormKnative || p.Form == discover.FormConverters || p.Form == discover.FormUnstructured {
		context = "\t\"context\"\n"
	}
	fmt.Fprintf(&test, "// Written by crosswalk adopt. DO NOT EDIT.\npackage main\n\nimport (\n%s\t\"testing\"\n\n%s\n\t\"%s/kubebuilder/adopttest\"\n)\n\n", context, p.importsOfTest(names), gocmd.SDKPackage)
	fmt.Fprintf(&test, "// TestEqual compares the module with the operator's own code. Run it with make test.\nfunc TestEqual(t *testing.T) {\n\tadopttest.Run(t, adopttest.Kind{\n\t\tName: %q, Module: %q,\n\t\tHub: %s,\n\t\tSpokes: []adopttest.Version{\n",
		p.Name, p.Module, withDefaults(p.Resource, names, "adopttest", p.Hub, fmt.Sprintf("adopttest.Hub[%s](%q)", names.typeName(p.Hub), p.Hub.APIVersion)))
	for _, v := range p.Spokes {
		fmt.Fprintf(&test, "%s,\n", withDefaults(p.Resource, names, "adopttest", v, fmt.Sprintf("adopttest.Spoke(%q,\n%s)", v.APIVersion, Functions(p.Resource, names, v))))
	}
	test.WriteString("\t\t},\n" + unmarshal(p.Resource))
	if p.Form == discover.FormMethods || p.Form == discover.FormConverters {
		test.WriteString("\t\tTypeMeta: true,\n")
	}
	if p.Exact {
		test.WriteString("\t\tUnmarshal: kubejson.UnmarshalCaseSensitivePreserveInts,\n")
	}
	test.WriteString("\t})\n}\n")

	for name, text := range map[string][]byte{"main.go": main.Bytes(), "adopt_test.go": test.Bytes()} {
		formatted, err := format.Source(text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := gocmd.WriteFile(filepath.Join(dir, name), formatted); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{"Makefile": makefile, "README.md": readme} {
		var b bytes.Buffer
		if err := template.Must(template.New(name).Parse(text)).Execute(&b, p); err != nil {
			return err
		}
		if err := gocmd.WriteFile(filepath.Join(dir, name), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

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

const readme = `# {{.Resource.Name}}.{{.Resource.Group}}

A Crosswalk module that converts {{.Resource.Name}} with the operator's own Go code. Everything here is written by

    crosswalk {{.Command}}

Run the command again after a change of the operator's conversions or types; ` + "`make check`" + ` says whether there was one.

- ` + "`vendor/`" + ` has the declarations that the conversions need, copied from the operator and its dependencies.
- ` + "`make build`" + ` builds {{.Module}}.
- ` + "`make test`" + ` compares the module with the operator's code: random objects for each pair of versions, objects with one member
  absent or null, and fragments.
- ` + "`adopt.lock`" + ` has the checksum of each source file that something was copied from.
`

// unstructuredFunctions returns the function literals that call unstructured methods as a webhook
// does: with the object that is converted.
func unstructuredFunctions(spoke, hub, context string) string {
	return fmt.Sprintf(`func(spoke *%[1]s, hub *%[2]s) error {
		object, err := unstructuredOf(spoke)
		if err == nil {
			err = spoke.ConvertTo(%[3]s, object)
		}
		if err != nil {
			return err
		}
		text, err := utiljson.Marshal(object.Object) // the converter would allocate embedded pointers, whose members are then null
		if err != nil {
			return err
		}
		return utiljson.Unmarshal(text, hub)
	},
	func(hub *%[2]s, spoke *%[1]s) error {
		object, err := unstructuredOf(hub)
		if err != nil {
			return err
		}
		return spoke.ConvertFrom(%[3]s, object)
	}`, spoke, hub, context)
}

// unmarshal returns the member of a Kind that decodes objects: apimachinery's converter allocates
// embedded pointers, where encoding/json leaves them nil. Its error refuses the object. Shipwright's
// webhook logs the error, and converts the part that was decoded before it.
func unmarshal(k discover.Resource) string {
	if k.Form != discover.FormUnstructured {
		return ""
	}
	return "\t\tUnmarshal: unmarshal,\n"
}

// helpers returns the functions of main.go that unstructuredFunctions calls.
func helpers(k discover.Resource) string {
	if k.Form != discover.FormUnstructured {
		return ""
	}
	return `
func unstructuredOf(object any) (*unstructured.Unstructured, error) {
	members, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	return &unstructured.Unstructured{Object: members}, err
}

// unmarshal decodes an object as the operator's webhook does, which has it unstructured.
func unmarshal(text []byte, object any) error {
	var members map[string]any
	if err := utiljson.Unmarshal(text, &members); err != nil {
		return err
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(members, object)
}
`
}
