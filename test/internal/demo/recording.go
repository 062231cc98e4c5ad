package demo

import (
	"fmt"
	"html"
	"strings"
)

// Recording keeps the lines of the demo, and draws them as a moving picture. It is for one writer, and
// keeps everything in memory.
//
// The picture shows every line of the demo, at a pace for readers: the demo itself waits where
// things are built and started, and shows the rest within a second.
type Recording struct {
	parts [][]string // the lines of each write
}

// Write never fails.
func (r *Recording) Write(text []byte) (int, error) {
	var lines []string
	for line := range strings.Lines(string(text)) {
		lines = append(lines, folded(strings.TrimSuffix(line, "\n"))...)
	}
	r.parts = append(r.parts, lines)
	return len(text), nil
}

// The screen, in characters, and a character, in pixels.
const (
	columns, rows = 116, 32
	across, down  = 7.83, 18.0
	margin        = 14.0
)

// folded returns a line in parts that fit the screen.
func folded(line string) []string {
	further := "   "
	if strings.HasPrefix(line, indent) {
		further = indent
	}
	var lines []string
	for len(line) > columns {
		at := strings.LastIndex(line[:columns], " ")
		if strings.TrimSpace(line[:max(at, 0)]) == "" {
			at = columns
		}
		lines, line = append(lines, line[:at]), further+strings.TrimPrefix(line[at:], " ")
	}
	return append(lines, line)
}

// SVG returns the picture. It begins again when it is over. Without motion, as users can ask of a browser, it is the end.
func (r *Recording) SVG() []byte {
	var texts, roll, cover strings.Builder
	shown := 0
	for _, part := range r.parts {
		for _, line := range part {
			shown++
			if line != "" {
				fmt.Fprintf(&texts, "<text%s y=\"%.0f\">%s</text>\n", class(line), float64(shown)*down-5, html.EscapeString(line))
			}
		}
	}
	total, now, lines := r.seconds(), 0.0, 0
	for _, part := range r.parts {
		lines += len(part)
		fmt.Fprintf(&roll, "%.2f%%{transform:translateY(%.0fpx)}", 100*now/total, -rolled(lines))
		fmt.Fprintf(&cover, "%.2f%%{transform:translateY(%.0fpx)}", 100*now/total, covered(lines))
		now += pause(part)
	}
	width, height := columns*across+2*margin, rows*down+2*margin
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]g %[2]g" width="%[1]g" height="%[2]g" role="img" aria-label="The lines that make demo prints">
<style>
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:#c9d1d9}
.step{fill:#ffffff;font-weight:600}
.back{fill:#161b22}
.roll{transform:translateY(%[3]gpx);animation:roll %[5]gs step-end infinite}
.cover{transform:translateY(%[4]gpx);animation:cover %[5]gs step-end infinite}
@keyframes roll{%[6]s}
@keyframes cover{%[7]s}
@media (prefers-reduced-motion:reduce){.roll,.cover{animation:none}}
</style>
<rect class="back" width="%[1]g" height="%[2]g" rx="8"/>
<svg x="%[8]g" y="%[8]g" width="%[9]g" height="%[10]g">
<g class="roll" xml:space="preserve">
%[11]s</g>
<rect class="back cover" width="%[9]g" height="%[10]g"/>
</svg>
</svg>
`, width, height, -rolled(shown), covered(shown), total, roll.String(), cover.String(), margin, columns*across, rows*down, texts.String())
}

// rolled is how far so many lines are moved up, in pixels, and covered how much of the screen they fill.
func rolled(lines int) float64  { return float64(max(lines-rows, 0)) * down }
func covered(lines int) float64 { return float64(min(lines, rows)) * down }

// pause is how long a reader needs for some lines, in seconds.
func pause(lines []string) float64 { return 0.8 + 0.16*float64(len(lines)) }

// seconds is how long the picture takes, with a rest at its end.
func (r *Recording) seconds() float64 {
	total := 5.0
	for _, part := range r.parts {
		total += pause(part)
	}
	return total
}

// class marks the lines that announce a step, and the title. The text below a step is
// indented further than the rest of a folded line.
func class(line string) string {
	if strings.HasPrefix(line, indent) {
		return ""
	}
	return ` class="step"`
}
