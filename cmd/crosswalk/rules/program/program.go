// Package program has the operations of a converter, and encodes them for the interpreter. The format
// is described in sdk/rules/program.h, which has the same numbers.
package program

import (
	"encoding/binary"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
)

const magic = 0x31525743

// Code is the number of an instruction.
type code uint32

const (
	OpRestore code = iota + 1
	OpStash
	OpRemove
	OpRename
	OpMove
	OpSplit
	OpJoin
	OpListFromMap
	OpMapFromList
	OpSplitList
	OpJoinList
	OpTranslate
	OpConvert
	OpWrap
	OpUnwrap
	OpNest
	OpUnnest
	OpDefault
	OpConstant
	OpNoConstant
	OpEach
	OpWithin
	OpNoteEmpty
	OpClean
	OpSplitObject
	OpJoinObject
	OpNoteOrder
	OpRenameKeys
	OpSkip
	OpAttempt
)

// Limits of the interpreter.
const (
	maxConversions = 64
	MaxFields      = 1024
	MaxOperations  = 256 // of one block
	MaxParts       = 16
)

// Operation is one instruction of the interpreter; args are its words a, b, c and so on.
type Operation struct {
	Code      code
	Condition *Condition
	Path      fieldpath.Path
	Args      [10]Arg
}

// The arguments of operations. A nil arg is the word 0.
type (
	Arg   interface{ put(p *program) uint32 }
	Word  uint32
	Text  string
	Texts []string
	Paths []fieldpath.Path
	Steps fieldpath.Path
	Parts []Part
	Pairs [][2]Value
	Names [][2]string // pairs of texts
	Block []Operation
	JSON  []byte
)

// Part is one part of a split string.
type Part struct {
	Path fieldpath.Path
	Kind Type
}

// Value is a JSON value, by the kind that the interpreter compares: the text of a string is
// unescaped. The zero value is an absent value.
type Value struct {
	Kind valueKind
	Text string
}

type valueKind uint32

const (
	Absent valueKind = iota
	Null
	Boolean
	Number
	String
	Array
	Object
)

// Condition restricts an operation to objects with one of some values at a path, or, without
// values, with any value there; and to those for which the next condition holds, too.
type Condition struct {
	Path   fieldpath.Path
	Negate bool
	Values []Value
	And    *Condition
}

// program is a program in the making.
type program struct {
	bytes []byte
	known map[string]uint32 // references of texts and paths
}

func (p *program) word(n uint32) { p.bytes = binary.LittleEndian.AppendUint32(p.bytes, n) }

// words writes a list of words and returns its reference.
func (p *program) words(words ...uint32) uint32 {
	at := uint32(len(p.bytes))
	for _, w := range words {
		p.word(w)
	}
	return at
}

// Bit returns the word of a condition.
func Bit(b bool) Word {
	if b {
		return 1
	}
	return 0
}

func (w Word) put(*program) uint32 { return uint32(w) }

func (t Text) put(p *program) uint32 {
	if at, ok := p.known["t"+string(t)]; ok {
		return at
	}
	at := p.words(uint32(len(t)))
	p.bytes = append(append(p.bytes, t...), 0)
	for len(p.bytes)%4 != 0 {
		p.bytes = append(p.bytes, 0)
	}
	p.known["t"+string(t)] = at
	return at
}

func (j JSON) put(p *program) uint32 { return Text(j).put(p) }

// list writes the number of items, and the words of each.
func list[T any](p *program, items []T, words func(T) []uint32) uint32 {
	all := []uint32{uint32(len(items))}
	for _, one := range items {
		all = append(all, words(one)...)
	}
	return p.words(all...)
}

func (t Texts) put(p *program) uint32 {
	return list(p, t, func(one string) []uint32 { return []uint32{Text(one).put(p)} })
}

func (s Steps) put(p *program) uint32 { return Texts(s).put(p) }

func (ps Paths) put(p *program) uint32 {
	return list(p, ps, func(one fieldpath.Path) []uint32 { return []uint32{Steps(one).put(p)} })
}

func (ps Parts) put(p *program) uint32 {
	return list(p, ps, func(one Part) []uint32 { return []uint32{Steps(one.Path).put(p), uint32(one.Kind)} })
}

func (v Value) words(p *program) []uint32 { return []uint32{uint32(v.Kind), Text(v.Text).put(p)} }

func (ps Pairs) put(p *program) uint32 {
	return list(p, ps, func(pair [2]Value) []uint32 { return append(pair[0].words(p), pair[1].words(p)...) })
}

func (ns Names) put(p *program) uint32 {
	return list(p, ns, func(pair [2]string) []uint32 { return []uint32{Text(pair[0]).put(p), Text(pair[1]).put(p)} })
}

func (c *Condition) put(p *program) uint32 {
	list := []uint32{Steps(c.Path).put(p), uint32(Bit(c.Negate)), uint32(len(c.Values))}
	for _, v := range c.Values {
		list = append(list, v.words(p)...)
	}
	if c.And == nil {
		return p.words(append(list, 0)...)
	}
	return p.words(append(list, c.And.put(p))...)
}

func (b Block) put(p *program) uint32 {
	conditional := uint32(0)
	var body []uint32
	for _, op := range b {
		given := uint32(0)
		if op.Condition != nil {
			conditional, given = 1, op.Condition.put(p)
		}
		body = append(body, uint32(op.Code), given, Steps(op.Path).put(p))
		for _, a := range op.Args {
			w := uint32(0)
			if a != nil {
				w = a.put(p)
			}
			body = append(body, w)
		}
	}
	return p.words(slices.Concat([]uint32{uint32(len(b)), conditional}, body)...)
}

// Conversion is one direction between two versions.
type Conversion struct {
	From, To string // group/version
	Block    Block
}

// Encode returns the program of a module.
func Encode(description string, conversions []Conversion, fields [][2]string) []byte {
	const head = 7 * 4
	p := &program{bytes: make([]byte, head), known: map[string]uint32{}}
	var all, declared []uint32
	for _, c := range conversions {
		all = append(all, Text(c.From).put(p), Text(c.To).put(p), c.Block.put(p))
	}
	for _, f := range fields {
		at := uint32(0)
		if f[1] != "" {
			at = Text(f[1]).put(p)
		}
		declared = append(declared, Text(f[0]).put(p), at)
	}
	refs := []uint32{magic, 0, Text(description).put(p), uint32(len(conversions)), p.words(all...), uint32(len(fields)), p.words(declared...)}
	refs[1] = uint32(len(p.bytes))
	for i, w := range refs {
		binary.LittleEndian.PutUint32(p.bytes[4*i:], w)
	}
	return p.bytes
}
