package meter

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPartsCountsSegments: a segment or element takes a few bytes of a file and some hundred bytes
// of the engine.
func TestPartsCountsSegments(t *testing.T) {
	wasm, err := os.ReadFile(filepath.Join("..", "testdata", "x13_state_table.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := Scan(wasm, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	rewritten, err := Rewrite(wasm, Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	segments := len(m.elementTypes) + m.elementCount
	if want := m.Functions + m.Globals + len(m.exports) + len(m.types) + segments + m.dataEntries + len(m.references); rewritten.Parts != want || segments < 2 {
		t.Errorf("%d parts, want %d, of which %d are segments or their elements", rewritten.Parts, want, segments)
	}
}
