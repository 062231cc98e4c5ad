package meter

import "testing"

// TestVectorFramesCountDouble: in a function with vectors, the engine gives each value 16 bytes.
func TestVectorFramesCountDouble(t *testing.T) {
	b := &bodies{locals: make([]ValueType, 10), scratch: make([]ValueType, 3), highest: 20, spilled: 7}
	if got := b.frameBytes(); got != 128+8*40 {
		t.Errorf("%d bytes without vectors", got)
	}
	b.vectors = true
	if got := b.frameBytes(); got != 128+16*40 {
		t.Errorf("%d bytes with vectors", got)
	}
}
