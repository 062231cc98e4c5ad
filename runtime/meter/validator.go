package meter

import "fmt"

// validator follows the types of one function after the other: locals, operands and the open frames,
// with the longest paths through them. It writes nothing.
type validator struct {
	m *Module
	reader

	locals  []ValueType // parameters first
	operand []ValueType
	highest int // the largest operand stack so far
	control []frame
	path    int   // instructions on the longest path from the start of the function to here; charges are differences of it
	longest int   // the longest path so far that ends within the function
	ends    []int // by the id of a block, loop or if: the path after its end; -1 while it is open
	calls   bool  // whether the function calls others
	vectors bool  // whether it has values of 128 bits
	work    int   // left of the module's validation work: one for each value of a list and each local

	// For the estimate of frames: values that live across calls, each of which gets its own place
	// in the frame. At a call these are the locals set and the operands pushed since the previous
	// call.
	spilled int
	sets    int // of locals, since the last call
	lowest  int // height of the operand stack since the last call
}

// A byte of code can name a list of a hundred values, or declare five thousand locals. Compilers
// emit less than one value or local per byte.
const (
	workPerByte = 4
	workAtLeast = 1_000_000
)

// works subtracts n from the work allowed for validation.
func (v *validator) works(n int) {
	if v.work -= n; v.work < 0 {
		v.fail(v.pos, "too much to check: parameters, results, labels and locals of all functions come to more than %d values for each byte of the module", workPerByte)
	}
}

// begin prepares for the i-th own function and returns the declarations of its locals.
func (v *validator) begin(i int) (declared groups) {
	at := v.m.bodies[i]
	v.reader = reader{module: v.m.wasm, pos: at.start, end: at.end, section: fmt.Sprintf("function %d", v.m.imported()+i)}
	typ := v.m.types[v.m.funcs[v.m.imported()+i]]
	v.locals = append(v.locals[:0], typ.Params...)
	v.operand, v.highest, v.calls, v.vectors = v.operand[:0], 0, false, false
	v.path, v.longest, v.ends = 0, 0, v.ends[:0]
	v.spilled, v.sets, v.lowest = 0, 0, 0
	v.control = v.control[:0]
	declared = v.declareLocals()
	v.open(0, nil, typ.Results)
	return declared
}

// declareLocals reads the locals and returns their declarations: the number of groups and their
// bytes.
func (v *validator) declareLocals() (declared groups) {
	n := v.count("groups of locals", v.m.limits.Locals)
	start := v.pos
	for range n {
		at := v.pos
		count, of := v.u32(), v.valueType()
		if int64(len(v.locals))+int64(count) > int64(v.m.limits.Locals) {
			v.fail(at, "%d locals; %d are allowed", int64(len(v.locals))+int64(count), v.m.limits.Locals)
		}
		if v.err != nil {
			return groups{}
		}
		v.works(int(count))
		for range count {
			v.locals = append(v.locals, of)
		}
		v.vectors = v.vectors || of == V128
	}
	return groups{n, v.module[start:v.pos]}
}

// groups are declarations of locals.
type groups struct {
	n     int
	bytes []byte
}

func (v *validator) push(t ValueType) {
	v.operand = append(v.operand, t)
	v.vectors = v.vectors || t == V128
	v.highest = max(v.highest, len(v.operand))
}

func (v *validator) popAny() ValueType {
	f := &v.control[len(v.control)-1]
	if len(v.operand) == f.height {
		if !f.unreachable {
			v.fail(v.pos, "takes a value from an empty stack")
		}
		return unknown
	}
	t := v.operand[len(v.operand)-1]
	v.operand = v.operand[:len(v.operand)-1]
	v.lowest = min(v.lowest, len(v.operand))
	return t
}

func (v *validator) pop(want ValueType) {
	if got := v.popAny(); v.err == nil && got != want && got != unknown && want != unknown {
		v.fail(v.pos, "takes a value of type %v where there is one of %v", want, got)
	}
}

func (v *validator) popAll(types []ValueType) {
	v.works(len(types))
	for i := len(types) - 1; i >= 0; i-- {
		v.pop(types[i])
	}
}

func (v *validator) pushAll(types []ValueType) {
	v.works(len(types))
	for _, t := range types {
		v.push(t)
	}
}

// check requires values of these types on the stack and leaves them there. In unreachable code,
// missing values match any type and stay untyped.
func (v *validator) check(types []ValueType) {
	v.works(len(types))
	f := &v.control[len(v.control)-1]
	for i := range types {
		want := types[len(types)-1-i]
		if at := len(v.operand) - 1 - i; at >= f.height {
			if got := v.operand[at]; got != want && got != unknown {
				v.fail(v.pos, "br_table takes a value of type %v where there is one of %v", want, got)
			}
		} else if !f.unreachable {
			v.fail(v.pos, "takes a value from an empty stack")
		}
	}
}

func (v *validator) call(t FuncType) {
	v.popAll(t.Params)
	v.spilled += min(v.sets, len(v.locals)) + len(v.operand) - min(v.lowest, len(v.operand))
	v.sets, v.lowest = 0, len(v.operand)
	v.pushAll(t.Results)
}

func (v *validator) localIndex() int { return v.index("local", len(v.locals)) }

func (v *validator) typeOfLocal(i int) ValueType {
	if v.err != nil {
		return unknown
	}
	return v.locals[i]
}

func (v *validator) memoryIndex(at int) {
	if !v.m.HasMemory {
		v.fail(at, "uses a memory, and there is none")
	}
	if v.byte() != 0 {
		v.fail(at, "uses another memory than the only one")
	}
}
