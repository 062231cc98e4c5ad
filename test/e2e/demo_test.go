package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/test/internal/demo"
)

// TestDemo asserts every step of "make demo".
func TestDemo(t *testing.T) {
	var out strings.Builder
	if err := demo.Run(t.Context(), demo.Config{Out: &out}); err != nil {
		t.Fatalf("%v after\n%s", err, out.String())
	}
	for _, want := range []string{
		`cronSpec: 30 2 \* \* 1-5`, `hour: "2"`, `cronSpec: 30 4 \* \* 1-5`,
		`Error from server: .*\.spec\.cronSpec must have five fields`, `[1-9][0-9]* reads during the swap, 0 failed`,
	} {
		if !regexp.MustCompile(want).MatchString(strings.Join(strings.Fields(out.String()), " ")) {
			t.Errorf("the demo does not show %s:\n%s", want, out.String())
		}
	}
}
