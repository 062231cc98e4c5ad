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

// moduleGoals are those of a module's memory, and of the time until a directory of modules serves.
func (r *results) moduleGoals() []target {
	var all []target
	for _, language := range []string{"c", "rust"} {
		held := target{figure: "memory of a loaded module, its image and an idle instance, MiB", language: language, aim: 1.5, atMost: true, limit: "compiled code"}
		held.measured = true
		for _, unit := range []string{"module-KiB", "image-KiB", "instance-KiB"} {
			v, ok := r.find(unit, "BenchmarkFootprint", "language", language)
			held.got += v / 1024
			held.measured = held.measured && ok
		}
		all = append(all, held)
	}
	for _, of := range []struct {
		figure, variant string
		aim             float64
		limit           string
	}{
		{"CPU of a start with 100 modules, vetted, s", "vet", 15, "each is compiled twice, once in a process of its own"},
		{"the same from the compile cache", "cached", 0.5, "each is read, checked against its seal, and started"},
	} {
		start := target{figure: of.figure, language: "c", aim: of.aim, atMost: true, limit: of.limit}
		ms, ok := r.find("cpu-ms", "BenchmarkStart", "C", "100", "", of.variant)
		start.got, start.measured = ms/1000, ok
		all = append(all, start)
	}
	return all
}
