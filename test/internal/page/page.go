// Package page compares the commands of a page in docs, and the output that it shows for them, with the
// commands' own output.
package page

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/test/internal/artifacts"
)

// Block is a command of a page, and the lines that the page shows below it.
type Block struct {
	Command string
	lines   []string
}

// Blocks returns the blocks of a page that begin with a command after "$ ", by command. path is the
// page's, below the repository.
func Blocks(path ...string) (map[string]Block, error) {
	text, err := artifacts.Read(path...)
	if err != nil {
		return nil, err
	}
	return blocks(string(text)), nil
}

func blocks(text string) map[string]Block {
	all, command := map[string]Block{}, ""
	for line := range strings.Lines(text) {
		line, code := strings.CutPrefix(strings.TrimRight(line, " \n"), "    ")
		switch begun, begins := strings.CutPrefix(line, "$ "); {
		case !code:
			command = ""
		case begins:
			command = begun
			all[command] = Block{Command: command}
		case command != "":
			b := all[command]
			b.lines = append(b.lines, line)
			all[command] = b
		}
	}
	return all
}

// leftOut is a line of a page that stands for any number of lines.
const leftOut = "…"

// Compare returns an error unless an output is as the page shows it. Names and numbers that differ from
// one cluster to the next do not count, nor do lines of progress, which depend on the time.
func (b Block) Compare(output string) error {
	want, got := same(b.lines), same(strings.Split(strings.TrimRight(output, "\n"), "\n"))
	at, skip := 0, false
	for i, line := range want {
		if strings.TrimSpace(line) == leftOut {
			skip = true
			continue
		}
		found := slices.Index(got[at:], line)
		if found < 0 || found > 0 && !skip {
			return fmt.Errorf("$ %s\nline %d of the page, %q, does not follow on line %d of the output:\n%s", b.Command, i+1, line, at, strings.Join(got, "\n"))
		}
		at, skip = at+found+1, false
	}
	if at < len(got) && !skip {
		return fmt.Errorf("$ %s\nthe page does not show line %d of the output:\n%s", b.Command, at+1, strings.Join(got, "\n"))
	}
	return nil
}

// differs are the parts of lines that differ from one cluster to the next.
var differs = []struct {
	part *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:]+Z \([^)]*\)`), "TIME (OBJECT)"},
	{regexp.MustCompile(`\b\d+ objects?\b`), "N objects"},
	{regexp.MustCompile(`\b((?:conversion|unserved version) at) [^ ]+?(: |$)`), "$1 POD$2"},
	{regexp.MustCompile(`(spec\.conversion (?:was None and )?is) [^;]+`), "$1 GATEWAY"},
}

// progress are lines that appear if something takes long.
var progress = regexp.MustCompile(`^ *(waiting for |The migration is running|.* objects left to look at$|managedFields of \d+ objects? read|\d+( of \d+)? objects? converted there and back$)`)

// same returns the lines without progress and differences. One line for each of several pods is one line.
func same(lines []string) (all []string) {
	for _, line := range lines {
		if progress.MatchString(line) {
			continue
		}
		for _, d := range differs {
			line = d.part.ReplaceAllString(line, d.by)
		}
		all = append(all, line)
	}
	return slices.Compact(all)
}
