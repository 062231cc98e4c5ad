package extract

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
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

// fieldsV1 is the type of managedFields. In the copy its methods are those for JSON alone: a module
// reads no CBOR, which is large.
const fieldsV1 = "k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1"

// Klog is the log of Kubernetes' libraries. In a module nobody reads it, and it is half a megabyte.
const Klog = "k8s.io/klog/v2"

var (
	klogWrites  = regexp.MustCompile(`^(Info|Warning|Error)(S|f|ln)?(Depth)?$`)
	klogExits   = regexp.MustCompile(`^(Fatal|Exit)(f|ln)?(Depth)?$`)
	klogLoggers = regexp.MustCompile(`^(V|VDepth|FromContext|TODO|Background|LoggerWithName|LoggerWithValues)$`)
)

// copy returns the text of a unit in the copy, and the nodes that are in it unchanged.
func (x *Extraction) copy(u *code.Unit) (text string, kept []ast.Node) {
	if body := x.stub(u); body != "" {
		f := u.Node.(*ast.FuncDecl)
		if f.Recv != nil {
			kept = []ast.Node{f.Recv}
		}
		head, _ := x.head(u)
		return head + body, append(kept, f.Type)
	}
	text = between(x.program, u.Node)
	if u.Tok != token.ILLEGAL {
		text = u.Tok.String() + " " + text
	}
	return x.swapMaps(u, text), []ast.Node{u.Node}
}

// Stubs names the functions with a stub, apart from those of managedFields, which no module sees.
func (x *Extraction) Stubs() (names []string) {
	for u := range x.Reached {
		if u.Package.PkgPath == Klog && x.stub(u) != "" {
			name := u.Defs[0].Name()
			if t := code.ReceiverName(u.Defs[0].(*types.Func)); t != nil {
				name = t.Name() + "." + name
			}
			names = append(names, "klog."+name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// stub returns the body that replaces a function's own in the copy; "" if the function keeps it.
func (x *Extraction) stub(u *code.Unit) string {
	f, ok := u.Node.(*ast.FuncDecl)
	if !ok || len(u.Defs) == 0 || f.Body == nil {
		return ""
	}
	if body := x.swapBody(u); body != "" {
		return body
	}
	o, name := u.Defs[0].(*types.Func), f.Name.Name
	if f.Recv != nil {
		switch of := discover.Receiver(o); {
		case of == fieldsV1 && name == "MarshalJSON" && len(f.Recv.List[0].Names) == 1:
			return fmt.Sprintf(`{ if %[1]s.Raw == nil { return []byte("null"), nil }; return %[1]s.Raw, nil }`, f.Recv.List[0].Names[0].Name)
		case of == fieldsV1 && name == "UnmarshalJSON" && len(f.Recv.List[0].Names) == 1 && len(f.Type.Params.List[0].Names) == 1:
			return fmt.Sprintf(`{ if string(%[2]s) != "null" { %[1]s.Raw = append(%[1]s.Raw[:0], %[2]s...) }; return nil }`, f.Recv.List[0].Names[0].Name, f.Type.Params.List[0].Names[0].Name)
		case of == Klog+".Verbose" && klogWrites.MatchString(name):
			return "{}"
		}
		return ""
	}
	if u.Package.PkgPath != Klog {
		return ""
	}
	switch {
	case klogWrites.MatchString(name):
		return "{}"
	case klogExits.MatchString(name):
		return `{ panic("the conversion ends the program with klog.` + name + `") }`
	case klogLoggers.MatchString(name):
		result := between(x.program, f.Type.Results.List[0].Type)
		return "{ return *new(" + result + ") }"
	}
	return ""
}

// head returns the text of a function before its body.
func (x *Extraction) head(u *code.Unit) (string, bool) {
	f := u.Node.(*ast.FuncDecl)
	source, err := x.program.Text(x.program.Fset.Position(f.Pos()).Filename)
	if err != nil || f.Body == nil {
		return "", false
	}
	return string(source[x.program.Fset.Position(f.Pos()).Offset:x.program.Fset.Position(f.Body.Lbrace).Offset]), true
}

// between returns the source of a node.
func between(p *operator.Program, n ast.Node) string {
	from, to := p.Fset.Position(n.Pos()), p.Fset.Position(n.End())
	text, err := p.Text(from.Filename)
	if err != nil {
		return ""
	}
	return string(text[from.Offset:to.Offset])
}
