package state

import (
	"go/types"
	"regexp"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"golang.org/x/tools/go/ssa"
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
