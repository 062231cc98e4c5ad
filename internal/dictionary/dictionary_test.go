package dictionary

import (
	"crypto/sha256"
	"fmt"
	"testing"
)

// TestContentNeverChanges fails if a dictionary changes: files in registries and ConfigMaps need
// the bytes of the dictionary that they were packed with.
func TestContentNeverChanges(t *testing.T) {
	for id, want := range map[uint32]string{
		1_260_000: "8b41e1ea6015d0ea0882fa242787f7bd05cb08faea83dbd2fab19e2a22948e52",
	} {
		d, ok := Find(id)
		if !ok {
			t.Errorf("the dictionary %d is missing", id)
			continue
		}
		content, err := d.Content()
		if got := fmt.Sprintf("%x", sha256.Sum256(content)); err != nil || got != want {
			t.Errorf("the dictionary %d has the checksum %s, %v; want %s", id, got, err, want)
		}
	}
	if _, ok := Find(7); ok {
		t.Error("there is a dictionary 7")
	}
}
