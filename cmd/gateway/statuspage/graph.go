package statuspage

import (
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"
)

// The measures of a graph, in pixels. Versions are in a row. Arcs to the right are above it, and
// arcs to the left below it.
const (
	stepX   = 190 // between versions
	boxW    = 84
	boxH    = 34
	rise    = 44 // height of an arc for each version that it spans
	margin  = 26 // above and below the highest arcs, for labels
	perRow  = 12 // limit of drawn versions; more than CRDs usually have
	labelAt = 6  // distance of a label from its arc
	letters = 28 // limit of a label that does not overlap its neighbours
	inARow  = 3  // limit of versions beside the trends of their kind
)

// graph draws the conversions of a kind.
func graph(k Kind) template.HTML {
	versions := k.Versions[:min(len(k.Versions), perRow)]
	at := map[string]int{}
	for i, v := range versions {
		at[v.Name] = i
	}
	span := 1
	for _, e := range k.Edges {
		if i, j, ok := ends(at, e); ok {
			span = max(span, i-j, j-i)
		}
	}
	height := 2*(margin+rise*span) + boxH
	width := stepX*len(versions) + 10
	middle := height / 2
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="graph" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="Conversions of %s">`, width, height, escape(k.Name))
	for _, e := range k.Edges {
		if i, j, ok := ends(at, e); ok {
			drawEdge(&b, e, i, j, middle)
		}
	}
	for i, v := range versions {
		x := 5 + stepX*i + (stepX-boxW)/2
		fmt.Fprintf(&b, `<g class="version"><rect x="%d" y="%d" width="%d" height="%d" rx="7"/><text x="%d" y="%d">%s</text>`,
			x, middle-boxH/2, boxW, boxH, x+boxW/2, middle+textDrop(v.Note), escape(v.Name))
		if v.Note != "" {
			fmt.Fprintf(&b, `<text class="small" x="%d" y="%d">%s</text>`, x+boxW/2, middle+12, escape(v.Note))
		}
		b.WriteString(`</g>`)
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) // all texts are escaped
}

// tips returns the arrow heads of the arcs, one for each state.
func tips() template.HTML {
	var b strings.Builder
	b.WriteString(`<svg width="0" height="0" class="tips" aria-hidden="true"><defs>`)
	for _, s := range []State{Good, Note, Warn, Bad} {
		fmt.Fprintf(&b, `<marker id="tip-%s" class="%[1]s" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker>`, s)
	}
	b.WriteString(`</defs></svg>`)
	return template.HTML(b.String()) // constant
}

// textDrop is the distance of the base line of a version's name from the middle of its box.
func textDrop(note string) int {
	if note == "" {
		return 5
	}
	return -1
}

// ends returns the indexes of an edge's versions. It reports false if one of them is not drawn.
func ends(at map[string]int, e Edge) (from, to int, ok bool) {
	from, okFrom := at[e.From]
	to, okTo := at[e.To]
	return from, to, okFrom && okTo && from != to
}

func drawEdge(b *strings.Builder, e Edge, from, to, middle int) {
	// Arcs start beside the middle of a box, so that arcs of both directions do not overlap.
	const aside = 16
	sign, x1, x2 := 1, 5+stepX*from+stepX/2+aside, 5+stepX*to+stepX/2-aside
	if from > to {
		sign, x1, x2 = -1, 5+stepX*from+stepX/2-aside, 5+stepX*to+stepX/2+aside
	}
	span := max(from-to, to-from)
	y := middle - sign*boxH/2
	top := y - sign*rise*span
	fmt.Fprintf(b, `<g class="edge %s"><title>%s</title><path d="M%d %dC%d %d %d %d %d %d" marker-end="url(#tip-%[1]s)"/>`,
		e.State, escape(e.Title), x1, y, x1, top, x2, top, x2, y-sign*2)
	label := y - sign*rise*span*3/4 // the highest point of the curve
	if sign > 0 {
		label -= labelAt
	} else {
		label += labelAt + 9
	}
	text := e.Label
	if utf8.RuneCountInString(text) > letters {
		text = e.Short
	}
	fmt.Fprintf(b, `<text class="small" x="%d" y="%d">%s</text></g>`, (x1+x2)/2, label, escape(text))
}

// wide reports whether a kind's graph needs the whole width of the page.
func wide(k Kind) bool { return len(k.Versions) > inARow }

func escape(s string) string { return template.HTMLEscapeString(s) }

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
	fmt.Fprintf(&b, `<svg class="spark" viewBox="0 0 %d %d" preserveAspectRatio="none" role="img" aria-label="%s, %s"><path class="%s" d="`, width, height, escape(t.Name), escape(t.Window), class)
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
