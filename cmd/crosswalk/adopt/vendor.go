package adopt

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/sdk"
)

// copied is a source file of the vendor tree: the declarations that are reached, byte for byte,
// under their import path.
type copied struct {
	pkg   string // import path
	name  string
	text  []byte
	bytes int // of declarations
}

// files returns the files of the vendor tree.
func (x *extraction) files() ([]copied, error) {
	byFile := map[*ast.File][]*code.Unit{}
	for u := range x.reached {
		if x.program.isSetUp(u.Package) {
			continue
		}
		byFile[u.File] = append(byFile[u.File], u)
	}
	var out []copied
	for file, units := range byFile {
		slices.SortFunc(units, func(a, b *code.Unit) int { return cmp.Compare(a.Node.Pos(), b.Node.Pos()) })
		name := x.program.Fset.Position(file.Package).Filename
		if _, err := x.program.text(name); err != nil {
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
			case x.swap && imported == encodingJSON && spec.Name == nil:
				if o, ok := pkg.TypesInfo.Implicits[spec].(*types.PkgName); ok && used[o] {
					fmt.Fprintf(&head, "\nimport %q", ownJSON)
				}
			case x.swap && imported == encodingJSON:
				if o, ok := pkg.TypesInfo.Defs[spec.Name].(*types.PkgName); ok && used[o] {
					fmt.Fprintf(&head, "\nimport %s %q", spec.Name.Name, ownJSON)
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
			fmt.Fprintf(&head, "\nimport %s %q", ownJSONName, ownJSON)
		}
		head.WriteByte('\n')
		out = append(out, copied{pkg.PkgPath, filepath.Base(name), append(head.Bytes(), body.Bytes()...), body.Len()})
	}
	slices.SortFunc(out, func(a, b copied) int { return cmp.Or(strings.Compare(a.pkg, b.pkg), strings.Compare(a.name, b.name)) })
	return out, nil
}

func (x *extraction) offset(p token.Pos) int { return x.program.Fset.Position(p).Offset }

// sums returns a line for each source file that something is copied from: its SHA-256, and its
// place in its module.
func (x *extraction) sums() ([]string, error) {
	seen := map[string]bool{}
	var lines []string
	for u := range x.reached {
		name := x.program.Fset.Position(u.File.Package).Filename
		if seen[name] {
			continue
		}
		seen[name] = true
		text, err := x.program.text(name)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		if x.program.isSetUp(u.Package) {
			lines = append(lines, hex.EncodeToString(sum[:])+"  "+code.SetUpFile)
			continue
		}
		lines = append(lines, fmt.Sprintf("%s  %s/%s", hex.EncodeToString(sum[:]), u.Package.PkgPath, filepath.Base(name)))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[66:], b[66:]) })
	return lines, nil
}

// writeVendor writes the vendor tree: copied declarations, and the packages of the SDK.
func writeVendor(dir string, files []copied) error {
	root := filepath.Join(dir, "vendor")
	if err := os.RemoveAll(root); err != nil {
		return err
	}
	for _, f := range files {
		if err := writeFile(filepath.Join(root, filepath.FromSlash(f.pkg), f.name), f.text); err != nil {
			return err
		}
	}
	return writeSDK(filepath.Join(root, filepath.FromSlash(sdkModule)))
}

const sdkModule = "github.com/crosswalk-gateway/crosswalk/sdk/go"

// sdkPackages are those that a module needs, and its test.
func sdkPackages() []string {
	return []string{"", "internal/quote", "kubebuilder", "kubebuilder/internal/codec", "kubebuilder/json", "kubebuilder/adopttest"}
}

// writeSDK writes the packages of the SDK, with its go.mod.
func writeSDK(root string) error {
	files, err := sdk.Files("go")
	if err != nil {
		return err
	}
	for _, pkg := range sdkPackages() {
		dir := cmp.Or(pkg, ".")
		entries, err := fs.ReadDir(files, dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.IsDir() {
				continue
			}
			text, err := fs.ReadFile(files, path.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			if err := writeFile(filepath.Join(root, filepath.FromSlash(pkg), e.Name()), text); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}
