// Package list names operators of the field whose Go modules the Go module proxy has, for the table in
// docs/author/operators.md and for the tests.
package list

// Form is the way in which an operator's code converts a kind.
type Form string

// The forms of conversion.
const (
	// Methods are controller-runtime's: Hub, ConvertTo(hub) and ConvertFrom(hub).
	Methods Form = "methods"
	// Context is knative's: the same methods with a context, and SetDefaults on the result.
	Context Form = "methods with a context"
	// Functions are conversion-gen's, or functions that are registered in a scheme.
	Functions Form = "functions"
	// Converter is controller-runtime's since 0.23: NewSpokeConverter with two functions.
	Converter Form = "NewSpokeConverter"
	// Unstructured are methods with a context and an *unstructured.Unstructured.
	Unstructured Form = "unstructured"
)

// Operator is a kind of an operator, and how crosswalk adopt gets its conversions.
type Operator struct {
	Name, Version, Kind string
	Form                Form
	// Packages are import paths without the version. A package of another module version has it: path@version.
	Packages []string
	// SetUp is a file in testdata that does the part of the operator's main on which the conversions
	// depend. It is empty if they depend on none.
	SetUp string
	// Accept is a file in testdata with lines for adopt.lock, by which a person takes responsibility.
	Accept string
	// Test reports whether the kind is in make test-adopt, which has at least one of each form.
	Test bool
	// Note is a sentence for readers of the table.
	Note string
}

// Title names a kind: no other kind in the list has the same.
func (o Operator) Title() string { return o.Name + " " + o.Version + " " + o.Kind }

// Arguments returns the packages with their versions, as crosswalk adopt takes them.
func (o Operator) Arguments() []string {
	args := make([]string, 0, len(o.Packages))
	for _, p := range o.Packages {
		if !hasVersion(p) {
			p += "@" + o.Version
		}
		args = append(args, p)
	}
	return args
}

func hasVersion(path string) bool {
	for i := range path {
		if path[i] == '@' {
			return true
		}
	}
	return false
}

// under returns packages below one path.
func under(path string, versions ...string) []string {
	packages := make([]string, 0, len(versions))
	for _, v := range versions {
		packages = append(packages, path+"/"+v)
	}
	return packages
}
