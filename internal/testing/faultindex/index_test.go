// Package faultindex looks up the tests that docs/spec/faults.md names.
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
	rowShape   = regexp.MustCompile(`^- ([MXAWSDCHT]\d+(?:, [MXAWSDCHT]\d+)*) \*\*.+\*\*: .+?\.((?:,? ` + "`[^`]+`" + `)+)$`)
	testShape  = regexp.MustCompile(`^((?:Test|Fuzz)\w+)(?:/(\w+\*?))?$`)
	boundShape = regexp.MustCompile(`^- \*\*(.+?)\*\*: .* \(([^()]*\b[MXAWSDCHT]\d+\b[^()]*)\)$`)
	funcShape  = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)

	listed      = regexp.MustCompile(`\b[MXAWSDCHT]\d+\b`)
	numberFirst = regexp.MustCompile(`^(?:Test|Fuzz)[MXAWSDCHT]\d`)
	numberLast  = regexp.MustCompile(`[a-z]([MXAWSDCHT]\d+)$`)
)

// TestEveryRowHasItsTests looks up every test of the page in the source, and demands one for every
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
	catalogue, err := os.ReadFile(filepath.Join(root, "docs", "spec", "faults.md"))
	if err != nil {
		t.Fatal(err)
	}
	var numbers []string
	byRow := map[string]bool{} // names and rows, as "TestCase of M1"
	for line := range strings.Lines(string(catalogue)) {
		if !strings.HasPrefix(line, "- ") {
			continue
		}
		row := rowShape.FindStringSubmatch(strings.TrimSpace(line))
		if row == nil {
			t.Errorf("not of the form \"- M1 **fault**: remedy. `TestCase`\": %s", line)
			continue
		}
		for _, number := range listed.FindAllString(row[1], -1) {
			if slices.Contains(numbers, number) {
				t.Errorf("two rows have the number %s: a row keeps its number forever, so give the later one the next free number", number)
			}
			numbers = append(numbers, number)
		}
		for test := range strings.SplitSeq(strings.ReplaceAll(strings.TrimSpace(row[2]), "`", ""), ", ") {
			if strings.HasPrefix(test, "make ") {
				continue
			}
			m := testShape.FindStringSubmatch(test)
			if m == nil || !functions[m[1]] {
				t.Errorf("row %s names %s, which does not exist", row[1], test)
				continue
			}
			for _, number := range listed.FindAllString(row[1], -1) {
				byRow[m[1]+" of "+number] = true
			}
			if m[2] == "" {
				continue
			}
			if found, err := filepath.Glob(filepath.Join(root, "runtime", "testdata", m[2]+".wat")); err != nil || len(found) == 0 {
				t.Errorf("row %s names the case %s, whose fixture does not exist", row[1], test)
			}
		}
	}
	for name := range functions {
		if numberFirst.MatchString(name) {
			t.Errorf("%s begins with a fault's number: begin with the case, the number may follow", name)
		}
		if row := numberLast.FindStringSubmatch(name); row != nil && !byRow[name+" of "+row[1]] {
			t.Errorf("row %s of docs/spec/faults.md does not name %s", row[1], name)
		}
	}
	if len(numbers) < 100 {
		t.Errorf("%d rows found; has the form of the list changed?", len(numbers))
	}
	bounds, err := os.ReadFile(filepath.Join(root, "docs", "spec", "threat-model.md"))
	if err != nil {
		t.Fatal(err)
	}
	referred := 0
	for line := range strings.Lines(string(bounds)) {
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
