package projection

import (
	"math/rand/v2"
	"testing"
)

// TestCount compares Count with the number of parts that Read finds.
func TestCount(t *testing.T) {
	r := objects{rand.New(rand.NewPCG(5, 6))}
	for range 5000 {
		f, paths := r.declared()
		doc := r.whole()
		if got, want := f.Count([]byte(doc)), len(f.Read(nil, []byte(doc))); got != want {
			t.Fatalf("%d parts, want %d, for %q of %s", got, want, paths, doc)
		}
	}
}
