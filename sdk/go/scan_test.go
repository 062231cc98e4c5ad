package crosswalk

import (
	"strings"
	"testing"
)

// TestEnds puts values at every distance from the words in which the scanner reads, with more text
// behind them and none.
func TestEnds(t *testing.T) {
	values := []string{
		`{}`, `[]`, `{"a":{"b":[1,2,{"c":null}]},"d":"}]"}`, `["{","}","[","]","\"","\\","\\\"","\\\\",{}]`,
		`"text"`, `""`, `"\\"`, `"\""`, `"\\\\\""`, `"\u00e9}é😀yY_\u007f"`, `-1.5e+9`, `0`, `true`, `null`,
		strings.Repeat("[", 77) + strings.Repeat("]", 77),
		`{"` + strings.Repeat(`\"{`, 50) + `":"` + strings.Repeat(`\\`, 33) + `"}`,
		`{"a":"` + strings.Repeat("x", 100) + `{","b":[` + strings.Repeat(`{"c":"}"},`, 40) + `{}]}`,
	}
	for _, value := range values {
		for pad := range 70 {
			for _, behind := range []string{"", "}", ",1]}", ` ,"k":"v"}`, strings.Repeat(`]}"`, 30)} {
				inner := value
				if value[0] == '{' || value[0] == '[' {
					// Move the inside of the value too.
					inner = value[:1] + strings.Repeat(" ", pad/3) + value[1:]
				}
				text := strings.Repeat(" ", pad) + inner + behind
				if strings.ContainsAny(value[:1], "-0tn") && behind == strings.Repeat(`]}"`, 30) {
					continue
				}
				if got, want := valueEnd([]byte(text), pad), pad+len(inner); got != want {
					t.Fatalf("valueEnd(%q, %d) = %d, want %d", text, pad, got, want)
				}
			}
			for cut := 1; cut < len(value) && strings.ContainsAny(value[:1], `{["`); cut++ {
				text := strings.Repeat(" ", pad) + value[:cut]
				if got := valueEnd([]byte(text), pad); got != -1 {
					t.Fatalf("valueEnd(%q, %d) = %d, want -1", text, pad, got)
				}
			}
		}
	}
}

func TestMatches(t *testing.T) {
	for c := range 256 {
		for at := range 8 {
			w := uint64(0x2122235c7b7d8022)&^(0xff<<(8*at)) | uint64(c)<<(8*at)
			got := matches(w, quotes)
			for i := range 8 {
				if want := byte(w>>(8*i)) == '"'; (got>>(8*i)&0xff == 0x80) != want || got>>(8*i)&0x7f != 0 {
					t.Fatalf("matches(%#x) = %#x at byte %d, want a mark: %v", w, got, i, want)
				}
			}
		}
	}
}
