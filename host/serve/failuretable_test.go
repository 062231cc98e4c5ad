package serve

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/host"
)

// documented is one message of the failure tables in docs/use/failures.md.
type documented struct {
	section string
	failure string // the label, or the HTTP status of a request that was turned away
	text    string // with <placeholders>
	pattern *regexp.Regexp
	hit     bool
}

// placeholders are those that stand for something of a fixed form; all others stand for any text.
var placeholders = map[string]string{
	"<n>":          `\d+`,
	"<object>":     `(?:\d+ objects, the first of them )?object \d+ \((?:no name|[^()]+)\),?`,
	"<conversion>": `.+ from \S+ to \S+?(?: \(step \d+ of \d+ from \S+ to \S+\))?`,
	"<module>":     `module \S+ \(sha256:[0-9a-f]{12}\)`,
}

// readFailureTables reads the tables of the page with a column "you see". The text of a section may
// give the common beginning and end of its messages, and the failure of all its rows.
func readFailureTables(t *testing.T) []*documented {
	t.Helper()
	doc, err := os.ReadFile("../../docs/use/failures.md")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("`([^`]+)`")
	head, common := regexp.MustCompile(`(?m)^\|(?: \w+ \|)? you see \|.*\n`), regexp.MustCompile("failure is `([^`]+)`")
	begin, end := regexp.MustCompile("begin with `([^`]+)`"), regexp.MustCompile("end with `([^`]+)`")
	first := func(m []string) string {
		if m == nil {
			return ""
		}
		return m[1]
	}
	var all []*documented
	for _, section := range strings.Split(string(doc), "\n## ")[1:] {
		title, text, _ := strings.Cut(section, "\n")
		prefix, suffix := first(begin.FindStringSubmatch(text)), first(end.FindStringSubmatch(text))
		failure := first(common.FindStringSubmatch(text))
		at := head.FindStringIndex(text)
		if at == nil {
			continue
		}
		for line := range strings.Lines(text[at[1]:]) {
			if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") {
				continue
			}
			if failure != "" {
				line = "| " + failure + " " + line
			}
			cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
			if len(cells) < 3 {
				t.Errorf("%s: an incomplete row: %s", title, line)
				continue
			}
			messages := code.FindAllStringSubmatch(cells[1], -1)
			if len(messages) == 0 {
				t.Errorf("%s: a row without a message: %s", title, line)
			}
			for _, cell := range cells[2:] {
				if strings.Trim(cell, " |") == "" {
					t.Errorf("%s: an empty cell: %s", title, line)
				}
			}
			for _, m := range messages {
				all = append(all, &documented{
					section: title, failure: strings.Trim(cells[0], " `"), text: prefix + m[1] + suffix, pattern: patternOf(prefix + m[1] + suffix),
				})
			}
		}
	}
	return all
}

// patternOf is the pattern of a documented message.
func patternOf(text string) *regexp.Regexp {
	var pattern strings.Builder
	rest := text
	for _, at := range regexp.MustCompile(`<[a-z]+>`).FindAllString(strings.ReplaceAll(text, "<group>/<version>", ""), -1) {
		before, after, _ := strings.Cut(rest, at)
		pattern.WriteString(regexp.QuoteMeta(before))
		if form, ok := placeholders[at]; ok {
			pattern.WriteString(form)
		} else {
			pattern.WriteString(`.+`)
		}
		rest = after
	}
	return regexp.MustCompile(`(?s)^` + pattern.String() + regexp.QuoteMeta(rest) + `$`)
}

// find returns the documented message that a real one is, the most exact of those it could be; nil
// if it is none.
func find(all []*documented, failure, message string) *documented {
	var best *documented
	for _, d := range all {
		if d.failure == failure && d.pattern.MatchString(message) && (best == nil || len(d.text) > len(best.text)) {
			best = d
		}
	}
	return best
}

// TestFailureTable triggers every failure and compares the messages with docs/use/failures.md: each is
// in the tables, and each row of the tables occurs. No message, and no line of the log, has the
// content of an object.
func TestFailureTable(t *testing.T) {
	tables := readFailureTables(t)
	messages := everyFailure(t)
	for _, m := range messages {
		switch d := find(tables, m.failure, m.text); {
		case d == nil:
			t.Errorf("docs/use/failures.md has no row for %s: %s", m.failure, m.text)
		default:
			d.hit = true
		}
		if strings.Contains(m.text, canary) {
			t.Errorf("a message says what is in an object: %s", m.text)
		}
	}
	for _, d := range tables {
		if !d.hit {
			t.Errorf("docs/use/failures.md, %s: nothing leads to %s: %s", d.section, d.failure, d.text)
		}
	}
	for _, failure := range host.Failures() {
		if !slices.ContainsFunc(messages, func(m message) bool { return m.failure == failure }) {
			t.Errorf("nothing leads to %s", failure)
		}
	}
	for _, code := range rejectionCodes {
		if !slices.ContainsFunc(messages, func(m message) bool { return m.failure == codeLabel(code) }) {
			t.Errorf("nothing leads to a rejection with %d", code)
		}
	}
	everyWordIsSaid(t, messages)
}
