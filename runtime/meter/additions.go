package meter

// rewrite is what one call of Rewrite adds to the module beyond single functions.
type rewrite struct {
	m          *Module
	resettable bool
	chunk      uint32
	types      []FuncType     // added types
	byType     map[string]int // the index of an added type, by its encoding
	routines   []routine      // added functions

	countsBlocks bool     // Options.Blocks
	blocks       int      // that have been found
	marks        int      // of them; the others had no room
	markGlobals  []uint32 // with the marks
	markRoom     int      // bytes that marks may still take
}

func (rw *rewrite) counter() uint32 { return uint32(rw.m.Globals) }

// noFunction stands for a global with marks of blocks in the list of references.
const noFunction = -1

// marksPerGlobal is how many blocks are marked in one global, an i64.
const marksPerGlobal = 64

// markBytes is the most bytes of a mark.
const markBytes = 24

// mark writes, if blocks are counted: the block that begins here has run. A block without room for its
// mark counts as one that never runs.
func (rw *rewrite) mark(o *output) {
	if rw == nil || !rw.countsBlocks || len(o.control) == 0 || !o.injects() {
		return
	}
	rw.blocks++
	if rw.markRoom < markBytes {
		return
	}
	rw.markRoom -= markBytes
	o.flush(o.pos)
	global, bit := rw.newMark()
	o.code = appendU32(append(o.code, 0x23), global)            // global.get
	o.code = append(appendS64(append(o.code, 0x42), bit), 0x84) // i64.const, i64.or
	o.code = appendU32(append(o.code, 0x24), global)            // global.set
}

// newMark returns the global of the next mark, and its bit.
func (rw *rewrite) newMark() (global uint32, bit int64) {
	if rw.marks%marksPerGlobal == 0 {
		rw.markGlobals = append(rw.markGlobals, rw.counter()+1+uint32(len(rw.m.references)))
		rw.m.references = append(rw.m.references, noFunction)
	}
	rw.marks++
	return rw.markGlobals[len(rw.markGlobals)-1], int64(uint64(1) << ((rw.marks - 1) % marksPerGlobal))
}

// blockType appends the type of a block without parameters and with these results.
func (rw *rewrite) blockType(code []byte, results []ValueType) []byte {
	switch len(results) {
	case 0:
		return append(code, 0x40)
	case 1:
		return append(code, byte(results[0]))
	}
	return appendS64(code, int64(rw.typeIndex(FuncType{Results: results})))
}

// typeIndex is the index of an added type.
func (rw *rewrite) typeIndex(t FuncType) int {
	key := string(appendType(nil, t))
	i, ok := rw.byType[key]
	if !ok {
		i = len(rw.m.types) + len(rw.types)
		rw.types = append(rw.types, t)
		rw.byType[key] = i
	}
	return i
}

// routine returns the index of the function for r.
func (rw *rewrite) routine(r routine) uint32 {
	first := rw.m.imported() + 1 + rw.m.Functions
	for i := range rw.routines {
		if rw.routines[i] == r {
			return uint32(first + i)
		}
	}
	rw.routines = append(rw.routines, r)
	return uint32(first + len(rw.routines) - 1)
}

func (rw *rewrite) routineType() int {
	return rw.typeIndex(FuncType{Params: []ValueType{I32, I32, I32}})
}
