package foreign

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCutKeepsCharactersWhole(t *testing.T) {
	for _, c := range []struct {
		text                      string
		limit                     int
		cut, shorten, fit, quoted string
	}{
		{"", 0, "", "", "", `""`},
		{"abc", 3, "abc", "abc", "abc", `"abc"`},
		{"abcd", 3, "abc", "abc…", "…", `"abc"…`},
		{"abcdef", 5, "abcde", "abcde…", "ab…", `"abcde"…`},
		{"aéb", 2, "a", "a…", "…", `"a"…`},
		{"a\U0001F600b", 4, "a", "a…", "a…", `"a"…`},
		{"\x80\x80\x80\x80\x80\x80", 5, "\x80\x80\x80\x80\x80", "\x80\x80\x80\x80\x80…", "\x80\x80…", `"\x80\x80\x80\x80\x80"…`},
		{"abc", 0, "", "…", "…", `""…`},
	} {
		if got := Cut(c.text, c.limit); got != c.cut {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.text, c.limit, got, c.cut)
		}
		if got := Shorten([]byte(c.text), c.limit); got != c.shorten {
			t.Errorf("Shorten(%q, %d) = %q, want %q", c.text, c.limit, got, c.shorten)
		}
		if got := Fit(c.text, c.limit); got != c.fit {
			t.Errorf("Fit(%q, %d) = %q, want %q", c.text, c.limit, got, c.fit)
		}
		if got := Quote(c.text, c.limit); got != c.quoted {
			t.Errorf("Quote(%q, %d) = %s, want %s", c.text, c.limit, got, c.quoted)
		}
	}
}

func TestNameQuotesSpecialNames(t *testing.T) {
	for name, want := range map[string]string{
		"": `""`, "v1": "v1", "a b": `"a b"`, `a"b`: `"a\"b"`, "a\nb": `"a\nb"`, "é": `"é"`, "12345678": `"1234567"…`,
	} {
		if got := Name(name, 7); got != want {
			t.Errorf("Name(%q) = %s, want %s", name, got, want)
		}
	}
}

func TestCleanPrintable(t *testing.T) {
	for _, c := range []struct{ text, clean, printable string }{
		{" plain ", "plain", " plain "},
		{"two\n\tlines\r\n", "two\n\tlines", "two\ufffd\ufffdlines\ufffd\ufffd"},
		{"\x1b[31mred\x7f\u0085", "[31mred", "\ufffd[31mred\ufffd\ufffd"},
		{"bad\xff", "bad\ufffd", "bad\ufffd"},
	} {
		if got := Clean(c.text, 100); got != c.clean {
			t.Errorf("Clean(%q) = %q, want %q", c.text, got, c.clean)
		}
		if got := Printable(c.text, 100); got != c.printable {
			t.Errorf("Printable(%q) = %q, want %q", c.text, got, c.printable)
		}
	}
	if got := Clean(strings.Repeat("é", 100), 9); got != strings.Repeat("é", 4) {
		t.Errorf("Clean cuts to %q", got)
	}
}

func TestLabelIsUTF8(t *testing.T) {
	if got := Label("a\xffb"); got != "a\ufffdb" || Label("é") != "é" {
		t.Errorf("Label: %q", got)
	}
}

func TestDigestIsShort(t *testing.T) {
	if got := Digest("0123456789abcdef"); got != "0123456789ab" || Digest("01") != "01" {
		t.Errorf("Digest: %q", got)
	}
}

func FuzzBounds(f *testing.F) {
	f.Add("aé\U0001F600\xff", 3)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit &= 1<<16 - 1
		cut := Cut(text, limit)
		if len(cut) > limit || !strings.HasPrefix(text, cut) {
			t.Errorf("Cut(%q, %d) = %q", text, limit, cut)
		}
		if utf8.ValidString(text) && !utf8.ValidString(cut) {
			t.Errorf("Cut(%q, %d) = %q splits a character", text, limit, cut)
		}
		if clean := Clean(text, limit); !utf8.ValidString(clean) || len(clean) > 3*limit { // a byte may become U+FFFD
			t.Errorf("Clean(%q, %d) = %q", text, limit, clean)
		}
	})
}
