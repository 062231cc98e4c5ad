package meter

// frame is an open block, loop or if, or the function itself.
type frame struct {
	op          byte // 0x02 block, 0x03 loop, 0x04 if, 0x05 else, 0 the function
	takes       []ValueType
	gives       []ValueType
	height      int // of the operand stack below it
	unreachable bool
	dead        bool // opened in unreachable code
	begin       int  // the path at its beginning
	reached     int  // the longest path so far of a branch to its end
	id          int  // index into ends
}

// open begins a block, loop, if, else, or the function.
func (v *validator) open(op byte, takes, gives []ValueType) {
	f := frame{op: op, takes: takes, gives: gives, height: len(v.operand), begin: v.path, id: len(v.ends), dead: v.unreachable()}
	v.ends = append(v.ends, -1)
	v.control = append(v.control, f)
	for _, t := range takes {
		v.push(t)
	}
}

// unreachable reports whether the current code cannot be reached. Such code is validated, and
// nothing is injected into it: it costs nothing at run time, so a charge would only make the module
// larger.
func (v *validator) unreachable() bool {
	if len(v.control) == 0 {
		return false
	}
	f := &v.control[len(v.control)-1]
	return f.unreachable || f.dead
}

// close ends the innermost frame. Exactly its results must be on the stack.
func (v *validator) close(at int) frame {
	f := v.control[len(v.control)-1]
	v.popAll(f.gives)
	if v.err == nil && len(v.operand) != f.height {
		v.fail(at, "a block ends with %d values more than its type says", len(v.operand)-f.height)
	}
	v.control = v.control[:len(v.control)-1]
	v.path = max(v.path, f.reached)
	v.ends[f.id] = v.path
	return f
}

// reaches records a branch from here to the end of a frame.
func (v *validator) reaches(f *frame) {
	if f.op != 0x03 {
		f.reached = max(f.reached, v.path)
	}
}

// label returns the operand types of a branch to a frame.
func (f *frame) label() []ValueType {
	if f.op == 0x03 {
		return f.takes
	}
	return f.gives
}

// cut marks the code that follows as unreachable.
func (v *validator) cut() {
	f := &v.control[len(v.control)-1]
	v.operand = v.operand[:f.height]
	v.lowest = min(v.lowest, f.height)
	f.unreachable = true
	v.longest = max(v.longest, v.path)
	v.path = 0 // no path through here reaches the targets of the next branches
}

// blockType reads the type of a block.
func (v *validator) blockType() FuncType {
	if v.pos < v.end {
		c := ValueType(v.module[v.pos])
		if c == 0x40 {
			v.pos++
			return FuncType{}
		}
		if c.valid() {
			v.pos++
			return FuncType{Results: []ValueType{c}}
		}
	}
	at := v.pos
	i := v.signed(33)
	if v.err == nil && (i < 0 || i >= int64(len(v.m.types))) {
		v.fail(at, "block type %d does not exist; there are %d types", i, len(v.m.types))
	}
	if v.err != nil {
		return FuncType{}
	}
	return v.m.types[i]
}

// target reads the depth of a branch and returns it with its frame.
func (v *validator) target() (depth int, f *frame) {
	d := v.index("label", len(v.control))
	return d, &v.control[len(v.control)-1-d]
}
