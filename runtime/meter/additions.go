package meter

// rewrite is what one call of Rewrite adds to the module beyond single functions.
type rewrite struct {
	m          *Module
	resettable bool
	chunk      uint32
	types      []FuncType     // added types
	byType     map[string]int // the index of an added type, by its encoding
	routines   []routine      // added functions
}

func (rw *rewrite) counter() uint32 { return uint32(rw.m.Globals) }

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
