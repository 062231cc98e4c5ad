package rawjson_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// TestSpaceRuns puts runs of white space of every length before every byte, in whole words and in
// the rest.
func TestSpaceRuns(t *testing.T) {
	var s rawjson.Scanner
	for n := range 40 {
		for _, run := range []string{strings.Repeat(" ", n), strings.Repeat("\t", n), "\n" + strings.Repeat(" ", n), strings.Repeat(" ", n) + "\r\n"} {
			if doc := "[1" + run + "]"; check(&s, []byte(doc)) != nil {
				t.Errorf("%q: %v", doc, s.Err())
			}
			for c := range 256 {
				if strings.IndexByte(" \t\r\n],.eE0123456789", byte(c)) >= 0 {
					continue
				}
				doc := "[1" + run + string([]byte{byte(c)}) + run + "1]"
				want := fmt.Sprintf("expected ',' or ']' after an element at byte %d", 2+len(run))
				if got := text(check(&s, []byte(doc))); got != want {
					t.Errorf("%q: got %q, want %q", doc, got, want)
				}
			}
		}
	}
}
