package meter

// Bulk operations on memory run in chunks, with a yield after each: an operation on 64 MiB of
// untouched memory takes 150 ms, and neither Go's garbage collector nor a deadline can interrupt
// it. An operation of at most one chunk stays in the function; for a longer one the function calls
// a routine that the rewriter adds to the module. Tables need no chunks: they have at most 131,072
// elements, so an operation on one moves at most 1 MiB.

// inChunks replaces the operation that has just been read. It has been charged, and its length is
// on top of the stack.
func (in *injector) inChunks(at int, r routine) {
	if !in.injects() || r.op == 8 && in.m.dataSizes[r.segment] <= in.rewrite.chunk { // the segment fits in one chunk
		return
	}
	in.replace(at, func(code []byte) []byte {
		length := in.scratchLocal(I32, 0) // chargeBulk left the length there
		code = append(code, 0x1a)         // drop
		code = appendU32(append(code, 0x20), length)
		code = appendS64(append(code, 0x41), int64(int32(in.rewrite.chunk)))
		code = append(code, 0x4b, 0x04) // i32.gt_u, if
		code = appendS64(code, int64(in.rewrite.typeIndex(FuncType{Params: []ValueType{I32, I32}})))
		code = appendU32(append(code, 0x20), length)
		code = appendU32(append(code, 0x10), in.rewrite.routine(r)) // call
		code = appendU32(append(code, 0x05, 0x20), length)          // else, local.get
		code = r.operation(code)
		return append(code, 0x0b)
	})
}
