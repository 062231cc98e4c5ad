package meter

// The prices of making an instance, in fuel of about a nanosecond each. The engine does this work
// before any code runs, in proportion to the module's declarations. Measured with wazero v1.12.0 on
// one core, rounded up.
const (
	perInstance = 50_000 // 20 to 50 µs for the engine's structures, and for mapping and unmapping memory
	perElement  = 100    // 70 to 90 ns: the engine allocates a reference for each
	perSegment  = 50     // 10 to 40 ns, for elements and for data
	perGlobal   = 50     // 20 to 40 ns
	perExport   = 50
)

// parts is Rewritten.Parts.
func (m *Module) parts() int {
	return m.Functions + m.Globals + len(m.exports) + len(m.types) + len(m.elementTypes) + m.dataEntries + m.elementCount + len(m.references)
}

// instanceFuel is the price of an instance, without the code that it runs.
func (m *Module) instanceFuel() int64 {
	fuel := int64(perInstance)
	fuel += perElement * int64(m.elementCount+len(m.references))
	fuel += perSegment * int64(len(m.elementTypes)+m.dataEntries)
	fuel += perGlobal * int64(m.Globals+len(m.references))
	fuel += perExport * int64(len(m.exports))
	fuel += int64(len(m.data)) >> bytesPerUnit
	for _, t := range m.tables {
		fuel += int64(t.min) * 8 >> bytesPerUnit
	}
	return fuel
}
