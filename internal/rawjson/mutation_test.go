package rawjson_test

import (
	"math/rand/v2"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// fragments are the pieces of a mutant: tokens of JSON, and bytes that are not allowed in it.
var fragments = []string{
	`"`, `\`, `{`, `}`, `[`, `]`, `,`, `:`, ` `, "\n", `-`, `.`, `e`, `E`, `+`, `0`, `1`, `00`, `{}`, `[]`, `""`, `null`, `true`, `false`,
	"\x00", "\x1f", "\x7f", "\x80", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff", "\uFEFF", "é", "日", "😀",
	`\u0061`, `\ud83d`, `\ude00`, `\ud83d\ude00`, `\u00`, `\x`, `\"`, `\\`, `\/`, `//`, `"a":1,`, `,"a":1`, `"a":`, `1e400`, `1e308`, `-0`,
	`9223372036854775807`, `9223372036854775808`, `18446744073709551616`, `1.7976931348623159e308`, `0.1e309`, `"metadata":{},`, `"name":"x",`,
	`"m\u0065tadata":null,`, `"kind"`, `nul`, `tru`, `NaN`,
}

// mutate returns the document with one to three random changes, in place of what scratch had.
func mutate(random *rand.Rand, doc, scratch []byte) []byte {
	m := append(scratch[:0], doc...)
	for range 1 + random.IntN(3) {
		if len(m) == 0 {
			return m
		}
		i := random.IntN(len(m))
		j := min(len(m), i+1+random.IntN(12))
		fragment := fragments[random.IntN(len(fragments))]
		switch random.IntN(9) {
		case 0: // another byte
			m[i] = byte(random.IntN(256))
		case 1: // one bit
			m[i] ^= 1 << random.IntN(8)
		case 2: // something left out
			m = append(m[:i], m[j:]...)
		case 3, 4: // something put in
			m = append(m[:i], append([]byte(fragment), m[i:]...)...)
		case 5: // something else there
			m = append(m[:i], append([]byte(fragment), m[j:]...)...)
		case 6: // something twice
			m = append(m[:j], append([]byte(string(m[i:j])), m[j:]...)...)
		case 7: // a member twice, perhaps: from one comma to the next, in front of the first
			a := next(m, i, ',')
			b := next(m, a+1, ',')
			m = append(m[:a], append([]byte(string(m[a:b])), m[a:]...)...)
		case 8: // cut
			if random.IntN(4) == 0 {
				m = m[:i]
			}
		}
	}
	return m
}

// next returns the index of the first c from i on, or the length.
func next(b []byte, i int, c byte) int {
	for i < len(b) && b[i] != c {
		i++
	}
	return min(i, len(b))
}

// TestMutants holds the verdicts on 100,000 spoilt documents against those of the other readers.
func TestMutants(t *testing.T) {
	rounds := 100_000
	if testing.Short() {
		rounds = 20_000
	}
	all := documents(t)
	random := rand.New(rand.NewPCG(20260314, 92653))
	var s rawjson.Scanner
	var scratch []byte
	accepted, reasons := 0, map[int]int{}
	for range rounds {
		d := all[random.IntN(len(all))].doc
		for len(d) > 1000 && random.IntN(len(d)) > 1000 { // small ones more often, for time's sake
			d = all[random.IntN(len(all))].doc
		}
		scratch = mutate(random, d, scratch)
		if err := agree(t, &s, scratch, false); err == nil {
			accepted++
		} else {
			reasons[strictness(t, err, scratch)]++
		}
	}
	t.Logf("%d accepted; refused: %d by grammar, %d as sigs.k8s.io/json does, %d on purpose", accepted, reasons[grammar], reasons[shared],
		reasons[onPurpose])
	if accepted < rounds/20 || reasons[grammar] < rounds/20 || reasons[shared] < rounds/200 || reasons[onPurpose] < rounds/200 {
		t.Error("the mutants do not test all sides")
	}
}
