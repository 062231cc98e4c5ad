package meter

import "testing"

// TestVectorFramesCountDouble: in a function with vectors, the engine gives each value 16 bytes.
func TestVectorFramesCountDouble(t *testing.T) {
	b := &output{validator: validator{locals: make([]ValueType, 10), highest: 20, spilled: 7}, scratch: make([]ValueType, 3)}
	if got := b.frameBytes(); got != 128+8*40 {
		t.Errorf("%d bytes without vectors", got)
	}
	b.vectors = true
	if got := b.frameBytes(); got != 128+16*40 {
		t.Errorf("%d bytes with vectors", got)
	}
}
