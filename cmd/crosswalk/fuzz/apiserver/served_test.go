package apiserver

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"
)

var jsonString = regexp.MustCompile(`"(\\.|[^"\\])*"`)

// TestServedVectors tests that an API server agrees with the vectors of all SDKs' Lossless. It decodes
// and encodes each value twice, because a client reads an object before it writes it back.
func TestServedVectors(t *testing.T) {
	text, err := os.ReadFile("../../../../plugins/testdata/stash.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Served []struct{ JSON, Served string }
	}
	if err := json.Unmarshal(text, &vectors); err != nil || len(vectors.Served) == 0 {
		t.Fatalf("%v, %d vectors", err, len(vectors.Served))
	}
	for _, v := range vectors.Served {
		plain := jsonString.ReplaceAllStringFunc(v.Served, func(quoted string) string {
			var s string
			if err := json.Unmarshal([]byte(quoted), &s); err != nil {
				t.Fatal(err)
			}
			out, _ := json.Marshal(s)
			return string(out)
		})
		if got := served(t, served(t, `{"v":`+v.JSON+`}`)); got != `{"v":`+plain+`}` {
			t.Errorf("%s: an API server sends %s, the vector has %s", v.JSON, got, v.Served)
		}
	}
}

func served(t *testing.T, text string) string {
	object, err := Decode([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	out, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
