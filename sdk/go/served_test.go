package crosswalk

import "testing"

func TestServed(t *testing.T) {
	for _, v := range readStashVectors(t).Served {
		o := Parse([]byte(v.JSON))
		if got := string(o.doc.appendServed(nil, 0)); got != v.Served || o.Err() != nil {
			t.Errorf("%s: got %s, %v; want %s", v.JSON, got, o.Err(), v.Served)
		}
		sent := Parse([]byte(v.Served))
		if got, want := o.doc.hash(0), sent.doc.hash(0); got != want {
			t.Errorf("%s: the hash is %016x, and that of %s is %016x", v.JSON, got, v.Served, want)
		}
	}
}
