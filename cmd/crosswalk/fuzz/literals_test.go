package fuzz

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestLiterals(t *testing.T) {
	got := Literals([]byte("\x00asm\x01spec.text\x00\xffmain\x00if (s === \"rare-7\") 'a'; x\x00" + strings.Repeat("y", 41) + "\x00"))
	want := []string{"rare-7", "asm", "if", "main", "spec.text", strings.Repeat("y", 40)}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	var many strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&many, "word%d\x00", i)
	}
	if n := len(Literals([]byte(many.String()))); n < maxLiterals/4 || n > maxLiterals {
		t.Errorf("%d words", n)
	}
}
