package meter

// The sections with content: elements, data, code, and the constant expressions in them.

// constant reads a constant expression of one type and returns it rewritten, with its end. offset
// is the value of an i32 expression. A global can be initialised by an imported global only, and
// modules may not import any.
func (m *Module) constant(r *reader, want ValueType) (code []byte, offset uint32) {
	at := r.pos
	op := r.byte()
	code = append(code, op)
	var got ValueType
	switch op {
	case 0x41: // i32.const
		v := r.signed(32)
		code, got, offset = appendS64(code, v), I32, uint32(v)
	case 0x42: // i64.const
		code, got = appendS64(code, r.signed(64)), I64
	case 0x43: // f32.const
		code, got = append(code, r.bytes(4)...), F32
	case 0x44: // f64.const
		code, got = append(code, r.bytes(8)...), F64
	case 0xfd: // v128.const
		if sub := r.u32(); sub != 12 {
			r.fail(at, "vector instruction %d is not constant", sub)
		}
		code, got = append(append(code, 12), r.bytes(16)...), V128
	case 0xd0: // ref.null
		got = r.valueType()
		if r.err == nil && !got.isRef() {
			r.fail(at, "ref.null of %v", got)
		}
		code = append(code, byte(got))
	case 0xd2: // ref.func
		f := r.index("function", len(m.funcs))
		m.declared[f] = true
		code, got = appendU32(code, uint32(m.shifted(f))), FuncRef
	case 0x23: // global.get
		r.fail(at, "a constant expression reads a global; only imported ones could be read, and a module may not import any")
	default:
		r.fail(at, "0x%02x is not a constant expression", op)
	}
	if r.err == nil && got != want {
		r.fail(at, "a constant expression of type %v where %v is needed", got, want)
	}
	if end := r.byte(); r.err == nil && end != 0x0b {
		r.fail(at, "a constant expression has more than one instruction")
	}
	return append(code, 0x0b), offset
}

func (m *Module) readElements(r *reader) {
	total := 0
	for range r.count("element segments", m.limits.Segments) {
		at := r.pos
		flags := r.u32()
		if flags > 7 {
			r.fail(at, "an element segment of kind %d, which does not exist", flags)
		}
		if r.err != nil {
			return
		}
		out := appendU32(m.elements, flags)
		active, explicit, expressions := flags&1 == 0, flags&2 != 0, flags&4 != 0
		into := 0
		var offset uint32
		if active {
			if explicit {
				into = r.index("table", len(m.tables))
				out = appendU32(out, uint32(into))
			} else if len(m.tables) == 0 {
				r.fail(at, "an element segment for a table, and there is none")
			}
			var code []byte
			code, offset = m.constant(r, I32)
			out = append(out, code...)
		}
		of := FuncRef
		if !active || explicit {
			b := r.byte()
			switch out = append(out, b); {
			case expressions && ValueType(b).isRef():
				of = ValueType(b)
			case expressions:
				r.fail(at, "elements of type 0x%02x", b)
			case b != 0:
				r.fail(at, "elements of kind 0x%02x", b)
			}
		}
		n := r.count("elements", m.limits.SegmentElements-total)
		total += n
		out = appendU32(out, uint32(n))
		for range n {
			if expressions {
				code, _ := m.constant(r, of)
				out = append(out, code...)
				continue
			}
			f := r.index("function", len(m.funcs))
			m.declared[f] = true
			out = appendU32(out, uint32(m.shifted(f)))
		}
		if active && r.err == nil {
			switch t := m.tables[into]; {
			case t.of != of:
				r.fail(at, "elements of %v for a table of %v", of, t.of)
			case int64(offset)+int64(n) > int64(t.min):
				r.fail(at, "%d elements at %d of a table that has %d", n, offset, t.min)
			}
		}
		m.elements, m.elementCount = out, total
		m.elementTypes = append(m.elementTypes, of)
	}
}

func (m *Module) readDataCount(r *reader) {
	at := r.pos
	n := r.u32()
	if int64(n) > int64(m.limits.Segments) {
		r.fail(at, "declares %d data segments; %d are allowed", n, m.limits.Segments)
		return
	}
	m.dataCount = int(n)
}

func (m *Module) readData(r *reader) {
	m.dataEntries = r.count("data segments", m.limits.Segments)
	start := r.pos
	for range m.dataEntries {
		at := r.pos
		flags := r.u32()
		if flags > 2 {
			r.fail(at, "a data segment of kind %d, which does not exist", flags)
		}
		if flags == 2 {
			if r.u32() != 0 {
				r.fail(at, "a data segment for another memory than the only one")
			}
		}
		var offset uint32
		if flags != 1 {
			if !m.HasMemory {
				r.fail(at, "a data segment for a memory, and there is none")
			}
			_, offset = m.constant(r, I32)
		}
		n := r.count("bytes of data", r.end)
		r.bytes(n)
		m.dataSizes = append(m.dataSizes, uint32(n))
		if size := int64(m.memory.min) << 16; flags != 1 && r.err == nil && int64(offset)+int64(n) > size {
			r.fail(at, "%d bytes of data at %d of a memory that begins with %d", n, offset, size)
		}
	}
	m.data = m.wasm[start:r.pos] // no function can be named in an i32 expression: nothing to rewrite
}

func (m *Module) readCode(r *reader) {
	n := r.count("functions", m.limits.Functions)
	if n != m.Functions {
		r.fail(r.pos, "has code for %d functions, and %d are declared", n, m.Functions)
	}
	for range n {
		at := r.pos
		size := r.count("bytes of code", r.end)
		if size > m.limits.BodyBytes {
			r.fail(at, "a function of %d bytes; %d are allowed", size, m.limits.BodyBytes)
		}
		start := r.pos
		r.bytes(size)
		m.bodies = append(m.bodies, span{start, start + size})
	}
}
