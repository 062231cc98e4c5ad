package main

import (
	"encoding/json"
	"fmt"
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
			if utf8.RuneCountInString(line) > helpWidth && !strings.HasPrefix(line, "  crosswalk ") && !strings.HasPrefix(line, "  kubectl ") && !strings.HasPrefix(line, "Usage: ") {
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

// TestVersionInJSON: a program reads the version without taking a line apart, and both name the same build.
func TestVersionInJSON(t *testing.T) {
	code, out, stderr := crosswalk("", "version", "-o", "json")
	var got struct {
		Version, Revision, GoVersion string
		ABI                          int
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != command.ExitOK {
		t.Fatalf("%d %s%s: %v", code, out, stderr, err)
	}
	want := fmt.Sprintf("crosswalk %s, revision %s, %s, ABI %d\n", got.Version, got.Revision, got.GoVersion, got.ABI)
	if _, line, _ := crosswalk("", "version"); got.Version == "" || got.ABI == 0 || line != want {
		t.Errorf("%+v, and the line is %q", got, line)
	}
	if code, _, stderr := crosswalk("", "completion", "bash", "zsh"); code != command.ExitError || !strings.Contains(stderr, "name one shell") {
		t.Errorf("two shells: %d %s", code, stderr)
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

// TestDocs shows the list of pages, a page, a section of it, and the row that is an alert's runbook.
func TestDocs(t *testing.T) {
	for _, test := range []struct {
		page, want string
		code       int
	}{
		{"", "\nfailures           Failures\n", command.ExitOK},
		{"failures", "\n## No conversion path\n", command.ExitOK},
		{"docs/author/rules.md", "# Rules\n", command.ExitOK},
		{"failures#no-conversion-path", "## No conversion path\n", command.ExitOK},
		{"https://example.com/blob/main/docs/use/flags-and-metrics.md#a-module-was-refused", "| a module was refused |", command.ExitOK},
		{"failure", `there is no page "failure": the pages are abi, `, command.ExitError},
		{"failures#nothing", `the page failures has no section "nothing": its sections are failures, `, command.ExitError},
	} {
		args := []string{"docs", test.page}
		if test.page == "" {
			args = args[:1]
		}
		if code, out, errs := crosswalk("", args...); code != test.code || !strings.Contains(out+errs, test.want) {
			t.Errorf("%s: %d\n%s%s", test.page, code, out, errs)
		}
	}
	if code, limits, _ := crosswalk("", "help", "limits"); code != command.ExitOK || !strings.Contains(limits, "\n      --fuel-per-byte ") {
		t.Errorf("%d %s", code, limits)
	}
}
