package oracle

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// outcome are the numbers of objects that a webhook's check reports.
type outcome struct {
	checked, refused, carried, differing int
	// written are equal results whose texts differ: of a type that no conversion looks into, the module
	// carries the object's text, and the webhook writes the type's.
	written    int
	unlike     string // the texts of equal results that differ in more than empty values, quantities and times
	directions []direction
}

// direction are the objects of one version for another, and those of them that the webhook converts.
type direction struct {
	from, to           string
	objects, converted int
}

var (
	summary = regexp.MustCompile(`checked \d+, .*\n$`)
	spelled = regexp.MustCompile(`(?m)^written otherwise .*\n  module: .*\n  webhook: .*\n`)
)

func read(t *testing.T, report string) (o outcome) {
	t.Helper()
	line := summary.FindString(report)
	if _, err := fmt.Sscanf(line, "checked %d, refused %d, carried though the webhook refuses them %d, equal only as the types write them %d, differing %d",
		&o.checked, &o.refused, &o.carried, &o.written, &o.differing); err != nil {
		t.Fatalf("the check printed no summary: %v\n%.8000s", err, report)
	}
	for line := range strings.Lines(report) {
		if text, ok := strings.CutPrefix(line, "unlike texts of equal results: "); ok {
			o.unlike = strings.TrimSpace(text)
		}
		var d direction
		if n, _ := fmt.Sscanf(line, "direction %s %s %d %d", &d.from, &d.to, &d.objects, &d.converted); n == 4 {
			o.directions = append(o.directions, d)
		}
	}
	return o
}

// doubts returns the reasons why an outcome shows nothing, even if no object differs. lines is the
// number of objects that the check was given.
func (o outcome) doubts(lines int) (reasons []string) {
	add := func(format string, args ...any) { reasons = append(reasons, fmt.Sprintf(format, args...)) }
	if o.checked != lines {
		add("of %d objects, %d were checked", lines, o.checked)
	}
	if o.checked < 500 {
		add("%d objects are too few", o.checked)
	}
	if len(o.directions) < 2 {
		add("objects were converted in %d directions", len(o.directions))
	}
	for _, d := range o.directions {
		if 2*d.converted < d.objects || d.converted < 100 {
			add("from %s to %s, the webhook converts %d of %d objects", d.from, d.to, d.converted, d.objects)
		}
	}
	if o.unlike != "" {
		add("the types decode texts as equal that are not: %s", o.unlike)
	}
	if o.carried > o.checked/20 {
		add("%d values of wrong types were not compared", o.carried)
	}
	return reasons
}

// TestOutcomeOfRefusalsShowsNothing asserts that objects which both refuse are not taken for equal: a
// webhook without its set-up may refuse all objects of one direction.
func TestOutcomeOfRefusalsShowsNothing(t *testing.T) {
	good := func() outcome {
		return outcome{checked: 800, refused: 20, directions: []direction{{"v1", "v2", 400, 390}, {"v2", "v1", 400, 390}}}
	}
	if doubts := good().doubts(800); len(doubts) > 0 {
		t.Errorf("a good outcome has doubts: %q", doubts)
	}
	for want, change := range map[string]func(*outcome){
		"of 800 objects, 799 were checked": func(o *outcome) { o.checked-- },
		"499 objects are too few":          func(o *outcome) { o.checked = 499 },
		"converted in 1 directions":        func(o *outcome) { o.directions = o.directions[1:] },
		"converts 0 of 400 objects":        func(o *outcome) { o.directions[1].converted = 0 },
		"converts 99 of 120 objects":       func(o *outcome) { o.directions[0] = direction{"v1", "v2", 120, 99} },
		"41 values of wrong types":         func(o *outcome) { o.carried = 41 },
		"that are not: 3, such as at .a":   func(o *outcome) { o.unlike = "3, such as at .a" },
	} {
		o := good()
		change(&o)
		if doubts := strings.Join(o.doubts(800), "; "); !strings.Contains(doubts, want) {
			t.Errorf("got %q, want %q", doubts, want)
		}
	}
}

// untried returns the operator's functions that ran in part, and conversions that never ran, by the
// counters of a run. They are what the objects of the run cannot show.
func untried(t *testing.T, dir string) string {
	t.Helper()
	out, err := exec.Command("go", "tool", "covdata", "func", "-i="+dir).CombinedOutput()
	if err != nil {
		t.Fatalf("go tool covdata: %v: %s", err, out)
	}
	var left strings.Builder
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || strings.HasPrefix(fields[0], "oracle/") || strings.Contains(fields[0], "zz_generated.deepcopy") {
			continue
		}
		share := fields[len(fields)-1]
		if share != "100.0%" && (share != "0.0%" || strings.Contains(strings.ToLower(fields[1]), "convert")) {
			left.WriteString(line)
		}
	}
	return left.String()
}
