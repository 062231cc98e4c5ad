package fuzz

import (
	"reflect"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// TestDecodeChecked compares the fast decoder with the API server's, on every value of JSON that
// the gateway lets through.
func TestDecodeChecked(t *testing.T) {
	for _, value := range []string{
		`null`, `true`, `false`, `""`, `[]`, `{}`, `0`, `-0`, `7`, `-7`, `9223372036854775807`, `-9223372036854775808`, `1.0`, `1.5`, `-0.0`,
		`1e3`, `1E-3`, `1.5e300`, `0e0`, `"a"`, `"eight by"`, `"quote \" and \\ and \/"`, `"\b\f\n\r\t"`, `"\u00e9\u0000"`, `"\ud83d\ude00"`, `"é😀"`,
		`[1,"a",null,[],{}]`, "[ 1 ,\n\t2 ]", `{"a":{"b":[{"c":1}]},"\u0061b":2}`, "{ \"a\" : 1 ,\r\n \"b\" : [ ] }", `[[[[1]]]]`,
	} {
		text := []byte(` {"v" : ` + value + ` , "w":[` + value + `,` + value + `]} `)
		var s rawjson.Scanner
		if s.Reset(text, 0); !s.End() {
			t.Fatalf("%s: %v", text, s.Err())
		}
		want, err := decode(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := decodeChecked(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v, want %#v", value, got["v"], want["v"])
		}
	}
}

func TestConvertedObjects(t *testing.T) {
	for text, want := range map[string][]string{
		`{"kind":"ConversionReview","response":{"uid":"a","convertedObjects":[{"a":1},{"b":"]"}],"result":{}}}`:     {`{"a":1}`, `{"b":"]"}`},
		"{ \"response\" : { \"convertedObjects\" : [ {\"a\": 1} ,\n{} ] } }":                                        {`{"a": 1}`, `{}`},
		`{"response":{"uid":"a","convertedObjects":[]}}`:                                                            nil,
		`{"response":{"uid":"a","result":{"status":"Failure","message":"the member convertedObjects is missing"}}}`: nil,
		`{"kind":"ConversionReview"}`: nil,
	} {
		got := convertedObjects([]byte(text))
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
