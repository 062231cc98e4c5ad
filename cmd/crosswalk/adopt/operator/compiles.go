package operator

import (
	"fmt"
	"go/parser"
	"path/filepath"

	"golang.org/x/tools/go/packages"
)

// DoesNotCompile returns the error for a package that a conversion needs and that has errors.
func (p *Program) DoesNotCompile(pkg *packages.Package, err error) error {
	if err := p.needsC(pkg); err != nil {
		return err
	}
	return fmt.Errorf("the package %s does not compile for wasip1/wasm: %w", pkg.PkgPath, err)
}

// needsC returns an error if a file of the package imports "C" and is left out for that reason.
func (p *Program) needsC(pkg *packages.Package) error {
	for _, name := range pkg.IgnoredFiles {
		if filepath.Ext(name) != ".go" {
			continue
		}
		file, err := parser.ParseFile(p.Fset, name, nil, parser.ImportsOnly)
		if err != nil {
			continue
		}
		for _, spec := range file.Imports {
			if spec.Path.Value == `"C"` {
				return fmt.Errorf("the package %s cannot be adopted: %s imports \"C\", and a module has no C libraries; a conversion that needs it has to be written by hand", pkg.PkgPath, p.At(spec.Pos()))
			}
		}
	}
	return nil
}
