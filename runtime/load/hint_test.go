package load

import "testing"

// TestOnlyAFragmentGetsAUID: the hint adds a uid to an object without one, and to no other.
func TestOnlyAFragmentGetsAUID(t *testing.T) {
	const uid = `"uid":"6f1d2c3b-0a59-4877-9e66-55d4c3b2a190"`
	for object, want := range map[string]string{
		`{}`:                                     `{"metadata":{` + uid + `}}`,
		`{"metadata":null}`:                      `{"metadata":{` + uid + `}}`,
		`{"metadata":{"name":"n"},"spec":{}}`:    `{"metadata":{"name":"n",` + uid + `},"spec":{}}`,
		`{"metadata":{"name":"n","uid":"here"}}`: "",
		`{"metadata":[]}`:                        "",
		`[]`:                                     "",
		`null`:                                   "",
	} {
		with, ok := withUID([]byte(object))
		if string(with) != want || ok != (want != "") {
			t.Errorf("%s: %s, %v; want %s", object, with, ok, want)
		}
	}
}
