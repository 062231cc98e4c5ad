// Package faultindex holds docs/spec/threat-model.md against the tests that it names.
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
	rowShape  = regexp.MustCompile(`^\| ([MXAWSDCHT]\d+)`)
	testShape = regexp.MustCompile("`((?:Test|Fuzz)\\w+)(?:/(\\w+\\*?))?`")
	funcShape = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)

	listed      = regexp.MustCompile(`\b[MXAWSDCHT]\d+\b`)
	numberFirst = regexp.MustCompile(`^(?:Test|Fuzz)[MXAWSDCHT]\d`)
	numberLast  = regexp.MustCompile(`[a-z]([MXAWSDCHT]\d+)$`)
)

// TestEveryRowHasItsTests looks every test of the catalogue up in the source, and demands one for
// every row.
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
	byRow := map[string]bool{} // names and rows, as "TestCase of M1"
	rows := 0
	var numbers []string
	for line := range strings.Lines(catalogue) {
		row := rowShape.FindStringSubmatch(line)
		if row == nil {
			continue
		}
		rows++
		own := listed.FindAllString(line[:strings.Index(line[1:], "|")+1], -1)
		for _, number := range own {
			if slices.Contains(numbers, number) {
				t.Errorf("two rows have the number %s: a row keeps its number forever, so give the later one the next free number", number)
			}
		}
		numbers = append(numbers, own...)
		named := testShape.FindAllStringSubmatch(line, -1)
		if len(named) == 0 && !strings.Contains(line, "| – |") {
			t.Errorf("row %s names no test", row[1])
		}
		for _, m := range named {
			byRow[m[1]+" of "+row[1]] = true
			if !functions[m[1]] {
				t.Errorf("row %s names %s, which does not exist", row[1], m[1])
			}
			if m[2] == "" {
				continue
			}
			if found, err := filepath.Glob(filepath.Join(root, "runtime", "testdata", m[2]+".wat")); err != nil || len(found) == 0 {
				t.Errorf("row %s names the case %s/%s, whose fixture does not exist", row[1], m[1], m[2])
			}
		}
	}
	for name := range functions {
		if numberFirst.MatchString(name) {
			t.Errorf("%s begins with a fault's number: begin with the case, the number may follow", name)
		}
		if row := numberLast.FindStringSubmatch(name); row != nil && !byRow[name+" of "+row[1]] {
			t.Errorf("row %s does not name %s", row[1], name)
		}
	}
	if rows < 100 {
		t.Errorf("%d rows found; has the catalogue's form changed?", rows)
	}
	referred := 0
	for line := range strings.Lines(bounds) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 3 || !listed.MatchString(cells[2]) {
			continue
		}
		referred++
		for _, number := range listed.FindAllString(cells[2], -1) {
			if !slices.Contains(numbers, number) {
				t.Errorf("%s refers to fault %s, which has no row", cells[0], number)
			}
		}
	}
	if referred < 35 {
		t.Errorf("%d bounds found; has the table's form changed?", referred)
	}
}
