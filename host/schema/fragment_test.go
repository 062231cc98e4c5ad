package schema

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"
)

// TestFragments removes parts of valid objects, as server-side apply does when it checks the fields
// of one manager. No fragment may be reported, with any schema.
func TestFragments(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	tried := 0
	forEachRuled(t, func(n int, l *ruled, crd *CRD, version string) {
		if found, _ := l.compare(t, crd, version); found > 0 {
			return
		}
		var object any
		decoder := json.NewDecoder(bytes.NewReader(l.Object))
		decoder.UseNumber()
		if err := decoder.Decode(&object); err != nil {
			t.Fatal(err)
		}
		for range 8 {
			fragment, err := json.Marshal(thin(random, object))
			if err != nil {
				t.Fatal(err)
			}
			tried++
			err = crd.Check(version, fragment, Options{Partial: true}, func(v Violation) bool {
				t.Errorf("line %d: %s in %s of %s", n, v, fragment, l.Object)
				return true
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	if tried < 1000 {
		t.Errorf("only %d fragments", tried)
	}
}

// thin leaves out members and elements at random, and makes a copy of the rest.
func thin(random *rand.Rand, value any) any {
	switch value := value.(type) {
	case map[string]any:
		rest := map[string]any{}
		for key, part := range value {
			if random.IntN(4) > 0 {
				rest[key] = thin(random, part)
			}
		}
		return rest
	case []any:
		rest := []any{}
		for _, part := range value {
			if random.IntN(4) > 0 {
				rest = append(rest, thin(random, part))
			}
		}
		return rest
	}
	return value
}
