package meter

// Limits bound the declarations of a module. A zero field means its default. Defaults without a
// reason beside them come from the limits that browsers agree on (WebAssembly JavaScript Interface,
// "Implementation-defined limits"), tightened to the needs of converters.
type Limits struct {
	ModuleBytes     int    // default 32 MiB; a Go module with the Kubernetes API machinery has 13 MB
	Types           int    // default 10,000
	Imports         int    // default 256; the largest converter measured imports 30
	Functions       int    // default 100,000; the largest measured, cluster-api's, has about 60,000
	Tables          int    // default 4; compilers emit one
	TableElements   int    // default 131,072 a table, 8 bytes each; a Go guest has one element for each function
	Globals         int    // default 10,000
	Exports         int    // default 1,000
	Segments        int    // default 100,001 of data and of elements; the Go linker emits up to 100,000 of data, and crosswalk bundle adds one
	BodyBytes       int    // default 512 KiB: compiling is quadratic in the worst case (docs/spec/threat-model.md)
	Locals          int    // default 5,000 a function
	Params          int    // default 100 parameters, and as many results
	MemoryPages     uint32 // default 1,024 (64 MiB); Scan rejects a module with a larger minimum
	SegmentElements int    // default 131,072 elements in all element segments together: as many as a table has; each takes 56 bytes of an instance
}

func (l Limits) withDefaults() Limits {
	for _, d := range []struct {
		field *int
		value int
	}{
		{&l.ModuleBytes, 32 << 20},
		{&l.Types, 10_000},
		{&l.Imports, 256},
		{&l.Functions, 100_000},
		{&l.Tables, 4},
		{&l.TableElements, 131_072},
		{&l.Globals, 10_000},
		{&l.Exports, 1_000},
		{&l.Segments, 100_001},
		{&l.BodyBytes, 512 << 10},
		{&l.Locals, 5_000},
		{&l.Params, 100},
		{&l.SegmentElements, 131_072},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if l.MemoryPages == 0 {
		l.MemoryPages = 1024
	}
	return l
}

// The rewritten code of a module may have growth times the module's bytes, plus growthAtLeast.
// Compiled code grows little: among the example converters AssemblyScript to 1.32 times its size, C
// 1.23, C++ 1.22, Zig 1.21, Rust 1.18, rules 1.17, JavaScript 1.15, Nim 1.09, Go 1.05. Functions of
// a few instructions grow to many times their size, as in the tests; the constant allows for these.
// Code and module are in memory together once, so Rewrite takes at most four times the largest
// module. The other sections grow by names of globals and indices, which the limits of Scan bound
// to a megabyte.
const (
	growth        = 2
	growthAtLeast = 64 << 10
)

// mostCode is the most bytes that the rewritten code of a module may have.
func mostCode(wasm []byte) int { return growth*len(wasm) + growthAtLeast }
