package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/test/operators/list"
)

// report is the part of adopt's report.json that the table has.
type report struct {
	Verdict string
	Reasons []string
	Pairs   []struct {
		Compared, Refused, Panicked  int
		Native, Module               float64
		NativeInAList, ModuleInAList float64
	}
}

// result is an adopted kind: its report, or the error without one.
type result struct {
	command []string
	report  report
	run     string // the day, and the revision of this repository
	err     error
}

func header() []string {
	return []string{
		"| kind | verdict | native ÷ module | command |",
		"|---|---|---|---|",
	}
}

// title is the beginning of a row, which names its kind.
func title(op list.Operator) string {
	return fmt.Sprintf("| %s of %s %s |", op.Kind, op.Name, op.Version)
}

// reasonLength is the length at which the table cuts a reason. The command prints all of it.
const reasonLength = 160

func (r result) row(op list.Operator) string {
	verdict, times := "not adopted: "+cause(r.err), "–"
	details := r.run
	if r.err == nil {
		verdict = r.report.Verdict
		if len(r.report.Reasons) > 0 {
			verdict += ": " + r.report.Reasons[0]
			if n := len(r.report.Reasons) - 1; n > 0 {
				verdict += fmt.Sprintf("; and %d more", n)
			}
		}
		compared, refused := 0, 0
		var one, many []string
		for _, pair := range r.report.Pairs {
			compared, refused = compared+pair.Compared, refused+pair.Refused
			one, many = append(one, quotient(pair.Native, pair.Module)), append(many, quotient(pair.NativeInAList, pair.ModuleInAList))
		}
		objects := fmt.Sprintf("%d objects", compared)
		if refused > 0 {
			objects += fmt.Sprintf(", %d refused", refused)
		}
		details = objects + "; " + r.run
		if len(one) > 0 {
			times = strings.Join(one, ", ") + "; lists " + strings.Join(many, ", ")
		}
	}
	return fmt.Sprintf("%s %s (%s) | %s | `%s` |", title(op), cell(verdict), details, times, strings.Join(r.command, " "))
}

// verdictColumn is the place of the verdict in a row that is cut at its bars.
const verdictColumn = 1

const (
	// unlike follows the verdict of a kind whose webhook converts otherwise than the methods that it calls.
	unlike = ", but not to the webhook"
	// ofWebhook begins the comparison with the webhook.
	ofWebhook = "; webhook: "
)

// withWebhook returns a row with a comparison of the programs of oracle.
func withWebhook(row string, c list.Compared) string {
	cells := strings.Split(row, " | ")
	if len(cells) <= verdictColumn {
		return row
	}
	verdict, _, _ := strings.Cut(cells[verdictColumn], ofWebhook)
	if rest, equal := strings.CutPrefix(verdict, "equal"); equal {
		rest = strings.TrimPrefix(rest, unlike)
		if c.Differing > 0 {
			rest = unlike + rest
		}
		verdict = "equal" + rest
	}
	if c.Objects > 0 {
		verdict += fmt.Sprintf("%s%d of %d differ, ", ofWebhook, c.Differing, c.Objects)
		if c.Written > 0 {
			verdict += fmt.Sprintf("%d written otherwise, ", c.Written)
		}
		verdict += c.Run
	}
	cells[verdictColumn] = verdict
	return strings.Join(cells, " | ")
}

// closing are the last lines of each go test that failed.
var closing = regexp.MustCompile(`^(FAIL\b.*|exit status \d+|coverage: .*|\s*)$`)

// cause returns the first line of an error, and the last of the program's output that says why.
func cause(err error) string {
	if err == nil {
		return ""
	}
	first, rest, more := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	if !more {
		return first
	}
	const most = reasonLength * 2 / 3
	lines := slices.DeleteFunc(strings.Split(rest, "\n"), closing.MatchString)
	if len(lines) == 0 {
		return first
	}
	last := lines[len(lines)-1]
	if runes := []rune(first); len(runes) > most {
		first = string(runes[:most])
	}
	return first + " … " + last
}

func quotient(native, module float64) string {
	if native == 0 || module == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", native/module)
}

// cell makes text safe for a cell, and cuts it.
func cell(text string) string {
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", "¦")
	if runes := []rune(text); len(runes) > reasonLength {
		return string(runes[:reasonLength]) + "…"
	}
	return text
}

func readReport(dir string) (r report, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(text, &r)
}
