package extract

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// Copied is a source file of the vendor tree: the declarations that are reached, byte for byte,
// under their import path.
type Copied struct {
	Pkg   string // import path
	Name  string
	Text  []byte
	Bytes int // of declarations
}

// Files returns the files of the vendor tree.
func (x *Extraction) Files() ([]Copied, error) {
	byFile := map[*ast.File][]*code.Unit{}
	for u := range x.Reached {
		if x.program.IsSetUp(u.Package) {
			continue
		}
		byFile[u.File] = append(byFile[u.File], u)
	}
	var out []Copied
	for file, units := range byFile {
		slices.SortFunc(units, func(a, b *code.Unit) int { return cmp.Compare(a.Node.Pos(), b.Node.Pos()) })
		name := x.program.Fset.Position(file.Package).Filename
		if _, err := x.program.Text(name); err != nil {
			return nil, err
		}
		var body bytes.Buffer
		used := map[*types.PkgName]bool{}
		dot := map[string]bool{}
		for _, u := range units {
			text, kept := x.copy(u)
			for _, node := range kept {
				ast.Inspect(node, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						switch o := u.Package.TypesInfo.Uses[id].(type) {
						case *types.PkgName:
							used[o] = true
						case nil:
						default:
							if o.Pkg() != nil && o.Pkg() != u.Package.Types {
								dot[o.Pkg().Path()] = true
							}
						}
					}
					return true
				})
			}
			if text != "" {
				fmt.Fprintf(&body, "\n%s\n", text)
			}
		}
		if body.Len() == 0 {
			continue
		}
		pkg := units[0].Package
		var head bytes.Buffer
		fmt.Fprintf(&head, "// Code copied by crosswalk adopt. DO NOT EDIT.\n\npackage %s\n", pkg.Name)
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			switch {
			case x.Swap && imported == encodingJSON && spec.Name == nil:
				if o, ok := pkg.TypesInfo.Implicits[spec].(*types.PkgName); ok && used[o] {
					fmt.Fprintf(&head, "\nimport %q", OwnJSON)
				}
			case x.Swap && imported == encodingJSON:
				if o, ok := pkg.TypesInfo.Defs[spec.Name].(*types.PkgName); ok && used[o] {
					fmt.Fprintf(&head, "\nimport %s %q", spec.Name.Name, OwnJSON)
				}
			case spec.Name == nil:
				if o, ok := pkg.TypesInfo.Implicits[spec].(*types.PkgName); ok && used[o] {
					fmt.Fprintf(&head, "\nimport %s", spec.Path.Value)
				}
			case spec.Name.Name == "." && dot[imported]:
				fmt.Fprintf(&head, "\nimport . %s", spec.Path.Value)
			default:
				if o, ok := pkg.TypesInfo.Defs[spec.Name].(*types.PkgName); ok && used[o] {
					fmt.Fprintf(&head, "\nimport %s %s", spec.Name.Name, spec.Path.Value)
				}
			}
		}
		if strings.Contains(body.String(), ownJSONName+".") {
			fmt.Fprintf(&head, "\nimport %s %q", ownJSONName, OwnJSON)
		}
		head.WriteByte('\n')
		out = append(out, Copied{pkg.PkgPath, filepath.Base(name), append(head.Bytes(), body.Bytes()...), body.Len()})
	}
	slices.SortFunc(out, func(a, b Copied) int { return cmp.Or(strings.Compare(a.Pkg, b.Pkg), strings.Compare(a.Name, b.Name)) })
	return out, nil
}

// Sums returns a line for each source file that something is copied from: its SHA-256, and its
// place in its module.
func (x *Extraction) Sums() ([]string, error) {
	seen := map[string]bool{}
	var lines []string
	for u := range x.Reached {
		name := x.program.Fset.Position(u.File.Package).Filename
		if seen[name] {
			continue
		}
		seen[name] = true
		text, err := x.program.Text(name)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		if x.program.IsSetUp(u.Package) {
			lines = append(lines, hex.EncodeToString(sum[:])+"  "+code.SetUpFile)
			continue
		}
		lines = append(lines, fmt.Sprintf("%s  %s/%s", hex.EncodeToString(sum[:]), u.Package.PkgPath, filepath.Base(name)))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[66:], b[66:]) })
	return lines, nil
}
