package nearest

import "testing"

// TestTo: a word with few mistakes, or the begin of a word, means that word.
func TestTo(t *testing.T) {
	known := []string{"check", "convert", "compile", "fuzz", "at"}
	for word, want := range map[string]string{
		"chekc": "check", "comp": "compile", "fuz": "fuzz", "Check": "check", "convrt": "convert",
		"ax": "at", "xy": "", "frobnicate": "", "": "", "co": "",
	} {
		if got := To(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for pair, want := range map[[2]string]int{{"", ""}: 0, {"", "ab"}: 2, {"ab", "ab"}: 0, {"ab", "ba"}: 2, {"kitten", "sitting"}: 3, {"abc", "ac"}: 1} {
		if got := Distance(pair[0], pair[1]); got != want {
			t.Errorf("%q: %d, want %d", pair, got, want)
		}
	}
}
