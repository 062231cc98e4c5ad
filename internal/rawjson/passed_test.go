package rawjson

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEndOfValue compares the functions that only find ends with the Scanner, which checks
// everything, for values at all offsets to the words that are read at a time.
func TestEndOfValue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{`"`, `\"`, `\\`, `\\\"`, `{`, `}`, `[`, `]`, `x`, `é`, `0123456789`, `\u00e9`, `":{"`, `,`, `[{`}
	var value func(depth int) string
	value = func(depth int) string {
		switch kind := r.IntN(6); {
		case kind < 2:
			var b strings.Builder
			b.WriteByte('"')
			for range r.IntN(12) {
				if p := pieces[1+r.IntN(len(pieces)-1)]; p != `":{"` {
					b.WriteString(p)
				}
			}
			b.WriteByte('"')
			return b.String()
		case kind == 2 || depth == 0:
			return []string{"-1.5e3", "true", "null", "0", "{}", "[ ]"}[r.IntN(6)]
		case kind == 3:
			list := make([]string, r.IntN(5))
			for i := range list {
				list[i] = value(depth - 1)
			}
			return "[" + strings.Join(list, ", ") + "]"
		}
		list := make([]string, r.IntN(5))
		for i := range list {
			list[i] = `"` + string(rune('a'+i)) + `\"":` + value(depth-1)
		}
		return "{" + strings.Join(list, ",") + " }"
	}
	var s Scanner
	for range 50000 {
		v := value(5)
		before, after := strings.Repeat(" ", r.IntN(40)), []string{"", " ", ",", "}", "]", `,"x":{"y":[`}[r.IntN(6)]
		s.Reset([]byte(v), 0)
		if !s.End() {
			t.Fatalf("%s: %v", v, s.Err())
		}
		doc := []byte(before + v + after)
		if got, want := EndOfValue(doc, Space(doc, 0)), len(before)+len(v); got != want {
			t.Fatalf("%q in %q ends at %d, want %d", v, doc, got, want)
		}
		for range 3 { // arbitrary bytes: it must return, with a position after the beginning and not beyond the end
			damaged := append([]byte(nil), doc...)
			for range 1 + r.IntN(3) {
				damaged[r.IntN(len(damaged))] = "\"\\{}[] x"[r.IntN(8)]
			}
			at := r.IntN(len(damaged))
			if got := EndOfValue(damaged, at); got <= at || got > len(damaged) {
				t.Fatalf("%q at %d ends at %d", damaged, at, got)
			}
		}
	}
}
