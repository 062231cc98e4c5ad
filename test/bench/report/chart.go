package main

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// Lengths in the chart, in pixels.
const (
	chartWidth  = 760
	labelWidth  = 200
	valueWidth  = 60
	barHeight   = 15
	groupHeader = 26
	groupGap    = 10
	chartHeader = 50
)

// The kinds of bars. Their colours tell apart for the colour-blind.
var bars = [...]struct{ name, colour string }{
	{"native", "#888888"}, {"whole objects", "#0072b2"}, {"declared fields", "#e69f00"}, {"cached answers", "#009e73"},
}

// charted are the workloads of the chart: what API servers send, and lists of common and of large objects.
var charted = [][2]string{{"3.8k", "1"}, {"3.8k", "1000"}, {"21.6k", "1000"}}

// chart is the picture: for some workloads a group of bars, a bar for each system, how often its CPU goes into B1's.
func (r *results) chart() string {
	const name = "BenchmarkReview"
	systems := append([]string{"B2"}, r.languages()...)
	if slices.Contains(r.values(name, "system"), "cached") {
		systems = append(systems, "cached")
	}
	ratio := func(w [2]string, system string) (float64, bool) {
		return r.find("x-B1", name, "object", w[0], "batch", w[1], "system", system)
	}
	longest := 1.0
	for _, w := range charted {
		for _, system := range systems {
			x, _ := ratio(w, system)
			longest = max(longest, x)
		}
	}
	length := func(ratio float64) float64 { return ratio / longest * (chartWidth - labelWidth - valueWidth) }

	var b strings.Builder
	y := chartHeader
	for i, bar := range bars {
		x := 20 + i*140
		fmt.Fprintf(&b, `<rect x="%d" y="31" width="10" height="10" fill="%s"/><text x="%d" y="40">%s</text>`+"\n", x, bar.colour, x+15, bar.name)
	}
	for _, w := range charted {
		fmt.Fprintf(&b, `<text x="20" y="%d" font-weight="bold">%s × %s</text>`+"\n", y+17, size(w[0]), count(w[1]))
		y += groupHeader
		before := ""
		for _, system := range systems {
			x, ok := ratio(w, system)
			if !ok {
				continue
			}
			bar := bars[kindOf(system)]
			if label := title(strings.TrimSuffix(system, "+fields")); label != before {
				fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`, labelWidth-8, y+barHeight-4, html.EscapeString(label))
				before = label
			}
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>`, labelWidth, y, length(x), barHeight-2, bar.colour)
			fmt.Fprintf(&b, `<text x="%.1f" y="%d">%s×</text>`+"\n", labelWidth+length(x)+5, y+barHeight-4, number(x))
			y += barHeight
		}
		y += groupGap
	}
	one := labelWidth + length(1)
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" role="img">
<title>CPU per object: controller-runtime divided by each system</title>
<rect width="100%%" height="100%%" fill="#fff"/>
<text x="20" y="20" font-size="14">CPU per object: controller-runtime (B1) ÷ system; longer is better</text>
%s<path d="M%.1f %dV%d" stroke="#333" stroke-dasharray="3 3"/><text x="%.1f" y="%d" text-anchor="middle">B1 = 1</text>
</svg>
`, chartWidth, y+20, b.String(), one, chartHeader, y, one, y+14)
}

// kindOf returns which kind of bar a system has.
func kindOf(system string) int {
	switch {
	case system == "B2":
		return 0
	case strings.HasSuffix(system, "+fields"):
		return 2
	case system == "cached":
		return 3
	}
	return 1
}
