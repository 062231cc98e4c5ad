package schema

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseSkipsPatternsOverABound(t *testing.T) {
	const at = "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[%s].pattern: "
	property := func(name, pattern string) string {
		return fmt.Sprintf("%s: {type: string, pattern: %q}", name, pattern)
	}
	for _, tc := range []struct {
		name       string
		properties []string
		want       []string
	}{
		{"a bomb", []string{property("a", strings.Repeat("(?:x??){1000}", 1200))}, []string{fmt.Sprintf(at, "a") + "compiles to some 4800122 instructions, of at most 20000: repeat less in it"}},
		{"a text of its own", []string{property("a", strings.Repeat("x", 16<<10+1))}, []string{fmt.Sprintf(at, "a") + "has 16385 bytes, of at most 16384"}},
		{"character classes", []string{property("a", strings.Repeat(`\pL`, 3000))}, []string{fmt.Sprintf(at, "a") + "compiles to some "}},
		{"many", func() (all []string) {
			for i := range 13 {
				all = append(all, property(fmt.Sprintf("a%02d", i), strings.Repeat("x{1000}", 5))) // 15,002 instructions each, by the estimate
			}
			return append(all, property("b", strings.Repeat("x{1000}", 2)))
		}(), []string{fmt.Sprintf(at, "b") + "compiles to some 6002 instructions, and all patterns of the definition together to more than 200000: simplify some"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			crd := parse(t, []byte(withRoot("{type: object, properties: {spec: {type: object, properties: {"+strings.Join(tc.properties, ", ")+"}}}}")))
			if len(crd.Warnings) > 0 || len(crd.Skipped) != len(tc.want) {
				t.Fatalf("warnings %q, skipped %q", crd.Warnings, crd.Skipped)
			}
			for i, want := range tc.want {
				if !strings.HasPrefix(crd.Skipped[i], want) {
					t.Errorf("skipped %s\nwant    %s", crd.Skipped[i], want)
				}
			}
			if got := violations(t, crd, `{"spec":{"a":"y"}}`, Options{}); tc.name == "a bomb" && len(got) > 0 {
				t.Errorf("violations %q", got)
			}
		})
	}
}
