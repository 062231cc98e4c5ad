package module

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// TestRandomTracesAreLostX13 has a guest leave traces in its memory by every way there is to write,
// in batches that differ in how much they write and where, that grow the memory, that end in a
// trap, and that write again behind a yield. Each batch looks for traces of those before it.
func TestRandomTracesAreLostX13(t *testing.T) {
	m := loadFixture(t, testLoader(t, smallLimits), "x13_state_random")
	r := rand.New(rand.NewPCG(1, 2))
	faulty := 0
	for batch := range 500 {
		in, fault := m.pool.borrow(context.Background())
		if fault != nil {
			t.Fatal(fault)
		}
		seed := r.Uint64N(100_000_000)
		if r.IntN(4) > 0 { // a batch that was there before needs no new pages, so its reset may do without the pagemap
			seed %= 16
		}
		object := fmt.Appendf(nil, `{"p":"%s","s":"%08d"}`, strings.Repeat("x", r.IntN(1<<r.IntN(14))), seed)
		answers, _, fault := in.batch(context.Background(), "g/v2", [][]byte{object})
		switch {
		case fault != nil && (fault.Kind == faults.Trap || fault.Kind == faults.Fuel || fault.Kind == faults.Memory):
			faulty++
		case fault != nil:
			t.Fatalf("batch %d: %v", batch, fault)
		case string(answers[0]) != "{}":
			t.Fatalf("batch %d, of seed %d: bytes of an earlier batch are left", batch, seed)
		}
		m.pool.giveBack(in, fault == nil)
	}
	if faulty == 0 || faulty > 250 {
		t.Errorf("%d batches ended with a fault", faulty)
	}
}
