package state

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/calls"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// whole is a copy of the whole program.
type whole struct{}

func (whole) Has(*code.Unit) bool   { return true }
func (whole) Keeps(*code.Unit) bool { return true }

// TestCalled is a table of sources and the functions that F can call.
func TestCalled(t *testing.T) {
	for text, want := range map[string]string{
		`func F() { a() }; func a() {}; func b() {}`:                                                   "a",
		`var table = map[string]func(){"a": a}; func F() { table["a"]() }; func a() {}`:                "a",
		`func F() { call(a) }; func call(f func()) { f() }; func a() {}`:                               "a call",
		`func F() { func() { a() }() }; func a() {}`:                                                   "F$1 a",
		`type i interface{ m() }; func F() { var x i = T{}; x.m() }; func (T) m() {}; func (T) n() {}`: "m",
		`type i interface{ m() }; func F(x i) { x.m() }; func (T) m() {}`:                              "", // no T is in an interface
		`func F() { _ = g[T]() }; func g[A any]() (a A) { return a }`:                                  "g",
		`import "fmt"; func F() { fmt.Print(T{}) }; func (T) String() string { return "" }`:            "String",
		`import "fmt"; func F() { fmt.Printf("%T", T{}) }; func (T) String() string { return "" }`:     "",
	} {
		p, s, pkg := programOf(t, text)
		s.Build(pkg)
		c := calls.Follow(p, s, whole{}, []*ssa.Function{pkg.Func("F")}, nil)
		var got []string
		for f := range c.Functions {
			if f.Synthetic == "" && f.Name() != "F" {
				got = append(got, f.Name())
			}
		}
		slices.Sort(got)
		if got := strings.Join(slices.Compact(got), " "); got != want {
			t.Errorf("%s\ncalls %q, want %q", text, got, want)
		}
	}
}

// TestLive is a table of sources with the lines of F that cannot run, which a comment names.
func TestLive(t *testing.T) {
	for _, text := range []string{
		"func F() {\nif err := never(); err != nil {\nprintln(err) // dead\n}\n}\nfunc never() error { return nil }",
		"func F(n int) {\nif err := some(n); err != nil {\nprintln(err)\n}\n}\nfunc some(n int) error {\nif n > 0 {\nreturn inner()\n}\nreturn nil\n}\nfunc inner() error { return E{} }\ntype E struct{}\nfunc (E) Error() string { return \"\" }",
		"import \"encoding/json\"\nfunc F(x T) {\nif _, err := json.Marshal(x); err != nil {\nprintln(err) // dead\n}\n}",
		"import \"encoding/json\"\nfunc F(x T, b []byte) {\nif err := json.Unmarshal(b, &x); err != nil {\nprintln(err)\n}\n}",
		"func F() {\na(&T{})\n}\nfunc a(x *T) {\nif x == nil {\nprintln(x) // dead\n}\n}",
		"func F(x *box) {\na(x.T)\n}\nfunc a(x *T) {\nif x == nil {\nprintln(x)\n}\n}",
		"func F() {\nif true {\nreturn\n}\nprintln(1) // dead\n}",
	} {
		p, s, pkg := programOf(t, text)
		s.Build(pkg)
		roots := []*ssa.Function{pkg.Func("F")}
		c := calls.Follow(p, s, whole{}, roots, nil)
		live := calls.Live(c, roots, nil)
		lines := strings.Split("package p\n\n"+text, "\n")
		for f := range c.Functions {
			can := live.Blocks(f)
			for _, b := range f.Blocks {
				for _, i := range b.Instrs {
					call, ok := i.(*ssa.Call)
					if !ok || !call.Pos().IsValid() {
						continue
					}
					if line := lines[p.Fset.Position(call.Pos()).Line-1]; can[b] == strings.HasSuffix(line, "// dead") {
						t.Errorf("%s\nthe line %q can run: %v", text, line, can[b])
					}
				}
			}
		}
	}
}
