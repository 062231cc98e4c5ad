package definition

import (
	"testing"

	"github.com/crosswalk-gateway/crosswalk/host/schema/internal/format"
)

// TestFormatApplies: formats apply to strings and to schemas without a type, and the schemas of a
// definition share them.
func TestFormatApplies(t *testing.T) {
	s := &schemas{formats: map[string]*format.Format{}}
	first := s.format(&Schema{Type: "string", Format: "date"})
	if first == nil || first.Name != "date" || s.format(&Schema{Format: "date"}) != first {
		t.Errorf("a string has the format %+v", first)
	}
	for _, d := range []Schema{
		{Type: "string", Format: "isbn"}, {Type: "string"}, {Type: "integer", Format: "date"}, {Type: "object", Format: "date"},
	} {
		if f := s.format(&d); f != nil {
			t.Errorf("%q has the format %s", d.Type, f.Name)
		}
	}
}
