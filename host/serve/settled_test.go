package serve

import "testing"

// TestSettled: files that change while they are read are read again, until two reads agree.
func TestSettled(t *testing.T) {
	for _, test := range []struct{ reads, want string }{
		{"aa", "a"},
		{"abb", "b"},
		{"ababb", "b"},
		{"abababab", ""},
	} {
		n := 0
		files, err := settled(func() ([][]byte, error) {
			n++
			return [][]byte{[]byte("key"), []byte(test.reads[n-1 : n])}, nil
		})
		if (err != nil) != (test.want == "") || err == nil && string(files[1]) != test.want {
			t.Errorf("%s: %q, %v after %d reads", test.reads, files, err, n)
		}
	}
}
