package words

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mostWords is the most words of all pages in docs, as wc -w counts them: with code, and the bars of
// tables. A page that grows pays for it by a cut elsewhere.
const mostWords = 45_000

// TestSumOfPages holds the sum of all pages in docs.
func TestSumOfPages(t *testing.T) {
	sum := 0
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		sum += len(strings.Fields(string(text)))
		return err
	})
	if err != nil || sum == 0 {
		t.Fatalf("%d words: %v", sum, err)
	}
	if sum > mostWords {
		t.Errorf("the pages in docs have %d words of at most %d: say each fact once, and cut what another page says", sum, mostWords)
	}
}
