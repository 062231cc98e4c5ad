package statuspage

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// peak returns the largest value of a trend, the top of its drawing.
func peak(t Trend) string {
	if len(t.Values) == 0 {
		return ""
	}
	return fmt.Sprintf("peak %.3g %s", slices.Max(t.Values), t.Unit)
}

// sparkline draws values, oldest first, from zero up.
func sparkline(t Trend) template.HTML {
	const width, height = 220, 40
	top := 0.0
	for _, v := range t.Values {
		top = max(top, v)
	}
	class := "line"
	if t.Bad && top > 0 {
		class = "line bad"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" preserveAspectRatio="none" role="img" aria-label="%s, %s"><path class="%s" d="`, width, height, template.HTMLEscapeString(t.Name), template.HTMLEscapeString(t.Window), class)
	for i, v := range t.Values {
		x, y := float64(width), float64(height-1)
		if n := len(t.Values) - 1; n > 0 {
			x = float64(width) * float64(i) / float64(n)
		}
		if top > 0 {
			y -= v / top * (height - 3)
		}
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&b, "%s%.1f %.1f", command, x, y)
	}
	b.WriteString(`"/></svg>`)
	return template.HTML(b.String()) // all texts are escaped
}
