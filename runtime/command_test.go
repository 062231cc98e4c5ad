package runtime

import (
	"strings"
	"testing"
)

// TestCommandDepth: an object may be as deep in a program's answer as in any other module's. How deep that is, the host says.
func TestCommandDepth(t *testing.T) {
	deep := `{"a":` + strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999) + "}"
	review := `{"response":{"uid":"` + commandUID + `","convertedObjects":[` + deep + `],"result":{"status":"Success"}}}`
	converted, refusal, fault := readCommandResponse([]byte(review), 1, func(int) int { return len(deep) }, [][]byte{nil})
	if fault != nil || refusal != "" || len(converted) != 1 || string(converted[0]) != deep {
		t.Errorf("refusal %q, fault %v, %d objects", refusal, fault, len(converted))
	}
}
