package state

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/go/packages"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/calls"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// Settings of the operator's build: neither the module nor the comparison has the flags of its build.
const (
	linkerSets = "what the operator's build sets (-ldflags -X)"
	tagSets    = "a build tag"
)

// largestScript is the size up to which files are read for the linker's flags.
const largestScript = 1 << 20

// linkerFlags returns the string variables of called functions that the operator's build scripts
// set with -X.
func linkerFlags(c *calls.Calls, p *code.Placer) (list []Dependence, err error) {
	type variable struct {
		d     Dependence
		value *regexp.Regexp
	}
	var all []variable
	for g := range c.Globals {
		if t, ok := g.Object().(*types.Var); !ok || !isString(t.Type()) || c.Program.Units[t] == nil {
			continue
		}
		// The package's path may be a variable of the script.
		value := regexp.MustCompile(`(^|[\s='"])` + `([\w.~-]*[/.\w~-]*` + regexp.QuoteMeta(path.Base(g.Pkg.Pkg.Path())) + `|\$[({]?[\w.]+[)}]?[\w./~-]*|\{\{[^}]*\}\}[\w./~-]*)\.` + regexp.QuoteMeta(g.Name()) + `=`)
		all = append(all, variable{Dependence{Name: g.Pkg.Pkg.Path() + "." + g.Name(), On: linkerSets, At: []string{p.Place(g.Pos())}}, value})
	}
	if len(all) == 0 {
		return nil, nil
	}
	err = scripts(p, func(name string, text []byte) {
		for i := range all {
			if at := all[i].value.FindIndex(text); at != nil {
				all[i].d.Set = append(all[i].d.Set, p.Name(token.Position{Filename: name, Line: 1 + bytes.Count(text[:at[0]+1], []byte("\n"))}))
			}
		}
	}, "-X")
	for _, v := range all {
		if len(v.d.Set) > 0 {
			list = append(list, v.d)
		}
	}
	return list, err
}

// scripts calls do for the files of the operator's repositories that have a word, such as Makefiles.
func scripts(p *code.Placer, do func(name string, text []byte), word string) error {
	for _, root := range p.Roots {
		err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			base := entry.Name()
			if entry.IsDir() {
				if name != root && slices.Contains([]string{".git", "vendor", "testdata", "node_modules"}, base) {
					return filepath.SkipDir
				}
				return nil
			}
			info, err := entry.Info()
			if err != nil || !entry.Type().IsRegular() || info.Size() > largestScript || strings.HasSuffix(base, "_test.go") || strings.HasSuffix(base, ".md") {
				return err
			}
			text, err := os.ReadFile(name)
			if err == nil && bytes.Contains(text, []byte(word)) && utf8.Valid(text) {
				do(name, text)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("looking for the flags of the operator's build: %w", err)
		}
	}
	return nil
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.String
}

// tags returns the build tags with which copied declarations would be other ones, and with which the
// operator's packages would have other init functions. Tags of libraries count if the operator's build
// scripts have them.
func tags(part calls.Copy, p *code.Placer) (list []Dependence, err error) {
	set := map[string]bool{} // by the person who runs the command
	for _, flag := range strings.Fields(os.Getenv("GOFLAGS")) {
		if tags, ok := strings.CutPrefix(strings.TrimLeft(flag, "-"), "tags="); ok {
			for _, tag := range strings.Split(tags, ",") {
				set[tag] = true
			}
		}
	}
	names := map[*packages.Package]map[string]bool{}
	for u := range p.Program.Distinct() {
		if !part.Has(u) {
			continue
		}
		if names[u.Package] == nil {
			names[u.Package] = map[string]bool{}
		}
		for _, o := range u.Defs {
			names[u.Package][o.Name()] = true
		}
	}
	found, elsewhere := map[string]*Dependence{}, map[string]bool{}
	for pkg, names := range names {
		for _, name := range pkg.IgnoredFiles {
			tags := unknownTags(name)
			tags = slices.DeleteFunc(tags, func(tag string) bool { return set[tag] })
			if len(tags) == 0 || !declares(name, pkg.Name, names, p.Own[pkg.Module.Path]) {
				continue
			}
			for _, tag := range tags {
				if found[tag] == nil {
					found[tag] = &Dependence{Name: "-tags=" + tag, On: tagSets}
					elsewhere[tag] = true
				}
				if p.Own[pkg.Module.Path] {
					delete(elsewhere, tag)
				}
				found[tag].At = append(found[tag].At, p.Name(token.Position{Filename: name, Line: 1}))
			}
		}
	}
	if len(elsewhere) > 0 {
		err = scripts(p, func(_ string, text []byte) {
			for tag := range elsewhere {
				if regexp.MustCompile(`(?m)\btags\b.*\b` + regexp.QuoteMeta(tag) + `\b`).Match(text) {
					delete(elsewhere, tag)
				}
			}
		}, "tags")
	}
	for tag, d := range found {
		if !elsewhere[tag] {
			slices.Sort(d.At)
			list = append(list, *d)
		}
	}
	slices.SortFunc(list, func(a, b Dependence) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}

// knownTag are the tags that a toolchain sets, those that no build does, and apimachinery's fieldsv1string,
// with which a FieldsV1 takes less memory and has the same JSON.
var knownTag = regexp.MustCompile(`^(ignore|fieldsv1string|tools?|never|none|test|e2e|integration|go1\.\d+|gc|gccgo|cgo|race|msan|asan|unix|appengine|purego|codegen|generate|mage|aix|android|darwin|dragonfly|freebsd|hurd|illumos|ios|js|linux|nacl|netbsd|openbsd|plan9|solaris|wasip1|windows|zos|386|amd64|arm|arm64|loong64|mips\w*|ppc64\w*|riscv64|s390x|wasm|sparc64)$`)

// unknownTags returns the tags in a file's constraint that a person may set.
func unknownTags(name string) (tags []string) {
	text, err := os.ReadFile(name)
	if err != nil || !strings.HasSuffix(name, ".go") {
		return nil
	}
	for _, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "package ") {
			break
		}
		if !constraint.IsGoBuild(line) {
			continue
		}
		expr, err := constraint.Parse(line)
		if err != nil {
			return nil
		}
		tags = append(tags, tagsIn(expr)...)
	}
	return slices.DeleteFunc(tags, knownTag.MatchString)
}

func tagsIn(expr constraint.Expr) []string {
	switch expr := expr.(type) {
	case *constraint.TagExpr:
		return []string{expr.Tag}
	case *constraint.NotExpr:
		return tagsIn(expr.X)
	case *constraint.AndExpr:
		return append(tagsIn(expr.X), tagsIn(expr.Y)...)
	case *constraint.OrExpr:
		return append(tagsIn(expr.X), tagsIn(expr.Y)...)
	}
	return nil
}

// declares reports whether a file of a package declares one of the names, or, if it is the operator's,
// has an init function.
func declares(name, pkg string, names map[string]bool, own bool) bool {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil || file.Name.Name != pkg {
		return false
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && (names[d.Name.Name] || own && d.Name.Name == "init") {
				return true
			}
			if d.Recv != nil && names[d.Name.Name] {
				return true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if names[spec.Name.Name] {
						return true
					}
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						if names[id.Name] || own && id.Name == "_" && len(spec.Values) > 0 {
							return true
						}
					}
				}
			}
		}
	}
	return false
}
