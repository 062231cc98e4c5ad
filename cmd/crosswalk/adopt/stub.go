package adopt

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// fieldsV1 is the type of managedFields. In the copy its methods are those for JSON alone: a module
// reads no CBOR, which is large.
const fieldsV1 = "k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1"

// klog is the log of Kubernetes' libraries. In a module nobody reads it, and it is half a megabyte.
const klog = "k8s.io/klog/v2"

var (
	klogWrites  = regexp.MustCompile(`^(Info|Warning|Error)(S|f|ln)?(Depth)?$`)
	klogExits   = regexp.MustCompile(`^(Fatal|Exit)(f|ln)?(Depth)?$`)
	klogLoggers = regexp.MustCompile(`^(V|VDepth|FromContext|TODO|Background|LoggerWithName|LoggerWithValues)$`)
)

// copy returns the text of a unit in the copy, and the nodes that are in it unchanged.
func (x *extraction) copy(u *code.Unit) (text string, kept []ast.Node) {
	if text, ok := x.hidden.replacement(x, u); ok {
		return text, nil
	}
	if body := x.stub(u); body != "" {
		f := u.Node.(*ast.FuncDecl)
		if f.Recv != nil {
			kept = []ast.Node{f.Recv}
		}
		head, _ := x.head(u)
		return head + body, append(kept, f.Type)
	}
	text = x.program.between(u.Node)
	if u.Tok != token.ILLEGAL {
		text = u.Tok.String() + " " + text
	}
	return x.swapMaps(u, text), []ast.Node{u.Node}
}

// stubs names the functions with a stub, apart from those of managedFields, which no module sees.
func (x *extraction) stubs() (names []string) {
	for u := range x.reached {
		if u.Package.PkgPath == klog && x.stub(u) != "" {
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
func (x *extraction) stub(u *code.Unit) string {
	f, ok := u.Node.(*ast.FuncDecl)
	if !ok || len(u.Defs) == 0 || f.Body == nil {
		return ""
	}
	if body := x.swapBody(u); body != "" {
		return body
	}
	o, name := u.Defs[0].(*types.Func), f.Name.Name
	if f.Recv != nil {
		switch of := receiver(o); {
		case of == fieldsV1 && name == "MarshalJSON" && len(f.Recv.List[0].Names) == 1:
			return fmt.Sprintf(`{ if %[1]s.Raw == nil { return []byte("null"), nil }; return %[1]s.Raw, nil }`, f.Recv.List[0].Names[0].Name)
		case of == fieldsV1 && name == "UnmarshalJSON" && len(f.Recv.List[0].Names) == 1 && len(f.Type.Params.List[0].Names) == 1:
			return fmt.Sprintf(`{ if string(%[2]s) != "null" { %[1]s.Raw = append(%[1]s.Raw[:0], %[2]s...) }; return nil }`, f.Recv.List[0].Names[0].Name, f.Type.Params.List[0].Names[0].Name)
		case of == klog+".Verbose" && klogWrites.MatchString(name):
			return "{}"
		}
		return ""
	}
	if u.Package.PkgPath != klog {
		return ""
	}
	switch {
	case klogWrites.MatchString(name):
		return "{}"
	case klogExits.MatchString(name):
		return `{ panic("the conversion ends the program with klog.` + name + `") }`
	case klogLoggers.MatchString(name):
		result := x.program.between(f.Type.Results.List[0].Type)
		return "{ return *new(" + result + ") }"
	}
	return ""
}

// head returns the text of a function before its body.
func (x *extraction) head(u *code.Unit) (string, bool) {
	f := u.Node.(*ast.FuncDecl)
	source, err := x.program.text(x.program.Fset.Position(f.Pos()).Filename)
	if err != nil || f.Body == nil {
		return "", false
	}
	return string(source[x.offset(f.Pos()):x.offset(f.Body.Lbrace)]), true
}

// between returns the source of a node.
func (p *program) between(n ast.Node) string {
	from, to := p.Fset.Position(n.Pos()), p.Fset.Position(n.End())
	text, err := p.text(from.Filename)
	if err != nil {
		return ""
	}
	return string(text[from.Offset:to.Offset])
}
