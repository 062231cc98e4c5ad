// Package faultindex compares the rows of docs/spec/threat-model.md with their tests, which tests.txt
// lists.
package faultindex

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	rowShape   = regexp.MustCompile(`^- ([MXAWSDCHT]\d+(?:, [MXAWSDCHT]\d+)*) \*\*.+\*\*: .`)
	testShape  = regexp.MustCompile(`^((?:Test|Fuzz)\w+)(?:/(\w+\*?))?$`)
	boundShape = regexp.MustCompile(`^- \*\*(.+?)\*\*: .* \(([^()]*\b[MXAWSDCHT]\d+\b[^()]*)\)$`)
	funcShape  = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)

	listed      = regexp.MustCompile(`\b[MXAWSDCHT]\d+\b`)
	numberFirst = regexp.MustCompile(`^(?:Test|Fuzz)[MXAWSDCHT]\d`)
	numberLast  = regexp.MustCompile(`[a-z]([MXAWSDCHT]\d+)$`)
)

// TestEveryRowHasItsTests looks up every test of tests.txt in the source, and demands one for every
// row.
func TestEveryRowHasItsTests(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	functions := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "bin" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		for _, m := range funcShape.FindAllSubmatch(source, -1) {
			functions[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "spec", "threat-model.md"))
	if err != nil {
		t.Fatal(err)
	}
	bounds, catalogue, found := strings.Cut(string(text), "\n## Faults and their tests\n")
	if !found {
		t.Fatal("the threat model has no list of faults")
	}
	rows := 0
	var numbers []string
	for line := range strings.Lines(catalogue) {
		row := rowShape.FindStringSubmatch(line)
		if row == nil {
			continue
		}
		rows++
		for _, number := range listed.FindAllString(row[1], -1) {
			if slices.Contains(numbers, number) {
				t.Errorf("two rows have the number %s: a row keeps its number forever, so give the later one the next free number", number)
			}
			numbers = append(numbers, number)
		}
	}
	index, err := os.ReadFile("tests.txt")
	if err != nil {
		t.Fatal(err)
	}
	byRow := map[string]bool{} // names and rows, as "TestCase of M1"
	var indexed []string
	for line := range strings.Lines(string(index)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		row, tests, found := strings.Cut(line, ": ")
		if !found || !slices.Contains(numbers, row) || slices.Contains(indexed, row) {
			t.Errorf("tests.txt: %q does not begin with the number of a row of the threat model, or repeats one", line)
			continue
		}
		if !strings.Contains(tests, "Test") && !strings.Contains(tests, "Fuzz") {
			t.Errorf("tests.txt: row %s names no test", row)
		}
		indexed = append(indexed, row)
		for test := range strings.SplitSeq(tests, ", ") {
			if strings.HasPrefix(test, "make ") {
				continue
			}
			m := testShape.FindStringSubmatch(test)
			if m == nil || !functions[m[1]] {
				t.Errorf("tests.txt: row %s names %s, which does not exist", row, test)
				continue
			}
			byRow[m[1]+" of "+row] = true
			if m[2] == "" {
				continue
			}
			if found, err := filepath.Glob(filepath.Join(root, "runtime", "testdata", m[2]+".wat")); err != nil || len(found) == 0 {
				t.Errorf("tests.txt: row %s names the case %s, whose fixture does not exist", row, test)
			}
		}
	}
	for _, number := range numbers {
		if !slices.Contains(indexed, number) {
			t.Errorf("row %s of the threat model has no test: add a line \"%s: TestCase\" to tests.txt", number, number)
		}
	}
	for name := range functions {
		if numberFirst.MatchString(name) {
			t.Errorf("%s begins with a fault's number: begin with the case, the number may follow", name)
		}
		if row := numberLast.FindStringSubmatch(name); row != nil && !byRow[name+" of "+row[1]] {
			t.Errorf("tests.txt: row %s does not name %s", row[1], name)
		}
	}
	if rows < 100 {
		t.Errorf("%d rows found; has the form of the list changed?", rows)
	}
	referred := 0
	for line := range strings.Lines(bounds) {
		bound := boundShape.FindStringSubmatch(strings.TrimSpace(line))
		if bound == nil {
			continue
		}
		referred++
		for _, number := range listed.FindAllString(bound[2], -1) {
			if !slices.Contains(numbers, number) {
				t.Errorf("the bound of %s refers to fault %s, which has no row", bound[1], number)
			}
		}
	}
	if referred < 35 {
		t.Errorf("%d bounds found; has the form of the list changed?", referred)
	}
}
