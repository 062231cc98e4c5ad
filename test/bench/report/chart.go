package main

import (
	"fmt"
	"strings"
)

// Lengths in the chart, in pixels.
const (
	chartWidth  = 760
	labelWidth  = 300
	valueWidth  = 130
	chartHeader = 46
	rowHeight   = 26
	barHeight   = 16
)

// chartStyle has the colours. Colour-blind readers can tell the bars apart, on both backgrounds.
const chartStyle = `<style>
.paper { fill: #fff }
text { fill: #1f2328 }
.native { fill: #8c8c8c }
.gateway { fill: #0072b2 }
@media (prefers-color-scheme: dark) {
.paper { fill: #0d1117 }
text { fill: #e6edf3 }
.gateway { fill: #3a96dd }
}
</style>`

// charted are the servers of the chart: a webhook that converts nothing, the gateway, and the webhook
// that most operators have.
var charted = []struct{ server, class, name string }{
	{"echo", "native", "a webhook that converts nothing"},
	{"c", "gateway", "Crosswalk, a converter in C"},
	{"rules", "gateway", "Crosswalk, rules"},
	{"go", "gateway", "Crosswalk, a converter in Go"},
	{"B1", "native", "controller-runtime's webhook (B1)"},
}

// chart returns the picture: the CPU time of servers for a review of one object over TLS, as API
// servers send it.
func (r *results) chart() string {
	times, longest := make([]float64, len(charted)), 0.0
	for i, c := range charted {
		times[i], _ = r.find("server-µs/request", "BenchmarkTLS", "object", "3.8k", "server", c.server)
		longest = max(longest, times[i])
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="14" role="img">
<title>CPU time of a server for a review of one object of 3.8 KB over TLS; shorter is better</title>
%s
<rect class="paper" width="100%%" height="100%%" rx="6"/>
<text x="20" y="27" font-size="15" font-weight="600">CPU time for one object of 3.8 KB over TLS, as API servers send it; shorter is better</text>
`, chartWidth, chartHeader+len(charted)*rowHeight+12, chartStyle)
	for i, c := range charted {
		y, width := chartHeader+i*rowHeight, times[i]/longest*(chartWidth-labelWidth-valueWidth)
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text><rect class="%s" x="%d" y="%d" width="%.1f" height="%d"/><text x="%.1f" y="%d">%s µs</text>`+"\n",
			labelWidth-8, y+barHeight-3, c.name, c.class, labelWidth, y, width, barHeight, labelWidth+width+6, y+barHeight-3, number(times[i]))
	}
	return b.String() + "</svg>\n"
}
