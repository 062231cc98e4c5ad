package main

// lists is the table of BenchmarkList: how long an API server takes to list objects that it has to have converted.
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

// listGoals are those of a whole list.
func (r *results) listGoals() []target {
	var all []target
	aim := func(language, server string) {
		t := target{figure: "wall time of a LIST of 10,000 objects of 3.8 KB through an API server: gateway ÷ echo", language: language, aim: 1.05, atMost: true, limit: listLimit}
		t.got, t.measured = r.find("x-echo-wall", "BenchmarkList", "server", server)
		all = append(all, t)
	}
	for _, server := range r.values("BenchmarkList", "server") {
		if server != "B1" && server != "B2" && server != "echo" && server != "none" {
			aim(server, server)
		}
	}
	if len(all) == 0 {
		aim("", "")
	}
	return all
}
