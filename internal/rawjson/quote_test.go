package rawjson_test

import (
	"encoding/json"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

func TestQuote(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", `""`},
		{"plain", "stable.example.com/v1", `"stable.example.com/v1"`},
		{"space", " a b", `" a b"`},
		{"quote and backslash", `a"b\c`, `"a\"b\\c"`},
		{"line", "a\nb\tc\rd", `"a\nb\tc\rd"`},
		{"controls", "\x00\x01\x1f\b\f\x7f", `"\u0000\u0001\u001f\u0008\u000c` + "\x7f\""},
		{"markup stays", "<a&b>", `"<a&b>"`},
		{"beyond ASCII", "é日😀\u2028", `"é日😀` + "\u2028\""},
		{"replacement character", "\uFFFD", "\"\uFFFD\""},
		{"invalid", "a\xffb\xc3", "\"a\uFFFDb\uFFFD\""},
		{"surrogate as bytes", "\xed\xa0\x80", "\"\uFFFD\uFFFD\uFFFD\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := string(rawjson.Quote([]byte("x="), c.in))
			if got != "x="+c.want {
				t.Errorf("got %s, want x=%s", got, c.want)
			}
		})
	}
}

func FuzzQuote(f *testing.F) {
	f.Add("a\"\\\n\x00é\xff\xed\xa0\x80😀")
	f.Fuzz(func(t *testing.T, in string) {
		quoted := rawjson.Quote(nil, in)
		var s rawjson.Scanner
		s.Reset(quoted, 0)
		raw, got := s.String()
		if !s.End() || raw.End != len(quoted) {
			t.Fatalf("%q became %s: %v", in, quoted, s.Err())
		}
		if want := string([]rune(in)); string(got) != want {
			t.Errorf("%q became %s and back %q", in, quoted, got)
		}
		var decoded string
		if err := json.Unmarshal(quoted, &decoded); err != nil || decoded != string(got) {
			t.Errorf("encoding/json reads %q, %v", decoded, err)
		}
	})
}
