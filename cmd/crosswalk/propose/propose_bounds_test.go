package propose

import (
	"fmt"
	"strings"
	"testing"
)

// TestProposeBoundsItsWork proposes rules for definitions that differ in very many fields, in fields
// with very long names, and in very deep ones.
func TestProposeBoundsItsWork(t *testing.T) {
	many := func(prefix string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"%sField%d":{"type":"string"}`, prefix, i)
		}
		return b.String()[1:]
	}
	deep := func(name string) string {
		text := `{"type":"string"}`
		for range 50 {
			text = `{"type":"object","properties":{"` + name + `":` + text + `}}`
		}
		return `"` + name + `":` + text
	}
	enum := func(prefix string) string {
		var b strings.Builder
		for i := range 100_000 {
			fmt.Fprintf(&b, `,"%s%d"`, prefix, i)
		}
		return `{"type":"string","enum":[` + b.String()[1:] + `]}`
	}
	long := strings.Repeat("a", 500_000)
	for _, c := range []struct {
		name, v1, v2, want string
	}{
		{"fields", many("old", 6000), many("new", 6000), "  - {drop: spec.oldField0, in: v1}\n"},
		{"more fields than are compared", many("old", 21_000), `"a":{"type":"string"}`, "# Not compared, because they are too deep, too many, or have a name that rules cannot write: 1001 of v1 fields."},
		{"long names", `"` + long + `b":{"type":"object","properties":{` + many("x", 1000) + `}}`, `"` + long + `c":{"type":"string"}`, "1001 of v1, 1 of v2 fields."},
		{"long names that are compared", `"` + long[:900] + `bc":{"type":"string"}`, `"` + long[:900] + `cb":{"type":"string"}`, "  # - {rename: spec." + long[:900] + "bc, to: spec." + long[:900] + "cb}\n"},
		{"values", `"mode":` + enum("v"), `"modus":` + enum("V"), "  - {drop: spec.mode, in: v1}\n"},
		{"levels", deep("old"), deep("new"), "20 of v1, 20 of v2 fields."},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := string(Rules(twoVersions(t, c.v1, c.v2), []string{"v1", "v2"}, nil).Text())
			if !strings.Contains(text, c.want) {
				t.Errorf("missing %.200q in\n%.1500s", c.want, text)
			}
		})
	}
}
