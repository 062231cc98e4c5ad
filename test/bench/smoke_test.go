package bench

import "testing"

// TestAgree asserts the premise of the benchmarks: all systems do the same work. It measures no
// time.
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

// TestLimit: the physical limit is of the bytes of a review, all of them.
func TestLimit(t *testing.T) {
	w := workload{usual, 3}
	body, err := w.review()
	if err != nil {
		t.Fatal(err)
	}
	l := newLimit(t, body)
	answer, err := l.review(body)
	if err != nil || len(answer) < w.batch*w.object.bytes || len(answer) > len(body) {
		t.Errorf("%d bytes, %v", len(answer), err)
	}
	for i, o := range l.objects {
		if n := len(l.made[i]); n > len(o)-500 || n < len(o)/2 { // managedFields of some 600 bytes
			t.Errorf("object %d has %d bytes, of which a module is shown %d", i, len(o), n)
		}
	}
}
