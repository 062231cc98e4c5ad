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

// TestTracerBound: an object with more parts than a Tracer may note has none, because some of its
// parts are no answer.
func TestTracerBound(t *testing.T) {
	const doc = `{"apiVersion":"g/v1","kind":"K","metadata":{"labels":{}},"spec":{"a":[{"b":1},{"b":2}]}}`
	f, err := Parse([]string{"metadata.labels", "spec.a[].b"})
	if err != nil {
		t.Fatal(err)
	}
	all := len(f.Read(nil, []byte(doc)))
	for most, want := range map[int]int{all: all, all - 1: 0, 5: 0} {
		if parts, err := traced(f, doc, most); err != nil || len(parts) != want {
			t.Errorf("at most %d: %d parts of %d, %v", most, len(parts), all, err)
		}
	}
}
