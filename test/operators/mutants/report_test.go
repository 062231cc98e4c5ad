package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadExplanations(t *testing.T) {
	name := filepath.Join(t.TempDir(), "equivalent.txt")
	m := mutant{Kind: "Demo", Mutation: "drop a call", Function: "f", Before: "f()", After: "{}"}
	for _, test := range []struct{ text, reason, err string }{
		{"# a comment\n\n" + m.key() + " -- f has no effect\n", "f has no effect", ""},
		{"Demo: drop a call in g: g() => {} -- g has no effect\n", "", ""},
		{"# a comment\n" + m.key() + "\n", "", "equivalent.txt:2 has no reason"},
	} {
		if err := os.WriteFile(name, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		explained, err := readExplanations(name)
		if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) || explained[m.key()] != test.reason {
			t.Errorf("%q: got %v, %v", test.text, explained, err)
		}
	}
}

// TestSummary checks the counts of mutants that are noticed, equivalent, and neither.
func TestSummary(t *testing.T) {
	text := summary([]mutant{
		{Kind: "A", Operator: "a", Mutation: "drop a call", Differing: 2},
		{Kind: "A", Operator: "a", Mutation: "drop a field", Explanation: "it has no effect"},
		{Kind: "B", Operator: "b", Mutation: "drop a call"},
	})
	for _, row := range []string{"| A (a) | 2 | 1 | 1 | 0 |", "| B (b) | 1 | 0 | 0 | 1 |", "| drop a call | 2 | 1 | 0 | 1 |", "| drop a field | 1 | 0 | 1 | 0 |", "| all | 3 | 1 | 1 | 1 |"} {
		if !strings.Contains(text, row+"\n") {
			t.Errorf("there is no %q in %s", row, text)
		}
	}
}
