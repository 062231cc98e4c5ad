package main

// lists returns the table of BenchmarkList: the time in which an API server lists objects that need
// conversion.
func (r *results) lists() grid {
	const name = "BenchmarkList"
	g := grid{{"server", "wall, s", "B1 ÷", "÷ echo", "server CPU, s"}}
	for _, server := range r.values(name, "server") {
		wall, _ := r.find("wall-ms/list", name, "server", server)
		row := []string{title(server), number(wall / 1e3)}
		if server == "none" {
			g = append(g, append(row, "–", "–", "–"))
			continue
		}
		for _, unit := range []string{"x-B1-wall", "x-echo-wall", "server-ms/list"} {
			value, _ := r.find(unit, name, "server", server)
			if unit == "server-ms/list" {
				value /= 1e3
			}
			row = append(row, number(value))
		}
		g = append(g, row)
	}
	return g
}
