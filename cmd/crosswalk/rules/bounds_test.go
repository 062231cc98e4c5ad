package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// TestLargeFiles compiles files of the largest size that are made to take long. Each must end, with a
// mistake.
func TestLargeFiles(t *testing.T) {
	fill := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < syntax.MaxFile-4096; i++ {
			b.WriteString(strings.ReplaceAll(format, "N", fmt.Sprint(i)))
		}
		return b.String()
	}
	head := "kind: Thing\ngroup: example.com\nconversions:\n- from: v1\n  to: v2\n  rules:\n"
	many := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(format, "N", fmt.Sprint(i)))
		}
		return b.String()
	}
	deep := "- {rename: spec.a, to: spec.b}"
	for range 60 {
		deep = "- each: spec.l\n  rules:\n  " + strings.ReplaceAll(deep, "\n", "\n  ")
	}
	for _, c := range []struct{ name, file, want string }{
		{"rules of one list", head + fill("  - {rename: spec.aN, to: spec.bN}\n"), "rules of at most 512"},
		{"rules in many lists", head + fill("  - each: spec.lN\n    rules:\n    - {move: a.b.c.d.e, to: x}\n    - {move: f.b.c.d.e, to: y}\n"), "rules of at most 512"},
		{"rules in lists of lists", head + strings.Repeat("  - each: spec.l\n    rules:\n"+many("    - {move: a.b.c.d.eN, to: xN}\n", 500), 30), "name more than 4096 fields"},
		{"nested rules", inFile(deep), "nested deeper than"},
		{"parts", head + many("  - {split: spec.aN, to: [spec.b.cN, spec.d.eN, spec.f.gN, spec.h.iN], separator: x}\n", 500), "operations of at most 256"},
		{"values", head + "  - translate: spec.a\n    values:\n" + fill("    - [aN, bN]\n"), "values has"},
		{"versions", "kind: A\ngroup: b.c\nconversions:\n" + fill("- {from: vN, to: v1N, rules: []}\n"), "versions"},
		{"cases", "kind: A\ngroup: b.c\nconversions:\n- {from: v1, to: v2, rules: []}\ncases:\n" + fill("- {from: v1, to: v3, object: {}}\n"), "more mistakes"},
		{"aliases", "kind: A\ngroup: b.c\nconversions: &a [&b [&c [x, x], *c], *b]\n", "not"},
		{"a long path", head + "  - {rename: spec." + strings.Repeat("a.", syntax.MaxFile/2-200) + "b, to: spec.c}", "path"},
		{"brackets", head + "  - {rename: spec" + strings.Repeat("[", syntax.MaxFile-300), "not YAML"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.file))
			if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 20_000 {
				t.Errorf("the error is %.500v, want one about %s", err, c.want)
			}
		})
	}
}
