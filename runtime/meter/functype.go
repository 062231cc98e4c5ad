package meter

import (
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// ValueType is the type of a value, in the encoding of the binary format.
type ValueType byte

// The value types of core features 2.0.
const (
	I32       ValueType = 0x7f
	I64       ValueType = 0x7e
	F32       ValueType = 0x7d
	F64       ValueType = 0x7c
	V128      ValueType = 0x7b
	FuncRef   ValueType = 0x70
	ExternRef ValueType = 0x6f

	unknown ValueType = 0 // any type, in unreachable code
)

func (t ValueType) String() string {
	switch t {
	case I32:
		return "i32"
	case I64:
		return "i64"
	case F32:
		return "f32"
	case F64:
		return "f64"
	case V128:
		return "v128"
	case FuncRef:
		return "funcref"
	case ExternRef:
		return "externref"
	}
	return "unknown"
}

func (t ValueType) isRef() bool { return t == FuncRef || t == ExternRef }

func (t ValueType) valid() bool {
	switch t {
	case I32, I64, F32, F64, V128, FuncRef, ExternRef:
		return true
	}
	return false
}

// FuncType is the type of a function.
type FuncType struct {
	Params, Results []ValueType
}

// String returns the type in the form "(i32, i32) -> i64". A result that is not exactly one is in
// parentheses too.
func (t FuncType) String() string {
	list := func(types []ValueType) string {
		names := make([]string, len(types))
		for i, t := range types {
			names[i] = t.String()
		}
		return strings.Join(names, ", ")
	}
	results := list(t.Results)
	if len(t.Results) != 1 {
		results = "(" + results + ")"
	}
	return "(" + list(t.Params) + ") -> " + results
}

// Kind is the kind of an import or export, in the encoding of the binary format.
type Kind byte

// The kinds of imports and exports.
const (
	KindFunction Kind = iota
	KindTable
	KindMemory
	KindGlobal
)

func (k Kind) String() string {
	return [...]string{"function", "table", "memory", "global"}[k&3]
}

// Import is an import of a module. Scan accepts functions only.
type Import struct {
	Module, Name string
	Kind         Kind
	Type         FuncType // of a function
}

// maxName is the most bytes that a message shows of a name. The longest name in the example
// converters has 40.
const maxName = 100

// String returns module and name with a dot between them, cleaned for a message.
func (im Import) String() string {
	return foreign.Printable(im.Module, maxName) + "." + foreign.Printable(im.Name, maxName)
}

// Export is an export of a module.
type Export struct {
	Name string
	Kind Kind
	Type FuncType // of a function
}
