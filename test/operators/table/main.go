// Command table adopts operators with crosswalk adopt, and writes the results to the table in
// docs/author/operators.md.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/test/operators/list"
)

// The markers of the table in the file.
const begin, end = "<!-- written by make operators-table -->\n", "<!-- end -->"

// options are the command's flags.
type options struct {
	program, page, work, setUp, webhooks string
	kind, name                           string
	quick, rows                          bool
}

func main() {
	var o options
	flag.StringVar(&o.program, "crosswalk", "../../bin/crosswalk", "the program")
	flag.StringVar(&o.page, "page", "../../docs/author/operators.md", "the file with the table")
	flag.StringVar(&o.work, "work", "", "the directory to adopt in (default: a temporary one)")
	flag.StringVar(&o.setUp, "set-up", "list/testdata", "the directory with the set-up files and acknowledgements")
	flag.StringVar(&o.kind, "kind", "", "adopt this kind only, and leave the other rows as they are")
	flag.StringVar(&o.name, "operator", "", "adopt this operator's kinds only, and leave the other rows as they are")
	flag.BoolVar(&o.quick, "test", false, "adopt the kinds of make test-adopt only, and leave the other rows as they are")
	flag.StringVar(&o.webhooks, "webhooks", "oracle/webhooks.json", "the file with the comparisons with webhooks")
	flag.BoolVar(&o.rows, "rows", false, "adopt no kind, and write the comparisons with webhooks into the rows")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	for _, path := range []*string{&o.program, &o.setUp} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = absolute
	}
	work, err := filepath.Abs(o.work)
	if err != nil {
		return err
	}
	if o.work == "" {
		if work, err = os.MkdirTemp("", "operators"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(work) }()
	}
	text, err := os.ReadFile(o.page)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), begin)
	table, after, there := strings.Cut(rest, end)
	if !ok || !there {
		return fmt.Errorf("%s has no markers %q and %q", o.page, begin, end)
	}
	compared, err := list.ReadCompared(o.webhooks)
	if err != nil {
		return err
	}
	old, rows := strings.Split(table, "\n"), header()
	if old[0] != rows[0] {
		old = nil // a table of other columns
	}
	// Each row is written when it is there: a run takes hours.
	write := func() error {
		written := before + begin + strings.Join(append(slices.Clone(rows), remaining(old, rows)...), "\n") + "\n" + end + after
		return os.WriteFile(o.page, []byte(written), 0o644)
	}
	for _, op := range list.All() {
		if o.leaves(op) {
			if i := slices.IndexFunc(old, func(row string) bool { return strings.HasPrefix(row, title(op)) }); i >= 0 {
				rows = append(rows, withWebhook(old[i], compared[op.Title()]))
			}
			continue
		}
		row := withWebhook(o.adopt(op, work).row(op), compared[op.Title()])
		fmt.Println(row)
		rows = append(rows, row)
		if err := write(); err != nil {
			return err
		}
	}
	return write()
}

func (o options) leaves(op list.Operator) bool {
	return o.rows || o.kind != "" && o.kind != op.Kind || o.name != "" && o.name != op.Name || o.quick && !op.Test
}

// remaining returns the rows of the old table that the new one has not reached.
func remaining(old, rows []string) (left []string) {
	start := func(row string) string { return strings.Join(strings.SplitN(row, "|", 3)[:2], "|") }
	for _, row := range old {
		if row != "" && !slices.ContainsFunc(rows, func(other string) bool { return start(other) == start(row) }) {
			left = append(left, row)
		}
	}
	return left
}

// adopt runs the command in an empty directory, as a person without a clone of the operator does.
func (o options) adopt(op list.Operator, work string) result {
	r := result{command: append([]string{"crosswalk", "adopt"}, op.Arguments()...), run: list.Now()}
	dir := filepath.Join(work, strings.ReplaceAll(op.Name+"-"+op.Version+"-"+op.Kind, " ", "-"))
	project := filepath.Join(dir, "converter")
	if r.err = os.MkdirAll(project, 0o755); r.err != nil {
		return r
	}
	r.command = append(r.command, "--kind", op.Kind)
	args := append(slices.Clone(r.command[1:]), "--dir", "converter")
	if op.SetUp != "" {
		r.command = append(r.command, "--set-up", op.SetUp)
		args = append(args, "--set-up", filepath.Join(o.setUp, op.SetUp))
	}
	if op.Accept != "" {
		text, err := os.ReadFile(filepath.Join(o.setUp, op.Accept))
		if err != nil {
			r.err = err
			return r
		}
		if r.err = os.WriteFile(filepath.Join(project, "adopt.lock"), text, 0o644); r.err != nil {
			return r
		}
	}
	out, err := output(dir, o.program, args...)
	fmt.Fprintln(os.Stderr, out)
	// Without equal the command fails, and its report says why.
	if r.report, r.err = readReport(project); r.err != nil {
		r.err = cmp.Or(err, r.err)
		return r
	}
	return r
}

func output(dir, name string, args ...string) (string, error) {
	command := exec.Command(name, args...)
	command.Dir = dir
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return string(out), errors.New(strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}
