package syntax

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// Error is one mistake in a rules file, at a line and a column that count from 1; 0: the file as a
// whole.
type Error struct {
	Line, Column int
	Text         string
}

func (e Error) Error() string {
	if e.Line == 0 {
		return e.Text
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Text)
}

// maxErrors bounds the mistakes that are reported at once.
const maxErrors = 20

// maxKept bounds the mistakes that are compared with each new one.
const maxKept = 200

// Mistakes collects the mistakes of a file.
type Mistakes struct{ errors []Error }

func (r *Mistakes) At(n *yaml.Node, format string, args ...any) {
	e := Error{Text: fmt.Sprintf(format, args...)}
	if n != nil {
		e.Line, e.Column = n.Line, n.Column
	}
	if len(r.errors) < maxKept && !slices.Contains(r.errors, e) { // both directions find the same mistakes
		r.errors = append(r.errors, e)
	}
}

// Any reports whether there are mistakes.
func (r *Mistakes) Any() bool { return len(r.errors) > 0 }

// Wrong reports a mistake that the reader of YAML found in a value, at its line.
func (r *Mistakes) Wrong(n *yaml.Node, err error) {
	text, line := err.Error(), 0
	if before, after, ok := strings.Cut(text, ": "); ok {
		if _, err := fmt.Sscanf(before, "line %d", &line); err == nil {
			text, n = after, onLine(n, line)
		}
	}
	r.At(n, "%s", text)
}

// onLine returns the first value on a line within a value; the value itself if there is none.
func onLine(n *yaml.Node, line int) *yaml.Node {
	for rest := []*yaml.Node{n}; len(rest) > 0; {
		one := rest[0]
		if one.Line == line {
			return one
		}
		rest = append(rest[1:], one.Content...)
	}
	return n
}

// bracket finds a path with a bracket, and without quotes: within braces, YAML begins a list there.
var bracket = regexp.MustCompile(`[\s,\[][\w.*-]+\[`)

// unreadable returns the mistake in a file that is not YAML. The parser of YAML names the beginning
// of the mapping or list around it at best. Here it is the first item or member with which the text
// so far is not YAML any more.
func unreadable(content []byte, err error) Error {
	lines := strings.SplitAfter(string(content), "\n")
	var starts []int // lines with which an item of a list begins, or a member of the file
	for i, line := range lines {
		if text := strings.TrimLeft(line, " \t"); strings.HasPrefix(text, "- ") || len(text) == len(line) && strings.TrimSpace(text) != "" {
			starts = append(starts, i)
		}
	}
	good := func(n int) bool {
		_, err := plainyaml.Parse([]byte(strings.Join(lines[:n], "")), plainyaml.Limits{Bytes: MaxFile, Nodes: MaxFile, Depth: MaxFile})
		return err == nil || errors.Is(err, plainyaml.ErrEmpty) || errors.Is(err, plainyaml.ErrMany)
	}
	ends := append(starts, len(lines))[min(1, len(starts)):]
	if len(content) > MaxFile || len(starts) == 0 || good(len(lines)) {
		return Error{Text: err.Error()}
	}
	bad := sort.Search(len(ends)-1, func(i int) bool { return !good(ends[i]) })
	line := lines[starts[bad]]
	text := err.Error()
	if before, after, ok := strings.Cut(text, ": "); ok && strings.HasPrefix(before, "line ") {
		text = after
	}
	if bracket.MatchString(line) {
		text += ": put a path with [ in quotes"
	}
	return Error{Line: starts[bad] + 1, Column: len(line) - len(strings.TrimLeft(line, " \t")) + 1, Text: "this is not YAML: " + text}
}

// Err returns the mistakes in the order of the file.
func (r *Mistakes) Err() error {
	slices.SortStableFunc(r.errors, func(a, b Error) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	if len(r.errors) > maxErrors {
		r.errors = append(r.errors[:maxErrors], Error{Text: fmt.Sprintf("and %d more mistakes", len(r.errors)-maxErrors)})
	}
	all := make([]error, len(r.errors))
	for i, e := range r.errors {
		all[i] = e
	}
	return errors.Join(all...)
}

// Quote quotes a text of the file for a message.
func Quote(text string) string { return fmt.Sprintf("%q", foreign.Fit(text, 80)) }

// Alternatives joins words as a sentence does: a, b or c.
func Alternatives(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
