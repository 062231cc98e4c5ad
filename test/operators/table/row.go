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
	Coverage *struct{ Blocks, Ran int }
	Sizes    struct{ Raw, Gzip, Zstd float64 }
	Load     float64
}

// result is an adopted kind: its report, or the error without one.
type result struct {
	command []string
	report  report
	losses  string
	run     string // the day, and the revision of this repository
	err     error
}

func header() []string {
	return []string{
		"| kind | from | form | verdict | objects | differing from the webhook | code of the conversion that ran | wasm, MB | .gz | .zst | load, CPU | one object in a review, native ÷ module | in a list of 1,000 | losses of the operator | run | command |",
		"|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
	}
}

// title is the beginning of a row, which names its kind.
func title(op list.Operator) string {
	return fmt.Sprintf("| %s | %s %s |", op.Kind, op.Name, op.Version)
}

// reasonLength is the length at which the table cuts a reason. The command prints all of it.
const reasonLength = 160

func (r result) row(op list.Operator) string {
	cells := []string{string(op.Form)}
	command := "`" + strings.Join(r.command, " ") + "`"
	if r.err != nil {
		cells = append(cells, cell("not adopted: "+cause(r.err)), "–", "–", "–", "–", "–", "–", "–", "–", "–", "–", r.run, command)
		return title(op) + " " + strings.Join(cells, " | ") + " |"
	}
	p := r.report
	verdict := p.Verdict
	if len(p.Reasons) > 0 {
		verdict += ": " + p.Reasons[0]
		if n := len(p.Reasons) - 1; n > 0 {
			verdict += fmt.Sprintf("; and %d more", n)
		}
	}
	compared, refused := 0, 0
	var one, many []string
	for _, pair := range p.Pairs {
		compared, refused = compared+pair.Compared, refused+pair.Refused
		one, many = append(one, quotient(pair.Native, pair.Module)), append(many, quotient(pair.NativeInAList, pair.ModuleInAList))
	}
	objects, covered := fmt.Sprint(compared), "–"
	if refused > 0 {
		objects += fmt.Sprintf(", %d of them refused", refused)
	}
	if c := p.Coverage; c != nil && c.Blocks > 0 {
		covered = fmt.Sprintf("%d of %d blocks", c.Ran, c.Blocks)
	}
	const mb = 1e6
	cells = append(cells, cell(verdict), objects, "–", covered, fmt.Sprintf("%.1f", p.Sizes.Raw/mb), fmt.Sprintf("%.2f", p.Sizes.Gzip/mb), fmt.Sprintf("%.2f", p.Sizes.Zstd/mb),
		fmt.Sprintf("%.1f s", p.Load), strings.Join(one, ", "), strings.Join(many, ", "), r.losses, r.run, command)
	return title(op) + " " + strings.Join(cells, " | ") + " |"
}

// Places in a row that is cut at its bars.
const (
	verdictColumn = 3
	webhookColumn = 5 // of the comparison with the webhook
)

// unlike follows the verdict of a kind whose webhook converts otherwise than the methods that it calls.
const unlike = ", but not to the webhook"

// withWebhook returns a row with a comparison of the programs of oracle.
func withWebhook(row string, c list.Compared) string {
	cells := strings.Split(row, " | ")
	if len(cells) <= webhookColumn {
		return row
	}
	cells[verdictColumn] = strings.TrimSuffix(cells[verdictColumn], unlike)
	if cells[verdictColumn] == "equal" && c.Differing > 0 {
		cells[verdictColumn] += unlike
	}
	cells[webhookColumn] = "–"
	if c.Objects > 0 {
		cells[webhookColumn] = fmt.Sprintf("%d of %d, ", c.Differing, c.Objects)
		if c.Written > 0 {
			cells[webhookColumn] += fmt.Sprintf("%d written otherwise, ", c.Written)
		}
		cells[webhookColumn] += c.Run
	}
	return strings.Join(cells, " | ")
}

// closing are the last lines of each go test that failed.
var closing = regexp.MustCompile(`^(FAIL\b.*|exit status \d+|coverage: .*|\s*)$`)

// cause returns the first line of an error, and the last of the program's output that says why.
func cause(err error) string {
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
