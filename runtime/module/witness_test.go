package module

import (
	"context"
	"testing"
)

// TestModuleWorks: whether a module works is found out with an object that it answered before, else
// with one that is made up.
func TestModuleWorks(t *testing.T) {
	limits := smallLimits
	limits.ModuleInstances = 1
	gone, leave := context.WithCancel(context.Background())
	leave()
	for _, test := range []struct {
		name, file   string
		witness      *witness
		ctx          context.Context // nil: in time
		works, known bool
	}{
		{"nothing answered yet", "x22_poison", nil, nil, true, true},
		{"what it answered before", "x22_poison", &witness{"g/v2", testObject}, nil, true, true},
		{"what it answered before, and fails at now", "x22_poison", &witness{"g/v2", poisoned(1)}, nil, false, true},
		{"it fails at everything", "x09_unreachable", nil, nil, false, true},
		{"no instance is free", "x22_poison", nil, gone, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := loadFixture(t, testLoader(t, limits), test.file)
			m.witness.kept.Store(test.witness)
			ctx := context.Background()
			if test.ctx != nil {
				ctx = test.ctx
				m.pool.slots <- struct{}{}
				defer func() { <-m.pool.slots }()
			}
			if works, known := m.works(ctx, "g/v2"); works != test.works || known != test.known {
				t.Errorf("works %v, known %v; want %v and %v", works, known, test.works, test.known)
			}
		})
	}
	m := loadFixture(t, testLoader(t, limits), "x22_poison")
	for _, object := range [][]byte{poisoned(1), testObject, []byte(`{"apiVersion":"g/v1","kind":"K","other":{}}`)} {
		_, _, _ = m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{object})
	}
	if w := m.witness.kept.Load(); w == nil || string(w.object) != string(testObject) || w.to != "g/v2" {
		t.Errorf("the witness is %+v, want the first object that was answered", w)
	}
}
