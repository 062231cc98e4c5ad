package prove

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestAttackTwins does as TestAttack with a third version that has the schema of the first or the second, or almost.
func TestAttackTwins(t *testing.T) {
	if testing.Short() {
		t.Skip("fuzzes many converters")
	}
	attacks, first := attacksOf(150)
	proved, alike := 0, 0
	for i := range attacks {
		a := &attack{Rand: rand.New(rand.NewPCG(first+uint64(i), 29))}
		f := a.twin(a.fixture())
		if a.IntN(2) == 0 {
			i := a.IntN(3)
			f.specs[i] = a.mutated(f.specs[i])
		}
		file, crd, found, ok := f.decided()
		if !ok || len(found.Open) > 0 {
			continue
		}
		proved++
		if f.specs[0] == f.specs[1] || f.specs[1] == f.specs[2] {
			alike++
		}
		for _, text := range unstated(t, found, file, crd, 400) {
			t.Errorf("attack %d: proved, and loses: %s\n%s\n%s", first+uint64(i), text, f.text(), strings.Join(f.specs, "\n"))
		}
	}
	t.Logf("%d of %d attacks were proved, %d of them with two equal schemas", proved, attacks, alike)
	if alike < attacks/30 {
		t.Errorf("only %d of %d attacks were proved with two equal schemas: the others test nothing", alike, attacks)
	}
}
