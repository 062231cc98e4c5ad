package adopt

import (
	"fmt"
	"go/ast"
	"path/filepath"
	"slices"
	"strings"
)

// neighbours names packages beside the named ones that have conversions, for the error that these
// have none; "" if there are none.
func (p *program) neighbours() string {
	named := map[string]bool{}
	var around []string
	for _, pkg := range p.namedPackages() {
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
		files, err := sourceFiles(dir, "ConvertTo(", "Convert_", newSpoke)
		if err != nil {
			continue // the error without a hint is right, too
		}
		for _, f := range files {
			if name, line := f.conversion(); line > 0 && !named[filepath.Dir(f.name)] {
				found = append(found, fmt.Sprintf("%s (%s:%d)", name, f.name, line))
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
func (f sourceFile) conversion() (name string, line int) {
	for _, d := range f.tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && (fn.Recv != nil && fn.Name.Name == "ConvertTo" || fn.Recv == nil && functionName.MatchString(fn.Name.Name)) {
			return fn.Name.Name, f.fset.Position(fn.Pos()).Line
		}
	}
	return "", 0
}
