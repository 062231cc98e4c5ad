package main

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
)

// Lengths in the chart, in pixels.
const (
	chartWidth  = 760
	labelWidth  = 190
	valueWidth  = 100
	rowHeight   = 19
	barHeight   = 12
	groupHeader = 30
	groupGap    = 8
	chartHeader = 62
	chartFooter = 30
)

// chartStyle has the colours. Colour-blind readers can tell the bars apart, on both backgrounds. A
// value has an outline in the background's colour, because it may overlap a line.
const chartStyle = `<style>
.paper { fill: #fff }
text { fill: #1f2328 }
.value { stroke: #fff; stroke-width: 4px; paint-order: stroke }
.line { stroke: #d1d9e0 }
.one { stroke: #59636e; stroke-dasharray: 3 3 }
.soft { fill: #59636e }
.native { fill: #8c8c8c }
.whole { fill: #0072b2 }
.declared { fill: #e69f00 }
.cached { fill: #009e73 }
@media (prefers-color-scheme: dark) {
.paper { fill: #0d1117 }
text { fill: #e6edf3 }
.value { stroke: #0d1117 }
.line { stroke: #2a313c }
.one { stroke: #9198a1 }
.soft { fill: #9198a1 }
.whole { fill: #3a96dd }
}
</style>`

// legend names the classes of bars.
var legend = [...]struct{ class, name string }{
	{"native", "native"}, {"whole", "whole objects"}, {"declared", "declared fields"}, {"cached", "answered from the cache"},
}

// charted are the workloads of the chart: a single object, as API servers send it, and lists of
// common and of large objects. The second workload decides the order.
var charted = []workload{{"3.8k", "1"}, {"3.8k", "1000"}, {"21.6k", "1000"}}

// bar is a row of a group: B1's CPU time divided by a system's.
type bar struct {
	system          string
	ratio, declared float64 // declared is the ratio of the module with declared fields; 0 if there is none
}

// value returns the label at the end of the bar.
func (b bar) value() string {
	if b.declared == 0 {
		return number(b.ratio) + "×"
	}
	return number(b.ratio) + "×, " + number(b.declared) + "×"
}

// class returns the class of the bar.
func (b bar) class() string {
	switch b.system {
	case "B2":
		return "native"
	case "cached":
		return "cached"
	}
	return "whole"
}

// bars returns the bars of a workload, the systems in a given order.
func (r *results) bars(w workload, systems []string) (all []bar) {
	for _, system := range systems {
		ratio, ok := r.review("x-B1", w.object, w.batch, "")(system)
		declared, _ := r.review("x-B1", w.object, w.batch, projectedSuffix)(system)
		if ok {
			all = append(all, bar{system, ratio, declared})
		}
	}
	return all
}

// stepFor returns the distance between the lines of a scale up to a ratio, so that there are at
// most eight.
func stepFor(longest float64) float64 {
	for step := 1.0; ; step *= 10 {
		for _, factor := range []float64{1, 2, 5} {
			if longest <= 8*factor*step {
				return factor * step
			}
		}
	}
}

// chart returns the picture: for each charted workload a group of bars, one for each system.
func (r *results) chart() string {
	systems := slices.Concat(r.languages(), r.adapters())
	slices.SortStableFunc(systems, func(a, b string) int {
		of := r.review("x-B1", charted[1].object, charted[1].batch, "")
		x, _ := of(a)
		y, _ := of(b)
		return cmp.Compare(y, x)
	})
	systems = slices.Concat([]string{"cached"}, systems, []string{"B2"})
	groups := make([][]bar, len(charted))
	longest, height := 1.0, chartHeader
	for i, w := range charted {
		groups[i] = r.bars(w, systems)
		for _, b := range groups[i] {
			longest = max(longest, b.ratio, b.declared)
		}
		height += groupHeader + len(groups[i])*rowHeight + groupGap
	}
	length := func(ratio float64) float64 { return ratio / longest * (chartWidth - labelWidth - valueWidth) }

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="12" role="img">
<title>CPU time per object: controller-runtime divided by each system</title>
%s
<rect class="paper" width="100%%" height="100%%" rx="6"/>
<text x="20" y="24" font-size="15" font-weight="600">CPU time per object: controller-runtime (B1) ÷ each system; longer is better</text>
`, chartWidth, height+chartFooter, chartStyle)
	x := 20
	for _, kind := range legend {
		fmt.Fprintf(&b, `<rect class="%s" x="%d" y="37" width="10" height="10" rx="2"/><text x="%d" y="46">%s</text>`+"\n", kind.class, x, x+15, kind.name)
		x += 40 + len(kind.name)*13/2
	}
	step := stepFor(longest)
	for at := step; at <= longest; at += step {
		fmt.Fprintf(&b, `<path class="line" d="M%.1f %dV%d"/><text class="soft" x="%.1f" y="%d" text-anchor="middle">%v×</text>`+"\n",
			labelWidth+length(at), chartHeader+groupHeader-4, height, labelWidth+length(at), height+16, at)
	}
	one := labelWidth + length(1)
	fmt.Fprintf(&b, `<path class="one" d="M%.1f %dV%d"/><text class="soft" x="%.1f" y="%d" text-anchor="middle">B1</text>`+"\n",
		one, chartHeader+groupHeader-4, height, one, height+16)
	y := chartHeader
	for i, w := range charted {
		fmt.Fprintf(&b, `<text x="20" y="%d" font-weight="600">%s × %s</text>`+"\n", y+20, size(w.object), count(w.batch))
		y += groupHeader
		for _, bar := range groups[i] {
			fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`, labelWidth-8, y+barHeight-2, html.EscapeString(title(bar.system)))
			if bar.declared > bar.ratio {
				fmt.Fprintf(&b, `<rect class="declared" x="%d" y="%d" width="%.1f" height="%d"/>`, labelWidth, y, length(bar.declared), barHeight)
			}
			fmt.Fprintf(&b, `<rect class="%s" x="%d" y="%d" width="%.1f" height="%d"/>`, bar.class(), labelWidth, y, length(bar.ratio), barHeight)
			fmt.Fprintf(&b, `<text class="value" x="%.1f" y="%d">%s</text>`+"\n", labelWidth+length(max(bar.ratio, bar.declared))+6, y+barHeight-2, bar.value())
			y += rowHeight
		}
		y += groupGap
	}
	return b.String() + "</svg>\n"
}
