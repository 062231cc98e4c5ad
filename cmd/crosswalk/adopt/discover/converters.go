package discover

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

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
func spokeConverters(p *operator.Program) (found []spokeConverter, unknown map[*types.TypeName]error, err error) {
	unknown = map[*types.TypeName]error{}
	for _, pkg := range p.Initial {
		for _, file := range pkg.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || err != nil {
					return err == nil
				}
				switch operator.CalledName(pkg, call) {
				case operator.NewSpoke:
					var c spokeConverter
					if c, err = readConverter(p, pkg, call); err == nil {
						found = append(found, c)
					}
				case operator.NewHubSpoke:
					if hub, problem := checkHubSpoke(p, pkg, call); problem != nil && hub != nil {
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

func readConverter(p *operator.Program, pkg *packages.Package, call *ast.CallExpr) (c spokeConverter, err error) {
	c.at = p.At(call.Pos())
	instance := pkg.TypesInfo.Instances[operator.IdentOf(operator.Uninstantiated(call.Fun))]
	if instance.TypeArgs.Len() != 2 || len(call.Args) != 3 {
		why := "its types are not known"
		if len(pkg.Errors) > 0 {
			why += ", because the package does not compile for wasip1/wasm: " + pkg.Errors[0].Msg
		}
		return c, fmt.Errorf("%s (%s) calls %s, but %s", pkg.PkgPath, c.at, operator.NewSpoke, why)
	}
	hub, spoke := pointed(instance.TypeArgs.At(0)), pointed(instance.TypeArgs.At(1))
	if hub == nil || spoke == nil {
		return c, fmt.Errorf("%s (%s) calls %s for the types %s and %s, which are known only when the operator runs: write one call with the types of each version", pkg.PkgPath, c.at, operator.NewSpoke, instance.TypeArgs.At(0), instance.TypeArgs.At(1))
	}
	c.hub, c.spoke = hub.Type().(*types.Named), spoke.Type().(*types.Named)
	if c.from, c.problem = converterFunction(p, pkg, call.Args[1]); c.problem == nil {
		c.to, c.problem = converterFunction(p, pkg, call.Args[2])
	}
	return c, nil
}

// checkHubSpoke refuses spokes that are not made by NewSpokeConverter in the call: their functions
// are unknown. The hub is nil if its type is not known.
func checkHubSpoke(p *operator.Program, pkg *packages.Package, call *ast.CallExpr) (hub *types.TypeName, err error) {
	if list := pkg.TypesInfo.Instances[operator.IdentOf(operator.Uninstantiated(call.Fun))].TypeArgs; list.Len() == 1 {
		hub = pointed(list.At(0))
	}
	for _, argument := range call.Args[min(1, len(call.Args)):] {
		if inner, ok := ast.Unparen(argument).(*ast.CallExpr); ok && operator.CalledName(pkg, inner) == operator.NewSpoke {
			continue
		}
		return hub, fmt.Errorf("%s (%s) passes %s to %s, and adopt finds the conversion functions only in calls of %s between its parentheses", pkg.PkgPath, p.At(argument.Pos()), types.ExprString(argument), operator.NewHubSpoke, operator.NewSpoke)
	}
	return hub, nil
}

// converterFunction returns the function that an argument of NewSpokeConverter names.
func converterFunction(p *operator.Program, pkg *packages.Package, e ast.Expr) (*types.Func, error) {
	e = ast.Unparen(e)
	at := p.At(e.Pos())
	if _, ok := e.(*ast.FuncLit); ok {
		return nil, fmt.Errorf("%s (%s) passes a function literal to %s, which has no name that a module can call: make it a function of the package", pkg.PkgPath, at, operator.NewSpoke)
	}
	id := operator.IdentOf(e)
	f, _ := pkg.TypesInfo.Uses[id].(*types.Func)
	switch {
	case f == nil:
		return nil, fmt.Errorf("%s (%s) passes %s to %s: only a function of a package can be adopted; the value of this expression is known only when the operator runs", pkg.PkgPath, at, types.ExprString(e), operator.NewSpoke)
	case f.Signature().Recv() != nil:
		receiver := e
		if selector, ok := e.(*ast.SelectorExpr); ok {
			receiver = selector.X
		}
		return nil, fmt.Errorf("%s (%s) passes the method %s to %s, which uses its receiver %s: its value is known only when the operator runs; make it a function of the package that does not need it", pkg.PkgPath, at, types.ExprString(e), operator.NewSpoke, types.ExprString(receiver))
	case f.Signature().TypeParams().Len() > 0:
		return nil, fmt.Errorf("%s (%s) passes the generic function %s to %s: make it a function of the two types", pkg.PkgPath, at, types.ExprString(e), operator.NewSpoke)
	}
	return f, nil
}

// kindsOfConverters returns the kinds that calls of NewSpokeConverter convert, if one of their
// versions is in a package that was named.
func kindsOfConverters(p *operator.Program, versions apiVersions) (kinds []Resource, err error) {
	calls, unknown, err := spokeConverters(p)
	if err != nil {
		return nil, err
	}
	byHub := map[*types.Named]*Resource{}
	where := map[direction]spokeConverter{}
	for _, c := range calls {
		if !p.Named[c.hub.Obj().Pkg().Path()] && !p.Named[c.spoke.Obj().Pkg().Path()] {
			continue
		}
		k := byHub[c.hub]
		if k == nil {
			k = &Resource{Name: c.hub.Obj().Name(), Form: FormConverters}
			if k.Hub, err = versionOf(versions, c.hub); err != nil {
				return nil, err
			}
			k.Group, _, _ = strings.Cut(k.Hub.APIVersion, "/")
			byHub[c.hub] = k
		}
		spoke, err := versionOf(versions, c.spoke)
		if err != nil {
			return nil, err
		}
		spoke.To, spoke.From = c.to, c.from
		way := direction{c.spoke.Obj(), c.hub.Obj()}
		switch first, again := where[way]; {
		case again && (first.to != c.to || first.from != c.from):
			k.Problem = fmt.Errorf("%s and %s make converters of the same versions with different functions", first.at, c.at)
		case again:
			continue
		case c.problem != nil && k.Problem == nil:
			k.Problem = c.problem
		case !strings.HasPrefix(spoke.APIVersion, k.Group+"/") || c.spoke.Obj().Name() != k.Name:
			k.Problem = errors.New(groups(p, spoke, k.Hub))
		}
		where[way] = c
		k.Spokes = append(k.Spokes, spoke)
	}
	for hub, problem := range unknown {
		named := hub.Type().(*types.Named)
		if k := byHub[named]; k != nil {
			k.Problem = problem
		} else if p.Named[hub.Pkg().Path()] {
			v, err := versionOf(versions, named)
			if err != nil {
				return nil, err
			}
			group, _, _ := strings.Cut(v.APIVersion, "/")
			kinds = append(kinds, Resource{Name: hub.Name(), Group: group, Form: FormConverters, Hub: v, Problem: problem})
		}
	}
	for _, k := range byHub {
		kinds = append(kinds, *k)
	}
	slices.SortFunc(kinds, func(a, b Resource) int { return strings.Compare(a.Hub.APIVersion, b.Hub.APIVersion) })
	return kinds, nil
}

// versionOf returns the version that a type belongs to.
func versionOf(versions apiVersions, named *types.Named) (Version, error) {
	pkg := versions.p.All[named.Obj().Pkg().Path()]
	if pkg == nil {
		return Version{}, fmt.Errorf("the package %s of the type %s is not loaded", named.Obj().Pkg().Path(), named.Obj().Name())
	}
	apiVersion, err := versions.of(pkg, named.Obj())
	return Version{APIVersion: apiVersion, Named: named, Pkg: pkg}, err
}
