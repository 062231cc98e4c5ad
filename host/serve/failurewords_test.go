package serve

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/crontabs"
)

var verb = regexp.MustCompile(`%[.\d]*[a-z]`)

// runtimeFaults are the faults that the runtime makes, in its own words, which it has nowhere but
// in its calls of faultf.
func runtimeFaults(t *testing.T) []error {
	t.Helper()
	kinds := map[string]string{
		"Trap": faults.Trap, "Fuel": faults.Fuel, "Deadline": faults.Deadline, "Memory": faults.Memory, "Stack": faults.Stack,
		"ABI": faults.ABI, "Output": faults.Output, "Busy": faults.Busy, "Breaker": faults.Breaker, "Internal": faults.Internal,
	}
	var made []error
	literals := 0
	eachFunction(t, "../../runtime/module", func(name string, body ast.Node) {
		ast.Inspect(body, func(n ast.Node) bool {
			if c, ok := n.(*ast.CompositeLit); ok && fmt.Sprint(c.Type) == "FaultError" {
				literals++
			}
			call, ok := n.(*ast.CallExpr)
			if !ok || fmt.Sprint(call.Fun) != "faultf" || name == "describe" { // which nothing but loading calls
				return true
			}
			format, ok := call.Args[1].(*ast.BasicLit)
			kind := ""
			if constant, ok := call.Args[0].(*ast.SelectorExpr); ok && fmt.Sprint(constant.X) == "faults" {
				kind = kinds[constant.Sel.Name]
			}
			if !ok || kind == "" {
				t.Errorf("runtime, %s: a fault whose kind or text is not a constant", name)
				return true
			}
			text, _ := strconv.Unquote(format.Value)
			made = append(made, crontabs.Fault(kind, verb.ReplaceAllStringFunc(text, func(v string) string {
				switch v[len(v)-1] {
				case 'd':
					return "7"
				case 'w':
					return context.DeadlineExceeded.Error()
				case 'q':
					return `"word"`
				}
				return "word"
			})))
			return true
		})
	})
	if len(made) < 30 || literals != 1 {
		t.Fatalf("%d calls of faultf and %d other faults found in ../runtime: has its way to make faults changed?", len(made), literals-1)
	}
	return made
}

// eachFunction calls f with every function of a package but those of its tests.
func eachFunction(t *testing.T, dir string, f func(name string, body ast.Node)) {
	t.Helper()
	sources, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources in %s: %v", dir, err)
	}
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), source, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				f(fn.Name.Name, fn.Body)
			}
		}
	}
}

// everyWordIsSaid looks through the files that make messages, and demands of every piece of text in
// them that one of the messages has it. So a new failure needs a case in these tests, and with it a
// row in docs/use/failures.md.
func everyWordIsSaid(t *testing.T, messages []message) {
	t.Helper()
	makers := []string{"../answer", "../batch", "../contract", "../failure", "../labels", "../restore", "../review", "../route", "../routetext", "../validator", "exchange", "handler"}
	// Texts that are not part of a message: log lines, and constants for comparison.
	silent := []string{
		"request rejected", "review converted", "review failed", "converted object breaks the schema", "converted object was not checked against all of its schema", "panic recovered; this is a bug",
		"a conversion ran past its deadline; this is a bug", "text/plain; charset=utf-8", "draining: shutting down",
		"%s, converted by module %s: %s",                   // Outcome.Violation, see TestSchemaCheck
		"%s has not been read yet", "%s has no version %s", // Outcome.UncheckedCause, see TestUncheckedObjectsAreCounted
	}
	said := make([]string, len(messages))
	for i, m := range messages {
		said[i] = m.text
	}
	for _, maker := range makers {
		file, err := parser.ParseFile(token.NewFileSet(), maker+".go", nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil || !strings.Contains(strings.TrimSpace(text), " ") || strings.Contains(text, "\t") || slices.Contains(silent, text) {
				return true
			}
			pattern := `(?s)`
			for i, part := range verb.Split(text, -1) {
				if i > 0 {
					pattern += `.*`
				}
				pattern += regexp.QuoteMeta(part)
			}
			if says := regexp.MustCompile(pattern); !slices.ContainsFunc(said, says.MatchString) {
				t.Errorf("%s.go: no case of these tests says %q", maker, text)
			}
			return true
		})
	}
}
