package module

import (
	"bytes"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// saysOutOfMemory reports whether a guest's crash text is a failed allocation, as Go, TinyGo,
// QuickJS, Nim and Rust write it.
func saysOutOfMemory(said string) bool {
	said = strings.ToLower(said)
	return strings.Contains(said, "out of memory") ||
		strings.Contains(said, "memory allocation of ") && strings.Contains(said, " failed")
}

// beginsReport reports whether a line of stderr or stdout is the first of a crash report of Go,
// TinyGo or Rust.
func beginsReport(line []byte) bool {
	for _, prefix := range []string{"panic: ", "fatal error: ", "runtime: out of memory"} {
		if bytes.HasPrefix(line, []byte(prefix)) {
			return true
		}
	}
	return bytes.HasPrefix(line, []byte("thread '")) && bytes.Contains(line, []byte(" panicked at "))
}

// reportSummary returns the line of a crash report with the message. Rust writes the location on a
// separate line before it.
func reportSummary(report []byte) string {
	first, rest, _ := strings.Cut(foreign.Clean(report, maxRefusal), "\n")
	if strings.HasSuffix(first, ":") {
		second, _, _ := strings.Cut(rest, "\n")
		first += " " + second
	}
	return strings.TrimSpace(first)
}

// oneLine joins the lines of a text.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
