package module

import (
	"strings"
	"testing"
)

func TestDescriptionIsCleanAndShort(t *testing.T) {
	for said, want := range map[string]string{
		"":                             "",
		"a \x1b[31mname\n":             "a [31mname",
		"x" + strings.Repeat("é", 200): "x" + strings.Repeat("é", 99), // 200 bytes would split a character
	} {
		d := Description{Name: said, Licence: said}
		if d.tidy(); d.Name != want || d.Licence != want {
			t.Errorf("%q becomes %q and %q, want %q", said, d.Name, d.Licence, want)
		}
	}
}
