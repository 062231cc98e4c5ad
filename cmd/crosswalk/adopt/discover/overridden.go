package discover

import (
	"fmt"
	"go/ast"
	"path/filepath"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// overridden returns the places in the operator's modules where a type of another package embeds a version
// of a kind and has conversions of its own: the operator's webhook may call these, and not the version's.
// The error names the first place.
func overridden(p *operator.Program, k Resource) (places []string, err error) {
	for _, root := range p.Roots {
		files, err := operator.SourceFiles(root, ") ConvertTo(", ") ConvertFrom(")
		if err != nil {
			return nil, fmt.Errorf("looking for other conversions of %s: %w", k.Name, err)
		}
		for _, f := range files {
			if slices.ContainsFunc(k.Versions(), func(v Version) bool {
				return filepath.Dir(p.Fset.Position(v.Named.Obj().Pos()).Filename) == filepath.Dir(f.Name)
			}) {
				continue // a version may embed another
			}
			around := map[string]Version{}
			for _, v := range k.Versions() {
				for _, name := range embedding(f, p, v) {
					around[name] = v
				}
			}
			for _, d := range f.Tree.Decls {
				m, ok := d.(*ast.FuncDecl)
				if !ok || m.Recv == nil || m.Name.Name != "ConvertTo" && m.Name.Name != "ConvertFrom" {
					continue
				}
				id := operator.IdentOf(starless(m.Recv.List[0].Type))
				if id == nil || around[id.Name].Named == nil {
					continue
				}
				at := f.Fset.Position(m.Pos())
				name, relErr := filepath.Rel(root, at.Filename)
				if relErr != nil {
					name = at.Filename
				}
				places = append(places, fmt.Sprintf("%s:%d", filepath.ToSlash(name), at.Line))
			}
		}
	}
	if len(places) > 0 {
		return places, fmt.Errorf("a type that embeds %s has conversions of its own (%s), which the operator's webhook may call instead: name its package%s", k.Name, places[0], more(places))
	}
	return nil, nil
}

// embedding returns the names of the structs in a file that embed a version, of another package.
func embedding(f operator.SourceFile, p *operator.Program, v Version) (names []string) {
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		s, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		for _, field := range s.Fields.List {
			if at, ok := starless(field.Type).(*ast.SelectorExpr); ok && len(field.Names) == 0 && isOf(f, p, at, v.Named.Obj()) {
				names = append(names, spec.Name.Name)
			}
		}
		return true
	})
	return names
}

func starless(e ast.Expr) ast.Expr {
	if star, ok := e.(*ast.StarExpr); ok {
		return star.X
	}
	return e
}
