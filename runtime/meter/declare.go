package meter

import "github.com/crosswalk-gateway/crosswalk/internal/foreign"

// The declaring sections: types, imports, functions, tables, memory, globals, exports, start.

func (m *Module) readTypes(r *reader) {
	for range r.count("types", m.limits.Types) {
		at := r.pos
		if form := r.byte(); form != 0x60 {
			r.fail(at, "0x%02x begins no function type%s", form, featureOfType(form))
			return
		}
		t := FuncType{Params: m.readTypeList(r, "parameters"), Results: m.readTypeList(r, "results")}
		m.types = append(m.types, t)
	}
}

func (m *Module) readTypeList(r *reader, what string) []ValueType {
	var list []ValueType
	for range r.count(what, m.limits.Params) {
		list = append(list, r.valueType())
	}
	return list
}

func (m *Module) readImports(r *reader) {
	for range r.count("imports", m.limits.Imports) {
		at := r.pos
		im := Import{Module: r.name("an import"), Name: r.name("an import")}
		if isReserved(im.Module) {
			r.fail(at, "the name %q belongs to the meter; a module may not import it", foreign.Printable(im.Module, maxName))
			return
		}
		kind := r.byte()
		if r.err != nil {
			return
		}
		if kind == kindTag {
			r.fail(at, "import %v is a tag: exceptions are not supported", im)
			return
		}
		if kind > byte(KindGlobal) {
			r.fail(at, "import %v is of kind %d, which does not exist", im, kind)
			return
		}
		if im.Kind = Kind(kind); im.Kind != KindFunction {
			r.fail(at, "import %v is a %v; a module may import functions only", im, im.Kind)
			return
		}
		t := r.index("type", len(m.types))
		if r.err != nil {
			return
		}
		im.Type = m.types[t]
		m.funcs = append(m.funcs, t)
		m.Imports = append(m.Imports, im)
	}
}

func (m *Module) readFunctions(r *reader) {
	m.Functions = r.count("functions", m.limits.Functions)
	for range m.Functions {
		m.funcs = append(m.funcs, r.index("type", len(m.types)))
	}
}

func (m *Module) readTables(r *reader) {
	for range r.count("tables", m.limits.Tables) {
		at := r.pos
		of := r.valueType()
		if r.err == nil && !of.isRef() {
			r.fail(at, "a table of %v", of)
		}
		t := table{of, r.limits()}
		if int64(t.min) > int64(m.limits.TableElements) {
			r.fail(at, "a table of %d elements; %d are allowed", t.min, m.limits.TableElements)
		}
		m.tables = append(m.tables, t)
	}
}

func (m *Module) readMemory(r *reader) {
	const most = 1 << 16 // pages, by the specification
	at := r.pos
	n := r.count("memories", 2)
	if n > 1 {
		r.fail(at, "several memories are not supported")
		return
	}
	for range n {
		m.HasMemory = true
		m.memory = r.limits()
		m.MemoryMin = m.memory.min
		switch {
		case m.memory.min > most || m.memory.max > most:
			r.fail(at, "a memory of more than %d pages", most)
		case m.memory.min > m.limits.MemoryPages:
			r.fail(at, "the memory begins with %d pages of 64 KiB; %d are allowed", m.memory.min, m.limits.MemoryPages)
		}
	}
}

func (m *Module) readGlobals(r *reader) {
	m.Globals = r.count("globals", m.limits.Globals)
	for range m.Globals {
		g := global{of: r.valueType()}
		at := r.pos
		switch mutable := r.byte(); mutable {
		case 0, 1:
			g.mutable = mutable == 1
		default:
			r.fail(at, "0x%02x is not a mutability", mutable)
		}
		g.init, _ = m.constant(r, g.of)
		m.globals = append(m.globals, g)
	}
}

func (m *Module) readExports(r *reader) {
	seen := map[string]bool{}
	for range r.count("exports", m.limits.Exports) {
		at := r.pos
		e := exported{name: r.name("an export")}
		kind := r.byte()
		switch {
		case r.err != nil:
			return
		case seen[e.name]:
			r.fail(at, "two exports are named %q", foreign.Printable(e.name, maxName))
		case isReserved(e.name):
			r.fail(at, "the name %q belongs to the meter; a module may not export it", foreign.Printable(e.name, maxName))
		case kind > byte(KindGlobal):
			r.fail(at, "export %q is of kind %d, which does not exist", foreign.Printable(e.name, maxName), kind)
		}
		if r.err != nil {
			return
		}
		seen[e.name] = true
		e.kind = Kind(kind)
		public := Export{Name: e.name, Kind: e.kind}
		switch e.kind {
		case KindFunction:
			e.index = r.index("function", len(m.funcs))
			if r.err == nil {
				m.declared[e.index] = true
				public.Type = m.types[m.funcs[e.index]]
			}
		case KindTable:
			e.index = r.index("table", len(m.tables))
		case KindMemory:
			memories := 0
			if m.HasMemory {
				memories = 1
			}
			e.index = r.index("memory", memories)
		case KindGlobal:
			e.index = r.index("global", len(m.globals))
		}
		m.exports = append(m.exports, e)
		m.Exports = append(m.Exports, public)
	}
}

func (m *Module) readStart(r *reader) {
	at := r.pos
	m.start, m.HasStart = r.index("function", len(m.funcs)), true
	if r.err != nil {
		return
	}
	if t := m.types[m.funcs[m.start]]; len(t.Params)+len(t.Results) > 0 {
		r.fail(at, "the start function has type %v; it must be () -> ()", t)
	}
}
