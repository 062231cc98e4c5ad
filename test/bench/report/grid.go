package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// grid is a table: a row of headings and rows of cells.
type grid [][]string

// text is the table for a terminal.
func (g grid) text() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range g {
		fmt.Fprintln(w, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	w.Flush()
	return b.String()
}

// markdown is the table for a document. All columns but the first are numbers if right says so.
func (g grid) markdown(right bool) string {
	var b strings.Builder
	for i, row := range g {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			rule := "---|"
			if right {
				rule = "---:|"
			}
			b.WriteString("|---|" + strings.Repeat(rule, len(row)-1) + "\n")
		}
	}
	return b.String()
}

// number writes a value with three digits that count.
func number(v float64) string {
	switch {
	case v >= 100:
		return thousands(int64(v + 0.5))
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}

// thousands writes a number with a comma after every three digits.
func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// reviews is the table of BenchmarkReview: CPU for each object, and how often that goes into what B1 took.
func (r *results) reviews() grid {
	const name = "BenchmarkReview"
	g := grid{{"object × batch", "B1, µs/object", "B2"}}
	languages := r.languages()
	if slices.Contains(r.values(name, "system"), "cached") {
		languages = append(languages, "cached")
	}
	for _, l := range languages {
		g[0] = append(g[0], title(l))
	}
	for _, object := range r.values(name, "object") {
		for _, batch := range r.values(name, "batch") {
			b1, ok := r.find("cpu-µs/object", name, "object", object, "batch", batch, "system", "B1")
			if !ok {
				continue
			}
			row := []string{size(object) + " × " + count(batch), number(b1)}
			for _, system := range append([]string{"B2"}, languages...) {
				cell := "–"
				if cpu, ok := r.find("cpu-µs/object", name, "object", object, "batch", batch, "system", system); ok {
					ratio, _ := r.find("x-B1", name, "object", object, "batch", batch, "system", system)
					cell = fmt.Sprintf("%s (%s×)", number(cpu), number(ratio))
				}
				row = append(row, cell)
			}
			g = append(g, row)
		}
	}
	return g
}

// servers is the table of BenchmarkTLS.
func (r *results) servers() grid {
	const name = "BenchmarkTLS"
	g := grid{{"object", "server", "server CPU, µs", "B1 ÷", "÷ echo", "wall, µs", "B1 ÷"}}
	for _, object := range r.values(name, "object") {
		for _, server := range r.values(name, "server") {
			row := []string{size(object), title(server)}
			for _, unit := range []string{"server-µs/request", "x-B1", "x-echo", "wall-µs/request", "x-B1-wall"} {
				value, _ := r.find(unit, name, "object", object, "server", server)
				row = append(row, number(value))
			}
			g = append(g, row)
		}
	}
	return g
}

// size writes "0.9k" as "0.9 KB".
func size(object string) string {
	if digits, ok := strings.CutSuffix(object, "k"); ok {
		return digits + " KB"
	}
	if digits, ok := strings.CutSuffix(object, "M"); ok {
		return digits + " MiB"
	}
	return object
}

// kilobytes is what size says, as a number; 0 if it says something else.
func kilobytes(object string) float64 {
	digits, factor := strings.CutSuffix(object, "k")
	scale := 1.0
	if !factor {
		digits, _ = strings.CutSuffix(object, "M")
		scale = 1048.576
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0
	}
	return n * scale
}

// count writes "1000" as "1,000".
func count(batch string) string {
	n, err := strconv.ParseInt(batch, 10, 64)
	if err != nil {
		return batch
	}
	return thousands(n)
}
