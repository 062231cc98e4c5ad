package rules

import (
	"encoding/binary"
	"slices"
)

// The format is described in sdk/rules/program.h, which has the same numbers.

const magic = 0x31525743

type code uint32

const (
	opRestore code = iota + 1
	opStash
	opRemove
	opRename
	opMove
	opSplit
	opJoin
	opListFromMap
	opMapFromList
	opSplitList
	opJoinList
	opTranslate
	opConvert
	opWrap
	opUnwrap
	opNest
	opUnnest
	opDefault
	opConstant
	opNoConstant
	opEach
	opWithin
	opNoteEmpty
	opClean
	opSplitObject
	opJoinObject
)

// Limits of the interpreter.
const (
	maxConversions = 64
	maxFields      = 1024
	maxOperations  = 256 // of one block
	maxParts       = 16
)

// operation is one instruction of the interpreter; args are its words a, b, c and so on.
type operation struct {
	code      code
	condition *condition
	path      path
	args      [10]arg
}

// The arguments of operations. A nil arg is the word 0.
type (
	arg     interface{ put(p *program) uint32 }
	word    uint32
	text    string
	texts   []string
	paths   []path
	steps   path
	parts   []part
	pairs   [][2]value
	block   []operation
	jsonRaw []byte
)

// part is one part of a split string.
type part struct {
	path path
	kind valueType
}

// value is a JSON value, by the kind that the interpreter compares: the text of a string is
// unescaped. The zero value is an absent value.
type value struct {
	kind valueKind
	text string
}

type valueKind uint32

const (
	absent valueKind = iota
	null
	boolean
	number
	str
	array
	object
)

// condition restricts an operation to objects with one of some values at a path, or, without
// values, with any value there; and to those for which the next condition holds, too.
type condition struct {
	path   path
	negate bool
	values []value
	and    *condition
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

func (w word) put(*program) uint32 { return uint32(w) }

func (t text) put(p *program) uint32 {
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

func (j jsonRaw) put(p *program) uint32 { return text(j).put(p) }

func (t texts) put(p *program) uint32 {
	list := []uint32{uint32(len(t))}
	for _, one := range t {
		list = append(list, text(one).put(p))
	}
	return p.words(list...)
}

func (s steps) put(p *program) uint32 { return texts(s).put(p) }

func (ps paths) put(p *program) uint32 {
	list := []uint32{uint32(len(ps))}
	for _, one := range ps {
		list = append(list, steps(one).put(p))
	}
	return p.words(list...)
}

func (ps parts) put(p *program) uint32 {
	list := []uint32{uint32(len(ps))}
	for _, one := range ps {
		list = append(list, steps(one.path).put(p), uint32(one.kind))
	}
	return p.words(list...)
}

func (ps pairs) put(p *program) uint32 {
	list := []uint32{uint32(len(ps))}
	for _, pair := range ps {
		for _, v := range pair {
			list = append(list, uint32(v.kind), text(v.text).put(p))
		}
	}
	return p.words(list...)
}

func (c *condition) put(p *program) uint32 {
	negate := uint32(0)
	if c.negate {
		negate = 1
	}
	list := []uint32{steps(c.path).put(p), negate, uint32(len(c.values))}
	for _, v := range c.values {
		list = append(list, uint32(v.kind), text(v.text).put(p))
	}
	if c.and == nil {
		return p.words(append(list, 0)...)
	}
	return p.words(append(list, c.and.put(p))...)
}

func (b block) put(p *program) uint32 {
	conditional := uint32(0)
	var body []uint32
	for _, op := range b {
		given := uint32(0)
		if op.condition != nil {
			conditional, given = 1, op.condition.put(p)
		}
		body = append(body, uint32(op.code), given, steps(op.path).put(p))
		for _, a := range op.args {
			w := uint32(0)
			if a != nil {
				w = a.put(p)
			}
			body = append(body, w)
		}
	}
	return p.words(slices.Concat([]uint32{uint32(len(b)), conditional}, body)...)
}

// conversion is one direction between two versions.
type conversion struct {
	from, to string // group/version
	block    block
}

// encode returns the program of a module.
func encode(description string, conversions []conversion, fields [][2]string) []byte {
	const head = 7 * 4
	p := &program{bytes: make([]byte, head), known: map[string]uint32{}}
	var all, declared []uint32
	for _, c := range conversions {
		all = append(all, text(c.from).put(p), text(c.to).put(p), c.block.put(p))
	}
	for _, f := range fields {
		at := uint32(0)
		if f[1] != "" {
			at = text(f[1]).put(p)
		}
		declared = append(declared, text(f[0]).put(p), at)
	}
	refs := []uint32{magic, 0, text(description).put(p), uint32(len(conversions)), p.words(all...), uint32(len(fields)), p.words(declared...)}
	refs[1] = uint32(len(p.bytes))
	for i, w := range refs {
		binary.LittleEndian.PutUint32(p.bytes[4*i:], w)
	}
	return p.bytes
}
