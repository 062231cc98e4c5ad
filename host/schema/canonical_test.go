package schema

import (
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// TestCanonical: two values have one canonical form if, and only if, they are equal. The values of a
// row are equal, and equal to none of another row.
func TestCanonical(t *testing.T) {
	rows := [][]string{
		{`1`, `1.0`, `1e0`, `10e-1`},
		{`100`, `1e2`, `100.0`},
		{`-0`, `0`, `0.0`},
		{`9007199254740993`}, // beyond what a float64 holds
		{`9007199254740992`, `9007199254740992.0`},
		{`1e300`, `10e299`},
		{`0.1`, `1e-1`},
		{`"1"`, `"\u0031"`},
		{`"é"`, `"\u00e9"`},
		{`""`},
		{`null`},
		{`true`},
		{`[]`},
		{`[1,2]`, `[ 1.0 , 2 ]`},
		{`[2,1]`},
		{`[12]`},
		{`["1","2"]`},
		{`["1,2"]`},
		{`[[1],2]`},
		{`{}`},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, `{"\u0061":1,"b":2.0}`},
		{`{"a":2,"b":1}`},
		{`{"a":{"b":1}}`},
		{`{"a":null}`},
		{`{"ab":""}`},
		{`{"a":"b"}`},
	}
	seen := map[string]int{}
	for i, row := range rows {
		for _, value := range row {
			var s rawjson.Scanner
			s.Reset([]byte(value), 0)
			form := string(canonical(nil, &s, []byte(value)))
			if other, known := seen[form]; known != (value != row[0]) || known && other != i {
				t.Errorf("%s has the form %q, like a value of row %d", value, form, other)
			}
			seen[form] = i
		}
	}
}
