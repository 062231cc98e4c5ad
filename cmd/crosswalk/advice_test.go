package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// TestAdviceNamesFlags tests that a flag which a message about a module advises exists: for check,
// because an author reads the message there, and for the gateway.
func TestAdviceNamesFlags(t *testing.T) {
	flags, err := os.ReadFile(filepath.Join("..", "..", "docs", "use", "flags-and-metrics.md")) // a test of the gateway compares it with the flags
	if err != nil {
		t.Fatal(err)
	}
	flag := regexp.MustCompile(`--([a-z]+(?:-[a-z]+)+)`)
	root, found := newRoot(command.Streams{}, "crosswalk"), 0
	check, _, err := root.Find([]string{"check"})
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"*.go", "module/*.go", "artifact/*.go", "meter/*.go", "memory/*.go", "wasi/*.go"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "runtime", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || strings.Contains(file, "metrics") || filepath.Base(file) == "loadedmemory.go" { // whose texts are for operators
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				text, ok := n.(*ast.BasicLit)
				if !ok || text.Kind != token.STRING {
					return true
				}
				for _, m := range flag.FindAllStringSubmatch(text.Value, -1) {
					found++
					if check.Flags().Lookup(m[1]) == nil {
						t.Errorf("%s advises --%s, which crosswalk check does not have: %s", file, m[1], text.Value)
					}
					if !strings.Contains(string(flags), "`--"+m[1]) {
						t.Errorf("%s advises --%s, which the gateway does not have: %s", file, m[1], text.Value)
					}
				}
				return true
			})
		}
	}
	if found < 5 {
		t.Errorf("only %d flags were found in messages", found)
	}
}
