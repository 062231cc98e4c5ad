// Package faultindex holds docs/spec/faults.md and docs/spec/threat-model.md against the tests they name.
package faultindex

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	rowShape  = regexp.MustCompile(`^\| ([MXAWSDCH]\d+)`)
	testShape = regexp.MustCompile("`((?:Test|Fuzz)\\w+)(?:/(\\w+))?`")
	funcShape = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)

	numberFirst = regexp.MustCompile(`^(?:Test|Fuzz)[MXAWSDCH]\d`)
	numberLast  = regexp.MustCompile(`[a-z]([MXAWSDCH]\d+)$`)
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
	catalogue := read(t, root, "faults.md")
	for _, m := range testShape.FindAllStringSubmatch(read(t, root, "threat-model.md"), -1) {
		if !functions[m[1]] {
			t.Errorf("the threat model names %s, which does not exist", m[1])
		}
	}
	byRow := map[string]bool{} // names and rows, as "TestCase of M1"
	rows := 0
	for line := range strings.Lines(catalogue) {
		row := rowShape.FindStringSubmatch(line)
		if row == nil {
			continue
		}
		rows++
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
			if _, err := os.Stat(filepath.Join(root, "runtime", "testdata", m[2]+".wat")); err != nil {
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
	if rows < 75 {
		t.Errorf("%d rows found; has the catalogue's form changed?", rows)
	}
}

func read(t *testing.T, root, document string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "spec", document))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
