package state

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// Names decide for functions without syntax, and in files whose packages are not loaded.

// changes are names of functions and methods that change their receiver or argument. They decide
// for functions without syntax, those of the standard library, and for methods of interfaces.
var changes = regexp.MustCompile(`^(Must)?(Set|Store|Add|Put|Insert|Register|Delete|Remove|Swap|CompareAndSwap|LoadOr|LoadAnd|Write|Push|Append|Update|Reset|Clear|Unmarshal|Decode|Scan|Sort|Copy|Override|Install)|VarP?$`)

// fills are functions and methods of the standard library that change their receiver or an argument,
// beside those with a name of changes.
var fills = regexp.MustCompile(`^(slices\.(Reverse|Replace|Compact\w*)|fmt\.[SF]?[sS]can\w*|io\.Read(Full|AtLeast)|encoding/binary\.(Read|Decode)|(crypto|math)/rand\.(Read|Shuffle)|` +
	`(text|html)/template\.Template\.(Funcs|Delims|Option|Parse\w*|New)|net/url\.Values\.Del|net/http\.Header\.Del|net/textproto\.MIMEHeader\.Del|` +
	`container/(heap|list|ring)\.(List\.|Ring\.)?(Init|Fix|Pop|Move\w*|Link|Unlink)|math/big\.(Int|Float|Rat)\.(Abs|Neg|Mul|Quo|Rem|Div|Mod\w*|Sub|Exp|And|Or|Xor|Not|Lsh|Rsh|Sqrt|GCD)|flag\.FlagSet\.(Parse|Init)|sort\..*|unsafe\.Pointer)$`)

// changesOuter reports whether a function without syntax changes its receiver or argument: its name
// decides.
func changesOuter(f *ssa.Function) bool {
	return changes.MatchString(f.Name()) || f.Object() != nil && f.Object().Pkg() != nil && fills.MatchString(f.Object().Pkg().Path()+"."+outerName(f.Object()))
}

// argumentChanges are names of functions and methods that may fill an argument, in addition to changes.
var argumentChanges = regexp.MustCompile(`^(Get|Read|Load|Fill|Parse|Process|Bind|Into|Apply|Configure|Complete|Default|List|Receive|Recv|Assign)`)

// fresh are names of functions of the standard library whose results do not share memory with their
// arguments.
var fresh = regexp.MustCompile(`^(Clone|Copy|Collect|Sorted|TypeOf|TypeFor|DeepEqual|Marshal|Sprint|Error|New\w*Error|With\w*|Is|As|Join)`)

// readers are names of functions and methods that only read their arguments, such as loggers.
var readers = regexp.MustCompile(`^(Info|Error|V$|Valid|Verify|Debug|Warn|Warning|Fatal|Panic|Print|Sprint|Fprint|Log|Equal|DeepEqual|Marshal|Encode|String|len|cap|print|println|panic|string|min|max)`)

// outerName returns a function's or variable's name within its package, a method's with its type.
func outerName(o types.Object) string {
	if f, ok := o.(*types.Func); ok {
		if t := code.ReceiverName(f); t != nil {
			return t.Name() + "." + f.Name()
		}
	}
	return o.Name()
}

func isMethod(o types.Object) bool {
	f, ok := o.(*types.Func)
	return ok && f.Signature().Recv() != nil
}

// isRenamed reports whether a function's file gives it a name of another package, whose code may call it.
func isRenamed(u *code.Unit, f *types.Func) bool {
	for _, group := range u.File.Comments {
		for _, line := range group.List {
			if fields := strings.Fields(line.Text); len(fields) == 3 && fields[0] == "//go:linkname" && fields[1] == f.Name() {
				return true
			}
		}
	}
	return false
}

// loggers are packages whose results no conversion uses.
var loggers = regexp.MustCompile(`^(k8s\.io/klog(/v2)?|github\.com/go-logr/\w+|sigs\.k8s\.io/controller-runtime/pkg/(internal/)?log(/.*)?|go\.uber\.org/zap(/.*)?|log(/slog)?|github\.com/sirupsen/logrus|knative\.dev/pkg/logging)$`)

// constant are packages whose variables nobody sets, although functions of theirs fill caches and lead to
// them: every operator with quantities has these.
var constant = regexp.MustCompile(`^(gopkg\.in/inf\.v0|k8s\.io/apimachinery/pkg/api/resource)$`)

// memo are the caches of decoders and encoders: what they hold follows from types.
var memo = regexp.MustCompile(`^(sigs\.k8s\.io/(json|yaml)|gopkg\.in/yaml\.v[23]|go\.yaml\.in/yaml/v[23])(/.*)?\.(\w*Cache|structMap)$`)

// isLock reports whether a variable has a package or a type that holds no state of the operator.
func isLock(g *ssa.Global) bool {
	if path := g.Pkg.Pkg.Path(); loggers.MatchString(path) || constant.MatchString(path) || memo.MatchString(path+"."+g.Name()) {
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

// carries reports whether a value of a type leads to memory that its holder can change.
func carries(t types.Type) bool { return carriesIn(t, map[types.Type]bool{}) }

func carriesIn(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	if n, ok := t.(*types.Named); ok {
		if n.Obj().Pkg() == nil || loggers.MatchString(n.Obj().Pkg().Path()) { // error, or a logger
			return false
		}
		switch n.Obj().Pkg().Path() + "." + n.Obj().Name() {
		case "time.Time", "time.Location", "regexp.Regexp", "reflect.Type":
			return false
		}
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		if n, ok := types.Unalias(p.Elem()).(*types.Named); ok && n.Obj().Pkg() != nil {
			return n.Obj().Pkg().Path() != "regexp" && n.String() != "time.Location"
		}
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Map, *types.Slice, *types.Chan, *types.Interface:
		return true
	case *types.Tuple:
		for v := range t.Variables() {
			if carriesIn(v.Type(), seen) {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(code.Elements(t), func(inner types.Type) bool { return carriesIn(inner, seen) })
}
