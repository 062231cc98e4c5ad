package crosswalk

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestQuote(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", `""`},
		{"plain", "abc", `"abc"`},
		{"plain, longer than a word", "abcdefghijk <>&", `"abcdefghijk <>&"`},
		{"escapes", "\"\\/\b\f\n\r\t\x00\x1f\x7f", `"\"\\/\u0008\u000c\n\r\t\u0000\u001f` + "\x7f" + `"`},
		{"an escape at the end of a word", "1234567\"", `"1234567\""`},
		{"unicode", "é😀\u2028", "\"é😀\u2028\""},
		{"not UTF-8", "a\xffb\xc3", "\"a\uFFFDb\uFFFD\""},
		{"surrogate in UTF-8", "\xed\xa0\x80", "\"\uFFFD\uFFFD\uFFFD\""},
		{"U+FFFD itself", "\uFFFD", "\"\uFFFD\""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := string(Quote(nil, test.in)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// FuzzQuote compares with encoding/json, there and back.
func FuzzQuote(f *testing.F) {
	f.Add("a\"\\\n😀\xff", `\u00e9\ud83d\ude00\ud83d\/\b`)
	f.Fuzz(func(t *testing.T, text, raw string) {
		var back, want string
		if err := json.Unmarshal(Quote(nil, text), &back); err != nil {
			t.Fatalf("%q was quoted as %s: %v", text, Quote(nil, text), err)
		}
		wantJSON, _ := json.Marshal(text)
		if json.Unmarshal(wantJSON, &want); back != want {
			t.Fatalf("%q came back as %q, want %q", text, back, want)
		}
		if json.Unmarshal([]byte(`"`+raw+`"`), &want) == nil {
			if got := string(unquote(nil, []byte(raw))); string([]rune(got)) != want {
				t.Fatalf("unquote(%s) = %q, want %q", raw, got, want)
			}
		}
		if got, want := validEnd([]byte(raw), 0, 0) == len(raw), json.Valid([]byte(raw)) && raw == trim(raw); got != want {
			t.Fatalf("valid(%s) = %v, want %v", raw, got, want)
		}
	})
}

func trim(s string) string {
	for i := range len(s) {
		if skipBlank([]byte(s[i:i+1]), 0) == 0 {
			s = s[i:]
			break
		}
	}
	for s != "" && skipBlank([]byte(s[len(s)-1:]), 0) == 1 {
		s = s[:len(s)-1]
	}
	return s
}

func TestValid(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`: true, `[]`: true, `[ 1 , {"a" : [ ] } ]`: true, `-0.5e-3`: true, `0`: true, `"\u00Ff\n"`: true, `true`: true, `false`: true, `null`: true,
		``: false, `01`: false, `1.`: false, `.5`: false, `+1`: false, `1e`: false, `-`: false, `tru`: false, `"\x"`: false, `"\u00g0"`: false,
		`"a`: false, "\"\t\"": false, `{"a":1,}`: false, `[1,]`: false, `{a:1}`: false, `{"a"}`: false, `[1 2]`: false, `{`: false, `[`: false,
	} {
		if got := validEnd([]byte(text), 0, 0) == len(text); got != want || got != json.Valid([]byte(text)) {
			t.Errorf("valid(%s) = %v, want %v", text, got, want)
		}
	}
	deep := make([]byte, 0, 2*(maxDepth+2))
	for range maxDepth + 2 {
		deep = append(deep, '[')
	}
	for range maxDepth + 2 {
		deep = append(deep, ']')
	}
	if validEnd(deep, 0, 0) >= 0 {
		t.Error("nesting beyond the limit was taken")
	}
	if validEnd(deep[1:len(deep)-1], 0, 0) < 0 {
		t.Error("nesting at the limit was not taken")
	}
}

func TestErrorf(t *testing.T) {
	err := Errorf("%s|%v|%d|%q|%t|%d|%v|%d|%d|%d|%d|%s|%%|%s|%v|%", "a", errors.New("b"), 1, "c\n", true, int64(-2), []byte("d"),
		uint8(3), uint32(4), uint64(5), int32(6), TypeString, struct{}{}, nil)
	const want = `a|b|1|"c\n"|true|-2|d|3|4|5|6|a string|%|(?)|nil|%`
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
	if got := Errorf("%d of %d", 1).Error(); got != "1 of %!d" {
		t.Errorf("got %s", got)
	}
}

func TestDescription(t *testing.T) {
	d := Description{Name: "n\"", Version: "1.2.3", Source: "https://example.com", Licence: "MIT"}
	const want = `{"language":"go","sdk":"crosswalk-go/1.0.0","name":"n\"","version":"1.2.3","source":"https://example.com","licence":"MIT"}`
	if got := string(d.json()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := string(description); got != `{"language":"go","sdk":"crosswalk-go/1.0.0"}` {
		t.Errorf("without Describe: %s", got)
	}
}
