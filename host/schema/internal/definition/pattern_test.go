package definition

import (
	"fmt"
	"math/rand/v2"
	"regexp/syntax"
	"testing"
)

// compiledSize is how many instructions regexp makes of a pattern.
func compiledSize(t testing.TB, pattern string) int {
	t.Helper()
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		t.Fatal(err)
	}
	return len(program.Inst)
}

func TestPatternSizeIsNeverTooLow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var make func(depth int) string
	make = func(depth int) string {
		if depth == 0 {
			return []string{"a", "bc", "[a-z]", `\pL`, ".", "^", "$", `\b`, "", "(?i:k)", "[^x]"}[r.IntN(11)]
		}
		sub := func() string { return make(depth - 1) }
		switch r.IntN(9) {
		case 0:
			return sub() + sub()
		case 1:
			return "(?:" + sub() + "|" + sub() + "|" + sub() + ")"
		case 2:
			return "(" + sub() + ")"
		case 3:
			return "(?:" + sub() + ")" + []string{"*", "+", "?", "*?", "+?", "??"}[r.IntN(6)]
		case 4:
			return fmt.Sprintf("(?:%s){%d}", sub(), r.IntN(6))
		case 5:
			return fmt.Sprintf("(?:%s){%d,}", sub(), r.IntN(6))
		case 6:
			low := r.IntN(4)
			return fmt.Sprintf("(?:%s){%d,%d}", sub(), low, low+r.IntN(4))
		default:
			return sub() + sub() + sub()
		}
	}
	for range 5_000 {
		pattern := make(1 + r.IntN(4))
		parsed, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			continue // 1,000 repeats are the most
		}
		if estimate, size := patternSize(parsed), compiledSize(t, pattern); estimate < size {
			t.Fatalf("%s: estimated %d instructions, compiled %d", pattern, estimate, size)
		}
	}
}

// Honest patterns are checked, however long they look.
func TestPatternSizeOfHonestPatterns(t *testing.T) {
	const label = `[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?`
	octet := `(25[0-5]|(2[0-4]|1{0,1}[0-9]){0,1}[0-9])`
	for _, pattern := range []string{
		`^` + label + `(\.` + label + `)*$`,
		`^` + label + `(\.` + label + `){0,15}$`,
		`^.{1,1000}$`,
		`^[\p{L}\p{N}_.-]{1,256}$`,
		`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`,
		`(([0-9a-fA-F]{1,4}:){7,7}[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,7}:|([0-9a-fA-F]{1,4}:){1,6}(:[0-9a-fA-F]{1,4}){1,6}|::(ffff(:0{1,4}){0,1}:){0,1}(` + octet + `\.){3,3}` + octet + `)`,
	} {
		parsed, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if size := patternSize(parsed); size > maxPatternSize {
			t.Errorf("%s: estimated %d instructions of at most %d; compiled %d", pattern, size, maxPatternSize, compiledSize(t, pattern))
		}
	}
}
