package state

import (
	"go/ast"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// loggers are packages whose results no conversion uses.
var loggers = regexp.MustCompile(`^(k8s\.io/klog(/v2)?|github\.com/go-logr/\w+|sigs\.k8s\.io/controller-runtime/pkg/(internal/)?log(/.*)?|go\.uber\.org/zap(/.*)?|log(/slog)?|github\.com/sirupsen/logrus|knative\.dev/pkg/logging)$`)

// constant are packages whose variables nobody sets, although functions of theirs fill caches and lead to
// them: every operator with quantities has these.
var constant = regexp.MustCompile(`^(gopkg\.in/inf\.v0|k8s\.io/apimachinery/pkg/api/resource)$`)

// memo are the caches of decoders and encoders: what they hold follows from types.
var memo = regexp.MustCompile(`^(sigs\.k8s\.io/(json|yaml)|gopkg\.in/yaml\.v[23]|go\.yaml\.in/yaml/v[23])(/.*)?\.(\w*Cache|structMap)$`)

// isLock reports whether a variable has a type that holds no state of the operator.
func isLock(g *ssa.Global) bool {
	if constant.MatchString(g.Pkg.Pkg.Path()) || memo.MatchString(g.Pkg.Pkg.Path()+"."+g.Name()) {
		return true
	}
	t := g.Type().Underlying().(*types.Pointer).Elem()
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return g.Name() == "_" || strings.HasPrefix(g.Name(), "init$")
	}
	if loggers.MatchString(named.Obj().Pkg().Path()) {
		return true
	}
	switch named.Obj().Pkg().Path() + "." + named.Obj().Name() {
	case "sync.Mutex", "sync.RWMutex", "sync.Once", "sync.WaitGroup", "sync.Cond":
		return true
	}
	return isPool(g) && !g.Object().Exported()
}

// isPool reports whether a variable is a sync.Pool: its values are alike, but another package may set
// the function that makes them.
func isPool(g *ssa.Global) bool {
	return g.Type().Underlying().(*types.Pointer).Elem().String() == "sync.Pool"
}

// isHook reports whether an exported variable has no initial value and a type of which nil or false
// is of little use: another module sets it.
func isHook(u *code.Unit, g *ssa.Global) bool {
	spec, ok := u.Node.(*ast.ValueSpec)
	if !ok || len(spec.Values) > 0 || !g.Object().Exported() {
		return false
	}
	switch t := g.Object().Type().Underlying().(type) {
	case *types.Signature, *types.Interface, *types.Pointer:
		return true
	case *types.Basic:
		return t.Kind() == types.Bool
	}
	return false
}

// isOnce reports whether a function literal is the argument of sync.Once.Do, sync.OnceFunc or the like.
func isOnce(f *ssa.Function) bool {
	if f.Parent() == nil {
		return false
	}
	for _, b := range f.Parent().Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(ssa.CallInstruction)
			if !ok || call.Common().StaticCallee() == nil || call.Common().StaticCallee().Pkg == nil || call.Common().StaticCallee().Pkg.Pkg.Path() != "sync" {
				continue
			}
			for _, a := range call.Common().Args {
				if m, ok := a.(*ssa.MakeClosure); ok {
					a = m.Fn
				}
				if a == f {
					return true
				}
			}
		}
	}
	return false
}
