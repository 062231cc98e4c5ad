package meter

// reference replaces the ref.func that has just been read by a read of an added immutable global
// that holds the reference. The engine allocates at each execution of ref.func and frees nothing
// while the instance lives; the initialiser of a global runs once per instance.
func (in *injector) reference(at, f int) {
	i, ok := in.m.referenced[f]
	switch {
	case in.err != nil:
		return
	case !ok && len(in.m.referenced) == in.m.limits.Globals:
		in.fail(at, "the code takes references to more than %d functions", in.m.limits.Globals)
		return
	case !ok:
		i = len(in.m.references)
		in.m.referenced[f] = i
		in.m.references = append(in.m.references, f)
	}
	in.replace(at, func(code []byte) []byte {
		return appendU32(append(code, 0x23), in.rewrite.counter()+1+uint32(i)) // global.get
	})
}

// growTable replaces the table.grow that has just been read by its result: the table's size if it
// grows by zero, otherwise -1, because the maximum of every table is its minimum. The instruction
// itself would call the engine each time.
func (in *injector) growTable(at, table int) {
	if !in.injects() {
		return
	}
	in.replace(at, func(code []byte) []byte {
		by := in.scratchLocal(I32, 0)
		code = appendU32(append(code, 0x21), by)                      // local.set
		code = appendU32(append(code, 0x1a, 0xfc, 16), uint32(table)) // drop, table.size
		code = append(code, 0x41, 0x7f)                               // i32.const -1
		return append(appendU32(append(code, 0x20), by), 0x45, 0x1b)  // local.get, i32.eqz, select
	})
}
