package demo

import (
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// indent stands before the text below a step.
const indent = "     "

// teller reports the steps of the demo. It ignores write errors.
type teller struct {
	out  io.Writer
	last int // the number of the step
}

func (t *teller) title(text string) { _, _ = fmt.Fprintf(t.out, "%s\n\n", text) }

// step announces the next step.
func (t *teller) step(format string, args ...any) {
	t.last++
	_, _ = fmt.Fprintf(t.out, "%d. %s\n", t.last, fmt.Sprintf(format, args...))
}

// text shows something under a step.
func (t *teller) text(text string) {
	for line := range strings.Lines(strings.TrimSpace(text)) {
		for line = strings.TrimSuffix(line, "\n"); line != ""; {
			var part string
			part, line = wrap(line)
			_, _ = fmt.Fprintf(t.out, "%s%s\n", indent, part)
		}
	}
	_, _ = fmt.Fprintln(t.out)
}

// wrap splits a line that is too long for a terminal at a space.
func wrap(line string) (part, rest string) {
	const width = 110
	if len(line) <= width {
		return line, ""
	}
	if at := strings.LastIndex(line[:width], " "); at > 0 {
		return line[:at], line[at+1:]
	}
	return line, ""
}

// object shows the part of an object that a user wrote, as YAML, with only the name and the labels
// of its metadata.
func (t *teller) object(o *unstructured.Unstructured) {
	metadata := map[string]any{"name": o.GetName(), "labels": o.GetLabels()}
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(), "metadata": metadata, "spec": o.Object["spec"],
	})
	if err != nil {
		text = []byte(err.Error())
	}
	t.text(string(text))
}

// spoken is a language's name as people write it.
func spoken(language string) string {
	names := map[string]string{"c": "C", "go": "Go", "rust": "Rust", "zig": "Zig", "cpp": "C++", "assemblyscript": "AssemblyScript"}
	if name, known := names[language]; known {
		return name
	}
	return language
}

// size says how large a module is.
func size(module []byte) string {
	if n := len(module); n >= 1<<20 {
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d KiB", (len(module)+1023)/1024)
}
