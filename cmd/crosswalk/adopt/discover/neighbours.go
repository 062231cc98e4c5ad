package discover

import (
	"fmt"
	"go/ast"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// Neighbours names packages beside the named ones that have conversions, for the error that these
// have none; "" if there are none.
func Neighbours(p *operator.Program) string {
	named := map[string]bool{}
	var around []string
	for _, pkg := range p.NamedPackages() {
		if len(pkg.GoFiles) == 0 {
			continue
		}
		dir := filepath.Dir(pkg.GoFiles[0])
		named[dir] = true
		if parent := filepath.Dir(dir); !slices.Contains(around, parent) {
			around = append(around, parent)
		}
	}
	var found []string
	for _, dir := range around {
		files, err := operator.SourceFiles(dir, "ConvertTo(", "Convert_", operator.NewSpoke)
		if err != nil {
			continue // the error without a hint is right, too
		}
		for _, f := range files {
			if name, line := conversion(f); line > 0 && !named[filepath.Dir(f.Name)] {
				found = append(found, fmt.Sprintf("%s (%s:%d)", name, f.Name, line))
			}
		}
	}
	slices.Sort(found)
	if found = slices.Compact(found); len(found) == 0 {
		return ""
	}
	return "; beside them is " + strings.Join(found[:min(len(found), 3)], ", ") + ": name its package, too"
}

// conversion returns the name and line of the file's first conversion.
func conversion(f operator.SourceFile) (name string, line int) {
	for _, d := range f.Tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && (fn.Recv != nil && fn.Name.Name == "ConvertTo" || fn.Recv == nil && functionName.MatchString(fn.Name.Name)) {
			return fn.Name.Name, f.Fset.Position(fn.Pos()).Line
		}
	}
	return "", 0
}
