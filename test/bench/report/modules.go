package main

// modules is the table of BenchmarkLoad and BenchmarkFootprint: what it takes to load the converter of each language, and what it then
// holds.
func (r *results) modules() grid {
	g := grid{{"module", "vetting, ms", "rewriting", "compiling", "first instance", "a further one, µs", "module, KiB", "its image", "an instance"}}
	for _, language := range r.values("BenchmarkLoad", "language") {
		row := []string{title(language)}
		for _, cell := range []struct{ unit, name string }{
			{"vet-ms", "BenchmarkLoad"}, {"rewrite-ms", "BenchmarkLoad"}, {"compile-ms", "BenchmarkLoad"}, {"first-ms", "BenchmarkLoad"}, {"further-µs", "BenchmarkLoad"},
			{"module-KiB", "BenchmarkFootprint"}, {"image-KiB", "BenchmarkFootprint"}, {"instance-KiB", "BenchmarkFootprint"},
		} {
			text := "–"
			if v, ok := r.find(cell.unit, cell.name, "language", language); ok {
				text = number(v)
			}
			row = append(row, text)
		}
		g = append(g, row)
	}
	return g
}
