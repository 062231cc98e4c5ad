package monitoring

import (
	"fmt"
	"html"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
)

// The picture is 24 grid columns wide, as Grafana's dashboards are.
const column, line = 50, 26

var (
	colours = [...]string{"#3274d9", "#e0752d", "#299c46", "#a352cc", "#c4162a", "#8f8f8f"}
	legend  = regexp.MustCompile(`{{(\w+)}}`)
)

// draw writes the dashboard with the results of its queries as SVG: the picture in docs. It
// imitates Grafana's layout, because Grafana itself is not available to the tests.
func draw(t *testing.T, file string, panels []panel, engine *promql.Engine, from storage.Queryable, first, last time.Time) {
	t.Helper()
	height := 0
	var b strings.Builder
	for _, p := range panels {
		x, y, w, h := p.GridPos.X*column, p.GridPos.Y*line, p.GridPos.W*column, p.GridPos.H*line
		height = max(height, y+h)
		if p.Type == "row" {
			fmt.Fprintf(&b, `<text x="%d" y="%d" class="r">%s</text>`, x+8, y+18, html.EscapeString(p.Title))
			continue
		}
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" class="p"/><text x="%d" y="%d" class="t">%s</text>`, x+3, y+3, w-6, h-6, x+12, y+20, html.EscapeString(p.Title))
		var series []named
		for _, target := range p.Targets {
			q, err := engine.NewRangeQuery(t.Context(), from, nil, expression(target.Expr), first.Add(2*interval), last, interval)
			if err != nil {
				t.Fatal(err)
			}
			m, err := q.Exec(t.Context()).Matrix()
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range m {
				series = append(series, named{name(target.LegendFormat, s.Metric), slices.Clone(s.Floats)})
			}
			q.Close()
		}
		switch p.Type {
		case "stat":
			value := "–"
			if len(series) > 0 {
				value = format(series[0].points[len(series[0].points)-1].F, p.FieldConfig.Defaults.Unit)
			}
			fmt.Fprintf(&b, `<text x="%d" y="%d" class="v">%s</text>`, x+w/2, y+h/2+22, value)
		case "table":
			for i, s := range series {
				fmt.Fprintf(&b, `<text x="%d" y="%d" class="l">%.50s</text>`, x+12, y+46+18*i, html.EscapeString(s.name))
			}
		default:
			plot(&b, x+12, y+40, w-24, h-76, series, p.FieldConfig.Defaults.Unit)
		}
	}
	style := `<style>text{font:11px sans-serif;fill:#d8d9da}.p{fill:#1f1f20;stroke:#2c3235}.t{font-weight:600}.r{font-size:14px}.v{font-size:30px;text-anchor:middle;fill:#73bf69}.a{fill:#8e8e8e;font-size:10px}</style>`
	svg := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="The dashboard with the metrics of a test">%s<rect width="100%%" height="100%%" fill="#111217"/>%s</svg>`+"\n", 24*column, height+8, style, b.String())
	if err := os.WriteFile(file, []byte(svg), 0o644); err != nil {
		t.Fatal(err)
	}
}

type named struct {
	name   string
	points []promql.FPoint
}

// name fills in a legend; without one it is the labels.
func name(format string, metric labels.Labels) string {
	if format == "" {
		return metric.String()
	}
	return legend.ReplaceAllStringFunc(format, func(m string) string { return metric.Get(legend.FindStringSubmatch(m)[1]) })
}

// plot draws lines from zero to the greatest value, and a legend.
func plot(b *strings.Builder, x, y, w, h int, series []named, unit string) {
	top := 0.0
	var begin, end int64 = math.MaxInt64, 0
	for _, s := range series {
		for _, p := range s.points {
			if !math.IsNaN(p.F) {
				top, begin, end = max(top, p.F), min(begin, p.T), max(end, p.T)
			}
		}
	}
	if top == 0 {
		top = 1
	}
	fmt.Fprintf(b, `<path d="M%d %dh%dM%d %dh%d" stroke="#2c3235"/><text x="%d" y="%d" class="a">%s</text>`, x, y+h, w, x, y, w, x, y-2, format(top, unit))
	at := x
	for i, s := range series[:min(len(series), 6)] {
		var points []string
		for _, p := range s.points {
			if !math.IsNaN(p.F) {
				points = append(points, fmt.Sprintf("%.0f,%.0f", float64(x)+float64(w)*float64(p.T-begin)/float64(max(end-begin, 1)), float64(y+h)-float64(h)*p.F/top))
			}
		}
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5"/>`, strings.Join(points, " "), colours[i])
		short := s.name
		if room := w / min(len(series), 6) / 6; len(short) > room && room > 4 {
			short = short[:room-1] + "…"
		}
		fmt.Fprintf(b, `<text x="%d" y="%d" style="fill:%s">%s</text>`, at, y+h+18, colours[i], html.EscapeString(short))
		at += w / min(len(series), 6)
	}
}

// format writes a value with the unit of Grafana's name.
func format(v float64, unit string) string {
	switch {
	case unit == "s" && v >= 86400:
		return fmt.Sprintf("%.0f days", v/86400)
	case unit == "s":
		return fmt.Sprintf("%.2g ms", v*1000)
	case unit == "bytes":
		return fmt.Sprintf("%.3g MiB", v/(1<<20))
	case unit == "percentunit":
		return fmt.Sprintf("%.0f %%", v*100)
	case unit == "reqps", unit == "ops":
		return fmt.Sprintf("%.2g/s", v)
	}
	return fmt.Sprintf("%.4g", v)
}
