package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// TestHelpFitsScreen tests that no line of a help is wider than helpWidth, except examples, which
// users copy, and usage lines.
func TestHelpFitsScreen(t *testing.T) {
	for _, c := range allCommands() {
		code, out, _ := crosswalk("", c.Name(), "--help")
		if code != command.ExitOK || out == "" {
			t.Errorf("%s: %d", c.Name(), code)
		}
		for line := range strings.Lines(out) {
			line = strings.TrimSuffix(line, "\n")
			if utf8.RuneCountInString(line) > helpWidth && !strings.HasPrefix(line, "  crosswalk ") && !strings.HasPrefix(line, "Usage: ") {
				t.Errorf("%s: %s", c.Name(), line)
			}
		}
	}
	for in, want := range map[string]string{
		"a b c":          "a b\nc",
		"a\nb\n\nc d":    "a b\n\nc d",
		"a b c\n\n  d e": "a b\nc\n\n  d e",
		"abcdef g":       "abcdef\ng",
		"é è":            "é è",
		"":               "",
	} {
		if got := wrapped(in, 3); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestLimitsAreTheSame tests that commands with limits of modules have all of them, with the same
// texts: the reference lists them once.
func TestLimitsAreTheSame(t *testing.T) {
	var want string
	for _, c := range allCommands() {
		_, limits := flagsOf(c)
		switch got := limits.FlagUsages(); {
		case got == "":
		case want == "":
			want = got
		case got != want:
			t.Errorf("%s has other limits:\n%s\nwant\n%s", c.Name(), got, want)
		}
	}
	if want == "" {
		t.Error("no command has limits")
	}
}
