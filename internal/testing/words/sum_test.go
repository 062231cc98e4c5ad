package words

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// mostWords is the most words of all pages in docs: what somebody reads, without code blocks and the
// lines of tables. A page that grows pays for it by a cut elsewhere.
const mostWords = 43_100

// TestSumOfPages holds the sum of all pages in docs.
func TestSumOfPages(t *testing.T) {
	sum := 0
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		sum += wordsOf(string(text))
		return err
	})
	if err != nil || sum == 0 {
		t.Fatalf("%d words: %v", sum, err)
	}
	if sum > mostWords {
		t.Errorf("the pages in docs have %d words of at most %d: say each fact once, and cut what another page says", sum, mostWords)
	}
}

// TestWordsOf counts the words of a small page.
func TestWordsOf(t *testing.T) {
	const page = "# Two words\n\n| a | `b c` |\n|---|---|\n\n```yaml\nkey: value\n```\n\n    code here\n\nand · 3 more\n"
	if got := wordsOf(page); got != 8 {
		t.Errorf("%d words", got)
	}
}

// wordsOf counts the words of a page in Markdown outside of its code blocks. A word has a letter or a
// digit.
func wordsOf(page string) (n int) {
	fenced := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if fenced || strings.HasPrefix(line, "    ") {
			continue
		}
		for _, word := range strings.Fields(line) {
			if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				n++
			}
		}
	}
	return n
}
