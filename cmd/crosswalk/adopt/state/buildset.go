package state

import (
	"bytes"
	"fmt"
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
