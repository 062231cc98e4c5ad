package yamlfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestDocuments(t *testing.T) {
	for text, want := range map[string]string{
		"":                             `1 ""`,
		"a: 1":                         `1 "a: 1"`,
		"---\na: 1\n---\nb: 1\n":       `1 "---\na: 1\n", 3 "---\nb: 1\n"`,
		"# a\n--- # b\na: 1\n---":      `1 "# a\n", 2 "--- # b\na: 1\n", 4 "---"`,
		"a: |\n  ---\n  x\n---x: 1\n":  `1 "a: |\n  ---\n  x\n---x: 1\n"`,
		"a: 1\r\n---\r\nb: 1\r\n...\n": `1 "a: 1\r\n", 2 "---\r\nb: 1\r\n...\n"`,
	} {
		var got []string
		for _, d := range Documents([]byte(text)) {
			if text[d.At:d.At+len(d.Text)] != string(d.Text) {
				t.Errorf("%q: a document is not at %d", text, d.At)
			}
			got = append(got, fmt.Sprintf("%d %q", d.Line, d.Text))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: %s, want %s", text, strings.Join(got, ", "), want)
		}
	}
}

func TestLocate(t *testing.T) {
	if line, message := Locate(errors.New("line 2: a: b"), 10); line != 11 || message != "a: b" {
		t.Error(line, message)
	}
	if line, message := Locate(errors.New("it is bad: so"), 10); line != 10 || message != "it is bad: so" {
		t.Error(line, message)
	}
}

// TestInUTF8 decodes files of Windows: a mark at the begin says the order of bytes.
func TestInUTF8(t *testing.T) {
	for _, c := range []struct {
		text, want string
		changed    bool
	}{
		{"\xff\xfea\x00:\x00\xac\x20", "a:€", true},
		{"\xfe\xff\x00a\x00:\x20\xac", "a:€", true},
		{"\xff\xfe\x3d\xd8\x00\xde", "😀", true},
		{"\xff\xfea\x00b", "a", true}, // cut within a character
		{"\xff\xfe", "", true},
		{"\xff", "\xff", false},
		{"a: \xff\xfe", "a: \xff\xfe", false},
		{"a: €", "a: €", false},
	} {
		if got, changed := InUTF8([]byte(c.text)); string(got) != c.want || changed != c.changed {
			t.Errorf("%q: got %q, %v", c.text, got, changed)
		}
	}
}
