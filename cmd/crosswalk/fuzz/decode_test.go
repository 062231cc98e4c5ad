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
