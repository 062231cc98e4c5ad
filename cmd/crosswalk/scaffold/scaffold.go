// Package scaffold writes the files of a new converter: a project that builds and passes its own tests at once.
//
// A language is a directory of templates: the files of one are those in common and those in the language's own directory (and for TinyGo, Go's),
// less the ending .tmpl. Each project has a Makefile with the targets toolchain (says what is missing, and fails), build (to build/), and test.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// Project is what the templates are filled in with.
type Project struct {
	Kind, Group string
	Versions    []string // two at least, in the order of the module's name
	SDK         string   // absolute path of the directory with the SDKs
	Program     string   // absolute path of crosswalk, for where it is not on the PATH
	Differences []Difference

	// Declarations are the fields that the converter declares, one for each version; none if it is shown whole objects.
	Declarations []Declaration

	language string
}

// Difference is what changes from one version to another.
type Difference struct {
	From, To string   // versions
	Gone     []string // fields that only From has: ".spec.host (a string)"
	New      []string // fields that only To has
	Changed  []string // fields whose type is another: ".spec.port (a string, then an integer)"
}

// Module is the module's file name without its ending.
func (p Project) Module() string {
	return p.Kind + "." + p.Group + "_" + strings.Join(p.Versions, "_")
}

// declaring are the languages whose templates declare fields in the code. For others, the sidecar does.
var declaring = [...]string{"assemblyscript", "c", "cpp", "go", "javascript", "rust", "tinygo", "zig"}

// templatesOf returns the directories with the templates of a language; those of a later one take the place of others of the same name.
func templatesOf(language string) []string {
	if language == "tinygo" {
		return []string{"common", "go", language} // the same code, built otherwise
	}
	return []string{"common", language}
}

// InSidecar returns the fields that the sidecar has to declare.
func (p Project) InSidecar() []Declaration {
	if slices.Contains(declaring[:], p.language) {
		return nil
	}
	return p.Declarations
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

// Camel is the direction as a name in the style of fooToBar: v1beta1ToV1.
func (d Direction) Camel() string { return identifier(d.From) + "To" + upper(identifier(d.To)) }

// Snake is the direction as a name in the style of foo_to_bar.
func (d Direction) Snake() string { return identifier(d.From) + "_to_" + identifier(d.To) }

// Notes are lines for a comment on what the conversion has to do; none if nothing is known of the versions' fields.
func (d Direction) Notes() []string {
	if d.Difference == nil {
		return nil
	}
	const most = 40 // lines that somebody reads
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
			lines = append(lines, "  "+f)
		}
	}
	if lines == nil {
		lines = []string{"the schemas of both versions name the same fields"}
	}
	return lines
}

// identifier is a version as a word that every language takes for a name.
func identifier(version string) string { return strings.ReplaceAll(version, "-", "") }

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Languages returns the languages that there are templates for, sorted.
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

// Write writes a project for a language to dir, which must not exist or be empty, and returns the files' names, sorted.
//
// # Errors
//
// The error names the language, the directory, or the file that could not be written. Nothing is written unless all files could be made.
func Write(dir, language string, p Project) (names []string, err error) {
	if !slices.Contains(Languages(), language) {
		return nil, fmt.Errorf("no project can be made for language %q: there are %s", language, strings.Join(Languages(), ", "))
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("%s is not empty: name a directory that does not exist yet", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	files := map[string][]byte{}
	p.language = language
	for _, from := range templatesOf(language) {
		if err := p.render(files, path.Join("templates", from)); err != nil {
			return nil, err
		}
	}
	for name, content := range files {
		target := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

// copies is the template that lists files of the SDK that a project has copies of, one a line: c/crosswalk.h crosswalk.h.
const copies = "copies.tmpl"

// render fills in the templates of one directory.
func (p Project) render(files map[string][]byte, root string) error {
	return fs.WalkDir(templates, root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := templates.ReadFile(file)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(file, root+"/")
		content, err := p.fill(name, string(text))
		if err != nil {
			return err
		}
		if name == copies {
			return p.copy(files, string(content))
		}
		name = strings.TrimSuffix(name, ".tmpl")
		name = strings.ReplaceAll(name, "MODULE", p.Module()) // files that are named for the module
		if base, hidden := strings.CutPrefix(path.Base(name), "dot."); hidden {
			name = path.Join(path.Dir(name), "."+base)
		}
		files[name] = content
		return nil
	})
}

func (p Project) fill(name, text string) ([]byte, error) {
	t, err := template.New(name).Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (p Project) copy(files map[string][]byte, list string) error {
	for line := range strings.Lines(list) {
		from, to, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		content, err := os.ReadFile(filepath.Join(p.SDK, filepath.FromSlash(from)))
		if err != nil {
			return fmt.Errorf("--sdk %s: %w", p.SDK, err)
		}
		files[to] = content
	}
	return nil
}
