package words

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var underHead = regexp.MustCompile(`^\|[-:| ]+\|$`)

// TestTablesAreWhole: an empty line within a table makes text of the rows after it.
func TestTablesAreWhole(t *testing.T) {
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, line := range rowsWithoutHead(string(text)) {
			t.Errorf("%s: a table begins without a head: %s", path, line)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := rowsWithoutHead("| a |\n|---|\n| b |\n\n| c |\n"); len(got) != 1 || got[0] != "| c |" {
		t.Errorf("%q", got)
	}
}

// rowsWithoutHead returns the first row of each table of a page that has no line under its head.
func rowsWithoutHead(page string) (found []string) {
	lines := strings.Split(page, "\n")
	for i, line := range lines[:len(lines)-1] {
		if strings.HasPrefix(line, "|") && (i == 0 || !strings.HasPrefix(lines[i-1], "|")) && !underHead.MatchString(lines[i+1]) {
			found = append(found, line)
		}
	}
	return found
}
