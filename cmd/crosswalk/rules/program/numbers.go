package program

// Type is a type as sdk/rules/numbers.h numbers it.
type Type uint32

const (
	AnyType Type = iota
	StringType
	IntegerType
	NumberType
	BooleanType
	QuantityType
	DurationType
	ObjectType
	ListType
	APIVersionType
	APIGroupType
)

// TypeNames are the types of convert besides units.
var TypeNames = map[string]Type{
	"string": StringType, "integer": IntegerType, "number": NumberType, "boolean": BooleanType, "quantity": QuantityType, "duration": DurationType,
	"apiVersion": APIVersionType, "apiGroup": APIGroupType, "intOrString": IntegerType, // of which texts are refused
}

// Units, by their index in sdk/rules/numbers.h.
var (
	DurationUnits = map[string]Word{"ns": 0, "us": 1, "ms": 4, "s": 5, "min": 6, "h": 7}
	QuantityUnits = map[string]Word{"integer": 0, "1": 0, "n": 1, "u": 2, "m": 3, "k": 4, "M": 5, "G": 6, "T": 7, "P": 8, "E": 9,
		"Ki": 10, "Mi": 11, "Gi": 12, "Ti": 13, "Pi": 14, "Ei": 15, "bytes": 16}
)

// Nano is the unit between quantities and durations: a quantity counts seconds.
const Nano Word = 1

// How strings are split, and where parts go that cannot be joined, as sdk/rules/program.h
// numbers it.
const (
	EverySeparator = iota
	FirstSeparators
	LastSeparators
	SplitWords
	SplitHostPort
)

const (
	PartialStash = iota
	PartialLeave
	PartialRefuse
	PartialAnnotation
)
