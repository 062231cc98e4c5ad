package rules

import (
	"fmt"
	"testing"
)

// TestUnits converts a value there and back for every unit.
func TestUnits(t *testing.T) {
	for _, c := range []struct{ kind, unit, text, number, again string }{
		{"duration", "ns", "1ns", "1", ""}, {"duration", "us", "1µs", "1", ""}, {"duration", "ms", "1.5s", "1500", ""},
		{"duration", "s", "1h30m0s", "5400", ""}, {"duration", "min", "1h30m0s", "90", ""}, {"duration", "h", "36h0m0s", "36", ""},
		{"duration", "s", "-1m0s", "-60", ""}, {"duration", "s", "0s", "0", ""}, {"duration", "s", "0", "0", "0s"},
		{"duration", "s", "1.5s", "2", "2s"}, {"duration", "s", "-1.5s", "-1", "-1s"}, {"duration", "s", "90m", "5400", "1h30m0s"},
		{"quantity", "integer", "3", "3", ""}, {"quantity", "1", "2k", "2000", ""}, {"quantity", "n", "7n", "7", ""}, {"quantity", "u", "7u", "7", ""},
		{"quantity", "m", "500m", "500", ""}, {"quantity", "m", "0.5", "500", "500m"}, {"quantity", "m", "1", "1000", ""}, {"quantity", "k", "3k", "3", ""},
		{"quantity", "M", "3G", "3000", ""}, {"quantity", "G", "3T", "3000", ""}, {"quantity", "T", "3T", "3", ""}, {"quantity", "P", "3P", "3", ""},
		{"quantity", "E", "3E", "3", ""}, {"quantity", "Ki", "1Mi", "1024", ""}, {"quantity", "Mi", "20Gi", "20480", ""}, {"quantity", "Mi", "1.5Gi", "1536", "1536Mi"},
		{"quantity", "Gi", "20Gi", "20", ""}, {"quantity", "Gi", "1Mi", "1", "1Gi"}, {"quantity", "Ti", "2Ti", "2", ""}, {"quantity", "Pi", "2Pi", "2", ""},
		{"quantity", "Ei", "2Ei", "2", ""}, {"quantity", "bytes", "20Gi", "21474836480", ""}, {"quantity", "bytes", "1000", "1000", ""},
		{"quantity", "bytes", "1k", "1000", "1000"}, {"quantity", "1", "1e3", "1000", "1k"}, {"quantity", "1", "-5", "-5", ""}, {"quantity", "1", "0", "0", ""},
		{"quantity", "duration", "90", `"1m30s"`, ""}, {"quantity", "duration", "500m", `"500ms"`, ""},
	} {
		f, err := Parse([]byte(inFile(fmt.Sprintf(`- {convert: spec.a, as: [%s, %s], inexact: round}`, c.kind, c.unit))))
		if err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		g := newGuest(t, f)
		there, _ := g.convert("example.com/v2", complete(t, "v1", fmt.Sprintf(`{"spec":{"a":%q}}`, c.text)))
		if want := complete(t, "v2", `{"spec":{"a":`+c.number+`}}`); normal(t, there, false) != normal(t, want, false) {
			t.Errorf("%s in %s became %s, want %s", c.text, c.unit, there, c.number)
		}
		if c.again == "" {
			c.again = c.text
		}
		back, _ := g.convert("example.com/v1", there)
		if want := complete(t, "v1", fmt.Sprintf(`{"spec":{"a":%q}}`, c.again)); normal(t, back, false) != normal(t, want, false) {
			t.Errorf("%s of %s became %s, want %s", c.number, c.unit, back, c.again)
		}
	}
}
