package adopttest

import (
	"math"
	"testing"
)

func TestTooLarge(t *testing.T) {
	for text, want := range map[string]bool{
		`{"spec":{"a":1000,"b":[-1000,"2000"],"2000":0}}`: false,
		`{"spec":{"a":1001}}`:                             true,
		`{"spec":{"a":[{"b":[-1001]}]}}`:                  true,
		`{"spec":{"a":1e400}}`:                            true,
		`{"spec":{"a":`:                                   false,
	} {
		if got := tooLarge([]byte(text), 1000); got != want {
			t.Errorf("%s: %v", text, got)
		}
		if tooLarge([]byte(text), math.Inf(1)) {
			t.Errorf("%s is too large without a limit", text)
		}
	}
}
