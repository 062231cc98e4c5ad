// Package plural writes numbers of things in words, for messages.
package plural

import (
	"fmt"
	"strings"
)

// Count is a number of things, such as "1 file", "2 files" or "2 copies". The noun must take an s, or
// end with y after a consonant.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
