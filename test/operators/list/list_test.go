package list

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOperatorsAreComplete checks the list for mistakes that a run of hours would find late.
func TestOperatorsAreComplete(t *testing.T) {
	names, forms, seen := map[string]bool{}, map[Form]bool{}, map[string]bool{}
	for _, o := range All() {
		key := o.Title()
		if seen[key] {
			t.Errorf("%s is there twice", key)
		}
		names[o.Name], seen[key] = true, true
		if o.Test {
			forms[o.Form] = true
		}
		if len(o.Packages) < 2 {
			t.Errorf("%s has %d packages; a conversion needs two versions", key, len(o.Packages))
		}
		for _, argument := range o.Arguments() {
			if strings.Count(argument, "@") != 1 || strings.HasSuffix(argument, "@") {
				t.Errorf("%s: the argument %s must be path@version", key, argument)
			}
		}
		if o.Accept != "" {
			text, err := os.ReadFile(filepath.Join("testdata", o.Accept))
			if err != nil {
				t.Errorf("%s: %v", key, err)
			}
			for line := range strings.Lines(string(text)) {
				if _, reason, ok := strings.Cut(strings.TrimSpace(line), ": "); !strings.HasPrefix(line, "accept ") || !ok || reason == "" {
					t.Errorf("%s: %s: %q must be accept WHAT NAME: REASON", key, o.Accept, line)
				}
			}
		}
		if o.SetUp == "" {
			continue
		}
		file := filepath.Join("testdata", o.SetUp)
		if _, err := os.Stat(file); err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		if f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0); err != nil || f.Name.Name != "main" {
			t.Errorf("%s: the set-up file must be of package main: %v", key, err)
		}
	}
	if len(names) < 25 {
		t.Errorf("the list has %d operators, want at least 25", len(names))
	}
	for _, form := range []Form{Methods, Context, Functions, Converter, Unstructured} {
		if !forms[form] {
			t.Errorf("make test-adopt adopts no operator with the form %q", form)
		}
	}
}
