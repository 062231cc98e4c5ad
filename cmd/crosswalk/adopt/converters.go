package adopt

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Functions of controller-runtime's package pkg/webhook/conversion, since v0.23.
const (
	newSpoke    = "NewSpokeConverter"
	newHubSpoke = "NewHubSpokeConverter"
)

// converterWords are in every file that makes a converter.
func converterWords() []string {
	return []string{newSpoke + "(", newSpoke + "[", newHubSpoke + "(", newHubSpoke + "["}
}

// spokeConverter is a call of NewSpokeConverter.
type spokeConverter struct {
	at         string // file:line
	hub, spoke *types.Named
	to, from   *types.Func // from the spoke to the hub, and from the hub
	problem    error       // why the functions cannot be called from elsewhere
}

// spokeConverters returns the calls of NewSpokeConverter in the packages that were named or have
// such a call, and why some hubs' spokes are not known. An error is about a call of unknown types:
// any kind may be meant.
func (p *program) spokeConverters() (found []spokeConverter, unknown map[*types.TypeName]error, err error) {
	unknown = map[*types.TypeName]error{}
	for _, pkg := range p.initial {
		for _, file := range pkg.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || err != nil {
					return err == nil
				}
				switch calledName(pkg, call) {
				case newSpoke:
					var c spokeConverter
					if c, err = p.spokeConverter(pkg, call); err == nil {
						found = append(found, c)
					}
				case newHubSpoke:
					if hub, problem := p.checkHubSpoke(pkg, call); problem != nil && hub != nil {
						unknown[hub] = problem
					} else {
						err = problem
					}
				}
				return err == nil
			})
			if err != nil {
				return nil, nil, err
			}
		}
	}
	return found, unknown, nil
}

// calledName returns the name of a called function, if it is of controller-runtime's package
// conversion, or if its package could not be type-checked.
func calledName(pkg *packages.Package, call *ast.CallExpr) string {
	id := identOf(uninstantiated(call.Fun))
	if id == nil || id.Name != newSpoke && id.Name != newHubSpoke {
		return ""
	}
	if o := pkg.TypesInfo.Uses[id]; o != nil && (o.Pkg() == nil || !strings.HasSuffix(o.Pkg().Path(), "sigs.k8s.io/controller-runtime/pkg/webhook/conversion")) {
		return ""
	}
	return id.Name
}

// uninstantiated returns a generic function without its type arguments.
func uninstantiated(e ast.Expr) ast.Expr {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		return e.X
	case *ast.IndexListExpr:
		return e.X
	default:
		return e
	}
}

// at returns a place as file:line.
func (p *program) at(pos token.Pos) string {
	position := p.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(position.Filename), position.Line)
}

func (p *program) spokeConverter(pkg *packages.Package, call *ast.CallExpr) (c spokeConverter, err error) {
	c.at = p.at(call.Pos())
	instance := pkg.TypesInfo.Instances[identOf(uninstantiated(call.Fun))]
	if instance.TypeArgs.Len() != 2 || len(call.Args) != 3 {
		why := "its types are not known"
		if len(pkg.Errors) > 0 {
			why += ", because the package does not compile for wasip1/wasm: " + pkg.Errors[0].Msg
		}
		return c, fmt.Errorf("%s (%s) calls %s, but %s", pkg.PkgPath, c.at, newSpoke, why)
	}
	hub, spoke := pointed(instance.TypeArgs.At(0)), pointed(instance.TypeArgs.At(1))
	if hub == nil || spoke == nil {
		return c, fmt.Errorf("%s (%s) calls %s for the types %s and %s, which are known only when the operator runs: write one call with the types of each version", pkg.PkgPath, c.at, newSpoke, instance.TypeArgs.At(0), instance.TypeArgs.At(1))
	}
	c.hub, c.spoke = hub.Type().(*types.Named), spoke.Type().(*types.Named)
	if c.from, c.problem = p.converterFunction(pkg, call.Args[1]); c.problem == nil {
		c.to, c.problem = p.converterFunction(pkg, call.Args[2])
	}
	return c, nil
}

// checkHubSpoke refuses spokes that are not made by NewSpokeConverter in the call: their functions
// are unknown. The hub is nil if its type is not known.
func (p *program) checkHubSpoke(pkg *packages.Package, call *ast.CallExpr) (hub *types.TypeName, err error) {
	if list := pkg.TypesInfo.Instances[identOf(uninstantiated(call.Fun))].TypeArgs; list.Len() == 1 {
		hub = pointed(list.At(0))
	}
	for _, argument := range call.Args[min(1, len(call.Args)):] {
		if inner, ok := ast.Unparen(argument).(*ast.CallExpr); ok && calledName(pkg, inner) == newSpoke {
			continue
		}
		return hub, fmt.Errorf("%s (%s) passes %s to %s, and adopt finds the conversion functions only in calls of %s between its parentheses", pkg.PkgPath, p.at(argument.Pos()), types.ExprString(argument), newHubSpoke, newSpoke)
	}
	return hub, nil
}

// converterFunction returns the function that an argument of NewSpokeConverter names. A literal was
// given a name when its package was loaded, unless it needs variables around it.
func (p *program) converterFunction(pkg *packages.Package, e ast.Expr) (*types.Func, error) {
	e = ast.Unparen(e)
	at := p.at(e.Pos())
	if literal, ok := e.(*ast.FuncLit); ok {
		if name, variable := captured(pkg, literal); variable != nil {
			return nil, fmt.Errorf("the function literal in %s (%s) uses %s of the function around it (%s): its value is known only when the operator runs; make the literal a function of the package that does not need it", pkg.PkgPath, at, name, p.at(variable.Pos()))
		}
		f, _ := pkg.Types.Scope().Lookup(p.literalName(literal)).(*types.Func)
		return f, nil // nil in the first load, which finds the literals to name
	}
	id := identOf(e)
	f, _ := pkg.TypesInfo.Uses[id].(*types.Func)
	switch {
	case f == nil:
		return nil, fmt.Errorf("%s (%s) passes %s to %s: only a function of a package or a literal can be adopted; the value of this expression is known only when the operator runs", pkg.PkgPath, at, types.ExprString(e), newSpoke)
	case f.Signature().Recv() != nil:
		receiver := e
		if selector, ok := e.(*ast.SelectorExpr); ok {
			receiver = selector.X
		}
		return nil, fmt.Errorf("%s (%s) passes the method %s to %s, which uses its receiver %s: its value is known only when the operator runs; make it a function of the package that does not need it", pkg.PkgPath, at, types.ExprString(e), newSpoke, types.ExprString(receiver))
	case f.Signature().TypeParams().Len() > 0:
		return nil, fmt.Errorf("%s (%s) passes the generic function %s to %s: make it a function of the two types", pkg.PkgPath, at, types.ExprString(e), newSpoke)
	}
	return f, nil
}

// captured returns a variable that a function literal uses and that is declared in the function
// around it.
func captured(pkg *packages.Package, literal *ast.FuncLit) (name string, found *types.Var) {
	ast.Inspect(literal, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || found != nil {
			return found == nil
		}
		v, ok := pkg.TypesInfo.Uses[id].(*types.Var)
		if ok && !v.IsField() && v.Parent() != nil && v.Parent() != pkg.Types.Scope() && v.Pkg() == pkg.Types && (v.Pos() < literal.Pos() || v.Pos() >= literal.End()) {
			name, found = id.Name, v
		}
		return found == nil
	})
	return name, found
}
