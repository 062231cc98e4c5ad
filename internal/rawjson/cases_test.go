package rawjson_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// conformance is one document and its verdict. The first letter of the name is the verdict of RFC
// 8259: y, every reader must accept it; n, no reader may accept it; i, implementations differ, for
// example on invalid UTF-8.
type conformance struct {
	name string
	doc  string
	want string // the whole message, or "" if the document is accepted
}

// cases returns all of them; the files cases_*_test.go have them by subject.
func cases() []conformance {
	var all []conformance
	for _, some := range [][]conformance{
		structureCases(), separatorCases(), keyCases(), depthCases(), stringCases(), escapeCases(), utf8Cases(), numberCases(), rangeCases(),
	} {
		all = append(all, some...)
	}
	return all
}

func TestConformance(t *testing.T) {
	all := cases()
	if len(all) < 150 {
		t.Errorf("only %d cases", len(all))
	}
	names := map[string]bool{}
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			if names[c.name] {
				t.Error("name used twice")
			}
			names[c.name] = true
			var s rawjson.Scanner
			if got := text(check(&s, []byte(c.doc))); got != c.want {
				t.Errorf("Skip: got %q, want %q", got, c.want)
			}
			if got := text(pull(&s, []byte(c.doc))); got != c.want {
				t.Errorf("pull: got %q, want %q", got, c.want)
			}
			// The name must be true of the standard. encoding/json follows it, and accepts
			// everything that the standard leaves open.
			if standard := c.name[0] != 'n'; json.Valid([]byte(c.doc)) != standard {
				t.Errorf("encoding/json says valid=%v", !standard)
			}
			if c.name[0] == 'y' && c.want != "" || c.name[0] == 'n' && c.want == "" || !strings.Contains("yni", c.name[:1]) {
				t.Errorf("the verdict contradicts the name")
			}
		})
	}
}

// TestConformanceInside puts every accepted document, and every document that is rejected for its
// content, into a member of another: the verdict stays, and the offset moves along.
func TestConformanceInside(t *testing.T) {
	const before, after = `{"outer":[0,`, `]}`
	for _, c := range cases() {
		if c.want != "" && !strings.HasPrefix(c.name, "i_") || strings.Contains(c.name, "depth") || strings.Contains(c.name, "order_mark") {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			var s rawjson.Scanner
			err := check(&s, []byte(before+c.doc+after))
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var alone rawjson.Scanner
			want := *check(&alone, []byte(c.doc)).(*rawjson.SyntaxError)
			want.Offset += len(before)
			if got := text(err); got != want.Error() {
				t.Errorf("got %q, want %q", got, want.Error())
			}
		})
	}
}

// pull is check by the pull API: every value is entered or read, none skipped.
func pull(s *rawjson.Scanner, doc []byte) error {
	s.Reset(doc, 0)
	walk(s)
	s.End()
	return s.Err()
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
