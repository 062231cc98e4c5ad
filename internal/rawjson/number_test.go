package rawjson_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// representable is the rule for numbers, by the standard library: an int64, or with a point or an
// exponent a finite float64.
func representable(token string) bool {
	if !strings.ContainsAny(token, ".eE") {
		if _, err := strconv.ParseInt(token, 10, 64); err == nil {
			return true
		}
		f, err := strconv.ParseFloat(token, 64)
		if err != nil {
			return false
		}
		given, _ := new(big.Int).SetString(token, 10)
		held, _ := big.NewFloat(f).Int(nil)
		return given.Cmp(held) == 0 || strconv.FormatFloat(f, 'f', -1, 64) == token
	}
	_, err := strconv.ParseFloat(token, 64)
	return err == nil
}

// TestNumberRange compares the rule with strconv on numbers around the limits: the digits of the
// largest float64, of the first number that rounds to infinity and of those next to them, written
// in every way, and at random.
func TestNumberRange(t *testing.T) {
	largest, _ := new(big.Float).SetFloat64(math.MaxFloat64).Int(nil)
	halfUlp := new(big.Int).Lsh(big.NewInt(1), 970)
	halfway := new(big.Int).Add(largest, halfUlp)
	var digits []string
	for delta := int64(-2); delta <= 2; delta++ {
		for _, n := range []*big.Int{largest, halfway, new(big.Int).Add(halfway, halfUlp), big.NewInt(math.MaxInt64), big.NewInt(math.MinInt64)} {
			digits = append(digits, new(big.Int).Add(n, big.NewInt(delta)).String())
		}
	}
	var tokens []string
	for _, d := range digits {
		sign := ""
		if d[0] == '-' {
			sign, d = "-", d[1:]
		}
		n := len(d)
		for _, shift := range []int{-n - 5, -n, -n + 1, -3, -1, 0, 1, 3, 100, 289, 290, 291} {
			e := strconv.Itoa(-shift)
			switch {
			case shift <= -n:
				tokens = append(tokens, sign+"0."+strings.Repeat("0", -shift-n)+d+"e"+e)
			case shift < 0:
				tokens = append(tokens, sign+d[:n+shift]+"."+d[n+shift:]+"E+"+e)
			default:
				tokens = append(tokens, sign+d+strings.Repeat("0", shift)+".0e"+e, sign+d+"e"+strconv.Itoa(shift))
			}
		}
		tokens = append(tokens, sign+d, sign+d+".0", sign+d+"."+strings.Repeat("0", 900)+"1", sign+d+"e-0", sign+d+"000")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		var b strings.Builder
		if random.IntN(2) == 0 {
			b.WriteByte('-')
		}
		b.WriteString(strconv.Itoa(random.IntN(12)))
		if b.String()[b.Len()-1] != '0' {
			for range random.IntN(25) {
				b.WriteByte(byte('0' + random.IntN(10)))
			}
		}
		if random.IntN(2) == 0 {
			b.WriteByte('.')
			for range 1 + random.IntN(25) {
				b.WriteByte(byte('0' + random.IntN(10)))
			}
		}
		if random.IntN(2) == 0 {
			b.WriteString([]string{"e", "E", "e+", "e-"}[random.IntN(4)])
			b.WriteString(strconv.Itoa(random.IntN(330)))
		}
		tokens = append(tokens, b.String())
	}
	var s rawjson.Scanner
	refused := 0
	for _, token := range tokens {
		want := ""
		if !representable(token) {
			refused++
			shown := token
			if len(shown) > 40 {
				shown = shown[:40] + "…"
			}
			want = "number " + shown + " is neither an int64 nor a finite float64 at byte 0"
			if _, err := strconv.ParseFloat(token, 64); err == nil {
				want = "number " + shown + " has more digits than an int64 or a float64 keeps at byte 0"
			}
		}
		if got := text(check(&s, []byte(token))); got != want {
			t.Errorf("%.60s (%d bytes): got %q, want %q", token, len(token), got, want)
		}
	}
	if refused < 1000 || refused > len(tokens)-1000 {
		t.Errorf("%d of %d numbers are refused: the test does not test both sides", refused, len(tokens))
	}
}
