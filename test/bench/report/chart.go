package main

import (
	"fmt"
	"html"
	"strings"
)

// Lengths in the chart, in pixels.
const (
	chartWidth  = 720
	labelWidth  = 190
	valueWidth  = 60
	barHeight   = 16
	groupGap    = 14
	chartHeader = 54
)

// colours of the systems, in the order of their bars; they tell apart for the colour-blind and on light and dark grounds.
var colours = [...]string{"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"}

// chart is the picture: for some workloads a group of bars, a bar for each system, how often its CPU goes into B1's.
func (r *results) chart() string {
	const name = "BenchmarkReview"
	systems := append([]string{"B2"}, r.languages()...)
	workloads := [][2]string{{"0.9k", "1"}, {"3.8k", "1"}, {"3.8k", "1000"}, {"21.6k", "1"}, {"21.6k", "1000"}, {"1M", "1"}}
	longest := 1.0
	for _, l := range r.lines {
		if l.name == name {
			longest = max(longest, l.metrics["x-B1"])
		}
	}
	length := func(ratio float64) float64 { return ratio / longest * (chartWidth - labelWidth - valueWidth) }

	var bars strings.Builder
	y := chartHeader
	for _, w := range workloads {
		fmt.Fprintf(&bars, `<text x="%d" y="%d" text-anchor="end">%s × %s</text>`+"\n", labelWidth-10, y+barHeight*len(systems)/2+4, size(w[0]), count(w[1]))
		for i, system := range systems {
			ratio, ok := r.find("x-B1", name, "object", w[0], "batch", w[1], "system", system)
			if !ok {
				continue
			}
			top := y + i*barHeight
			fmt.Fprintf(&bars, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>`, labelWidth, top, length(ratio), barHeight-2, colours[i%len(colours)])
			fmt.Fprintf(&bars, `<text x="%.1f" y="%d">%s×</text>`+"\n", labelWidth+length(ratio)+5, top+barHeight-4, number(ratio))
		}
		y += barHeight*len(systems) + groupGap
	}
	var legend strings.Builder
	for i, system := range systems {
		x := labelWidth + i*100
		fmt.Fprintf(&legend, `<rect x="%d" y="32" width="10" height="10" fill="%s"/><text x="%d" y="41">%s</text>`+"\n", x, colours[i%len(colours)], x+15, html.EscapeString(title(system)))
	}
	one := labelWidth + length(1)
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" role="img">
<title>CPU per object: controller-runtime divided by each system</title>
<rect width="100%%" height="100%%" fill="#fff"/>
<text x="%d" y="20" font-size="14">CPU per object: controller-runtime (B1) ÷ system, object size × objects in a review</text>
%s%s<path d="M%.1f %dV%d" stroke="#333" stroke-dasharray="3 3"/><text x="%.1f" y="%d" text-anchor="middle">B1 = 1</text>
</svg>
`, chartWidth, y+20, 20, legend.String(), bars.String(), one, chartHeader-6, y, one, y+14)
}
