package bench

import "testing"

// TestAgree holds what the benchmarks need: that all systems do the same work. It times nothing.
func TestAgree(t *testing.T) {
	all := systems(t)
	if len(all) == 2 {
		t.Log("no converters (make plugins): only the baselines are compared")
	}
	for _, w := range []workload{{small, 1}, {small, 3}, {usual, 1}, {usual, 100}, {large, 2}, {huge, 1}} {
		t.Run(w.String(), func(t *testing.T) {
			body, err := w.review()
			if err != nil {
				t.Fatal(err)
			}
			if each := len(body) / w.batch; each < w.object.bytes || each > w.object.bytes+800 {
				t.Errorf("an object has about %d bytes, which is not %d", each, w.object.bytes)
			}
			agree(t, all, body, w.batch)
		})
	}
}
