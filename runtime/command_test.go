package runtime

import (
	"context"
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

// TestCommandOutputIsBounded: the bytes that a program writes are kept up to the sum of its objects' bounds, and up to ReplyBytes, which
// is less for batches of many objects.
func TestCommandOutputIsBounded(t *testing.T) {
	limits := smallLimits
	limits.ReplyBytes = 1_500_000
	m := loadFixture(t, testLoader(t, limits), "command_megabytes")
	_, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject, testObject, testObject})
	wantFault(t, err, FaultOutput, "the program wrote more than 1500000 bytes, the limit of an answer to 3 object(s)")

	b := &cappedBuffer{left: 1000}
	for range 10 {
		b.write(make([]byte, 300))
	}
	if b.Len() != 900 || b.left >= 0 {
		t.Errorf("%d bytes kept of 1000, %d left", b.Len(), b.left)
	}
}
