package review

import (
	"encoding/json"
	"testing"
)

// TestRequest asks for objects without a change of their text.
func TestRequest(t *testing.T) {
	const want = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"crosswalk","desiredAPIVersion":"a\"b/v1","objects":[{"n": 1.50},{}]}}`
	if got := string(Request("a\"b/v1", json.RawMessage(`{"n": 1.50}`), json.RawMessage("{}"))); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := Request[[]byte]("g/v1"); !json.Valid(got) {
		t.Errorf("%s", got)
	}
}

// TestObjects reads the objects of answers, in the order of the answer and with their text.
func TestObjects(t *testing.T) {
	for text, want := range map[string][]string{
		`{"kind":"ConversionReview","response":{"uid":"a","convertedObjects":[{"a":1},{"b":"]"}],"result":{}}}`:     {`{"a":1}`, `{"b":"]"}`},
		"{ \"response\" : { \"convertedObjects\" : [ {\"a\": 1} ,\n{} ] } }":                                        {`{"a": 1}`, `{}`},
		`{"response":{"uid":"a","convertedObjects":[]}}`:                                                            nil,
		`{"response":{"uid":"a","result":{"status":"Failure","message":"the member convertedObjects is missing"}}}`: nil,
		`{"kind":"ConversionReview"}`: nil,
	} {
		got := Objects([]byte(text))
		if len(got) != len(want) {
			t.Errorf("%s: %s", text, got)
			continue
		}
		for i := range got {
			if string(got[i]) != want[i] {
				t.Errorf("%s: %s, want %s", text, got[i], want[i])
			}
		}
	}
}
