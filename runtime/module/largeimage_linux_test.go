//go:build amd64 || arm64 || riscv64 || loong64

package module

import (
	"context"
	"os"
	"testing"
)

// TestLargeImage converts with an image that instances map instead of copy.
func TestLargeImage(t *testing.T) {
	l := testLoader(t, smallLimits)
	m := loadFixture(t, l, "x13_state_large")
	if m.program.image == nil || !m.program.image.Mapped() {
		t.Fatal("the image is not a file")
	}
	for call := range 20 {
		got, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
		if err != nil || string(got[0]) != "{}" {
			t.Fatalf("call %d: %q, %v", call, got, err)
		}
	}
	before, _ := os.ReadDir("/proc/self/fd")
	m2, err := l.load(context.Background(), testName, fixture(t, "x13_state_large"))
	if err != nil {
		t.Fatal(err)
	}
	m2.Close()
	after, _ := os.ReadDir("/proc/self/fd")
	if len(after) > len(before) {
		t.Errorf("%d open files before a module came and went, %d after", len(before), len(after))
	}
}
