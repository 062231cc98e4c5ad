package meter

// The Go compiler, and others that express arbitrary jumps, wrap a function in a loop that begins
// with a br_table over blocks, on a local: a jump sets the local and branches to the loop. Most of
// these jumps go forward. The rewriter replaces them by branches to the table's target, which saves
// the table and needs no charge. For a jump back, the charge counts from the target.

// dispatch is the table at the beginning of a loop.
type dispatch struct {
	local  int
	labels []label // the last is the default
}

// label is a block whose end is a target of the table: its index among the open frames, and the id
// that identifies it while it is open. A zero id means a label outside the head; the function
// itself has the id zero and is not part of the head.
type label struct{ at, id int }

// head follows the instructions at the beginning of a loop while they can be a dispatch.
type head struct {
	loop  int // index of the loop's frame; 0, the function's own, if there is none
	next  int // position of the next instruction of the dispatch
	read  bool
	local int
}

// known is a local whose value is known at a position: the constant stored just before.
type known struct {
	value    uint32
	constant int // where the constant ends
	local    int
	set      int // where the local.set ends
}

// throughTable is the number of instructions of a dispatch without its blocks: the read of the
// local, and the table.
const throughTable = 2

// headOpens follows every block, loop and if when it opens.
func (in *injector) headOpens(at int, op byte, t FuncType) {
	plain := len(t.Params)+len(t.Results) == 0
	switch {
	case op == 0x03 && len(t.Params) == 0:
		in.head = head{loop: len(in.control) - 1, next: in.pos}
	case op == 0x02 && plain && at == in.head.next && !in.head.read:
		in.head.next = in.pos
	}
}

// headReads follows every local.get.
func (in *injector) headReads(at, local int) {
	if in.head.loop > 0 && at == in.head.next && !in.head.read {
		in.head.next, in.head.read, in.head.local = in.pos, true, local
	}
}

// headBranches follows every br_table with so many labels; the first is at the reader's position.
func (in *injector) headBranches(at, labels int) {
	if in.head.loop == 0 || at != in.head.next || !in.head.read {
		return
	}
	d := &dispatch{local: in.head.local, labels: make([]label, labels)}
	for i := range labels {
		depth, f := in.target()
		if place := len(in.control) - 1 - depth; place > in.head.loop { // these are all blocks, of no values
			d.labels[i] = label{place, f.id}
		}
	}
	in.tables[in.control[in.head.loop].id] = d
}

// knows follows every local.set.
func (in *injector) knows(at, local int) {
	if at == in.known.constant {
		in.known.local, in.known.set = local, in.pos
	}
}

// jump returns the target, through the dispatch of a loop, of a branch to the loop at this
// position, if it is known.
func (in *injector) jump(at int, f *frame) (l label, ok bool) {
	d := in.tables[f.id]
	if d == nil || in.known.set != at || in.known.local != d.local {
		return label{}, false
	}
	l = d.labels[min(int64(in.known.value), int64(len(d.labels)-1))]
	return l, l.id > 0
}

// branch rewrites the unconditional branch that has just been read.
func (in *injector) branch(at, depth int, f *frame) {
	if f.op != 0x03 || !in.injects() {
		return
	}
	cost := int64(in.path - f.begin)
	if l, ok := in.jump(at, f); ok {
		if l.at < len(in.control) && in.control[l.at].id == l.id { // still open: its end is ahead
			in.reaches(&in.control[l.at])
			in.replace(at, func(code []byte) []byte { return appendU32(append(code, 0x0c), uint32(len(in.control)-1-l.at)) })
			return
		}
		cost = max(int64(in.path-in.ends[l.id]), 0) + throughTable
	}
	if len(f.takes) > 0 { // its operands are on the stack, out of reach of an if
		in.flush(at)
		in.code = in.charge(in.code, cost)
		return
	}
	in.replace(at, func(code []byte) []byte { return in.chargeBack(code, cost, depth) })
}

// branchIf rewrites the conditional branch that has just been read. The charge applies if it is
// taken.
func (in *injector) branchIf(at, depth int, f *frame) {
	if f.op != 0x03 || !in.injects() {
		return
	}
	cost := int64(in.path - f.begin)
	if len(f.takes) > 0 { // its operands are on the stack: charge it either way
		in.flush(at)
		in.code = in.charge(in.code, cost)
		return
	}
	in.replace(at, func(code []byte) []byte {
		return append(in.chargeBack(append(code, 0x04, 0x40), cost, depth+1), 0x0b) // if, end
	})
}
