// Package scaffold writes the files of a new converter: a project that builds and passes its own
// tests at once.
//
// Each language has a directory of templates. A project consists of the files in common and those
// in the language's directory, without the extension .tmpl. Its Makefile has the targets toolchain
// (fails and names the missing tools), build (into build/) and test.
package scaffold

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Site is the address of the repository, for readers who have only a release.
const Site = "https://github.com/crosswalk-gateway/crosswalk"

//go:embed templates
var templates embed.FS

// Project is the data for the templates.
type Project struct {
	Kind, Group string
	Versions    []string // two at least, in the order of the module's name
	Differences []Difference

	// Definition is the name of the file with the CustomResourceDefinition, whose text is
	// DefinitionText; empty if there is none.
	Definition     string
	DefinitionText []byte

	language string // set by Write

	// Declarations are the fields that the converter declares, one for each version; none if it is
	// shown whole objects.
	Declarations []Declaration
}

// Difference lists the differences between two versions.
type Difference struct {
	From, To string   // versions
	Gone     []string // fields that only From has: ".spec.host (a string)"
	New      []string // fields that only To has
	Changed  []string // fields whose type is another: ".spec.port (a string, then an integer)"
	Unread   int      // fields that are too deep or too many to be compared
}

// Module is the module's file name without its ending.
func (p Project) Module() string {
	return p.Kind + "." + p.Group + "_" + strings.Join(p.Versions, "_")
}

// Alike reports whether the schemas of all versions are known and have the same fields.
func (p Project) Alike() bool {
	for _, d := range p.Directions() {
		if d.Difference == nil || len(d.Difference.Gone)+len(d.Difference.New)+len(d.Difference.Changed) > 0 {
			return false
		}
	}
	return true
}

// Name is the project's name, in lower case.
func (p Project) Name() string { return strings.ToLower(p.Kind) }

// Direction is one conversion.
type Direction struct {
	From, To   string // versions
	Difference *Difference
}

// Directions lists every conversion that the module's name promises.
func (p Project) Directions() (all []Direction) {
	for _, from := range p.Versions {
		for _, to := range p.Versions {
			if from == to {
				continue
			}
			d := Direction{From: from, To: to}
			if i := slices.IndexFunc(p.Differences, func(d Difference) bool { return d.From == from && d.To == to }); i >= 0 {
				d.Difference = &p.Differences[i]
			}
			all = append(all, d)
		}
	}
	return all
}

// Camel returns the direction as a camel-case name: v1beta1ToV1.
func (d Direction) Camel() string { return identifier(d.From) + "To" + upper(identifier(d.To)) }

// Snake returns the direction as a snake-case name: v1beta1_to_v1.
func (d Direction) Snake() string { return identifier(d.From) + "_to_" + identifier(d.To) }

// Notes returns the lines of a comment that lists the fields to convert, or nil if the versions'
// fields are unknown.
func (d Direction) Notes() []string {
	if d.Difference == nil {
		return nil
	}
	const most = 40                                                       // lines that somebody reads
	inComment := strings.NewReplacer("*/", `*\/`, "\n", `\n`, "\r", `\r`) // a name may be anything, and must not end the comment
	var lines []string
	for _, part := range []struct {
		title  string
		fields []string
	}{
		{"only in " + d.From + ":", d.Difference.Gone},
		{"only in " + d.To + ":", d.Difference.New},
		{"of another type:", d.Difference.Changed},
	} {
		if len(part.fields) == 0 {
			continue
		}
		lines = append(lines, part.title)
		for i, f := range part.fields {
			if i == most {
				lines = append(lines, fmt.Sprintf("  and %d more", len(part.fields)-most))
				break
			}
			lines = append(lines, "  "+inComment.Replace(f))
		}
	}
	if d.Difference.Unread > 0 {
		lines = append(lines, fmt.Sprintf("%d fields were not compared: they are deeper than %d levels, or beyond the first %d", d.Difference.Unread, depth, mostField))
	}
	if lines == nil {
		lines = []string{"the schemas of both versions name the same fields"}
	}
	return lines
}

// identifier returns a version as a valid name in every language.
func identifier(version string) string { return strings.ReplaceAll(version, "-", "") }

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Languages returns the languages with templates, sorted.
func Languages() []string {
	entries, _ := templates.ReadDir("templates") // is in the binary
	var names []string
	for _, e := range entries {
		if e.Name() != "common" {
			names = append(names, e.Name())
		}
	}
	return names
}

// guide says in a project's README where the SDK of its language is described, and how a converter
// keeps all fields that the other version lacks.
type guide struct{ reference, lossless string }

var guides = map[string]guide{
	"assemblyscript": {"`sdk/assemblyscript/assembly`: begin with `value.ts` and `object.ts`", "`register(a, b, (o) => lossless(o, aToB, bToA))`"},
	"c":              {"`crosswalk.h`, `crosswalk_helpers.h` and `crosswalk_stash.h`", "`return cw_lossless(o, a_to_b, b_to_a);` as the whole body of a converter"},
	"cpp":            {"`crosswalk.hpp`", "`crosswalk::lossless<a_to_b, b_to_a>` in the table of conversions"},
	"go":             {"`go doc -all ./sdk/go`", "`crosswalk.Register(a, b, crosswalk.Lossless(aToB, bToA))`"},
	"javascript":     {"`types/crosswalk-javascript.d.ts`", "`register(a, b, lossless(aToB, bToA))`"},
	"rust":           {"`cargo doc --open --package crosswalk --target-dir build/rust`", "`crosswalk::lossless(o, a_to_b, b_to_a)` as the whole body of a converter"},
	"zig":            {"`sdk/zig/src`: begin with `Value.zig` and `edit.zig`", "`.convert = cw.lossless(aToB, bToA)`"},
}

// Reference says where the functions of the SDK are described.
func (p Project) Reference() string { return guides[p.language].reference }

// Lossless is the code of a converter that loses nothing.
func (p Project) Lossless() string { return guides[p.language].lossless }

// Page returns the address of a file of the repository. The project has no copy of it.
func (p Project) Page(file string) string { return Site + "/blob/main/" + file }

// List joins the versions as a sentence does: v1alpha1, v1beta1 and v1.
func (p Project) List() string {
	last := len(p.Versions) - 1
	return strings.Join(p.Versions[:last], ", ") + " and " + p.Versions[last]
}

// field is a field of Difference.Gone that a sample can have.
var field = regexp.MustCompile(`^\.spec\.([A-Za-z][A-Za-z0-9]*) \((a string|an integer|a number|a boolean)\)$`)

// Sample returns the spec of an object in the first version, as JSON: with a definition, it has
// some of the fields that the second version lacks.
func (p Project) Sample() string {
	if p.Definition == "" {
		return `{"example": "text", "number": 9007199254740993}`
	}
	const most = 5
	values := map[string]string{"a string": `"text"`, "an integer": "1", "a number": "1.5", "a boolean": "true"}
	var members []string
	if d := p.Directions()[0].Difference; d != nil {
		for _, gone := range d.Gone {
			if m := field.FindStringSubmatch(gone); m != nil && len(members) < most {
				members = append(members, fmt.Sprintf("%q: %s", m[1], values[m[2]]))
			}
		}
	}
	return "{" + strings.Join(members, ", ") + "}"
}
