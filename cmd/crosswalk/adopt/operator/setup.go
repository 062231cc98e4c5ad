package operator

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
)

const (
	SetUpName    = "SetUp"        // func SetUp(), which does what the operator's main does before it converts
	SetUpContext = "SetUpContext" // func SetUpContext(context.Context) context.Context
)

// setUp is the code that a person wrote in place of the operator's main.
type setUp struct {
	Pkg     *packages.Package
	Text    []byte
	roots   []types.Object
	Context bool // it makes the context of conversions
}

// overlay returns the set-up file as a file of the module that packages are loaded in, and the
// pattern of its package.
func (w Workplace) overlay(ctx context.Context) (files map[string][]byte, pattern string, err error) {
	if w.SetUp == "" {
		return nil, "", nil
	}
	text, err := os.ReadFile(w.SetUp)
	if err != nil {
		return nil, "", fmt.Errorf("the set-up code cannot be read: %w", err)
	}
	mod, err := gocmd.Output(ctx, w.Dir, "env", "GOMOD")
	if err != nil {
		return nil, "", err
	}
	pattern = filepath.Join(filepath.Dir(mod), code.SetUpDir)
	return map[string][]byte{filepath.Join(pattern, code.SetUpFile): text}, pattern, nil
}

// takeSetUp takes the package of the overlay from those that are looked through for conversions.
func (p *Program) takeSetUp(files map[string][]byte) error {
	for i, pkg := range p.Initial {
		if !strings.HasSuffix(pkg.PkgPath, "/"+code.SetUpDir) {
			continue
		}
		p.Initial = append(p.Initial[:i:i], p.Initial[i+1:]...)
		s := &setUp{Pkg: pkg}
		if len(pkg.Errors) > 0 {
			return fmt.Errorf("%s does not compile: %s", code.SetUpFile, pkg.Errors[0].Msg)
		}
		if pkg.Name != "main" {
			return fmt.Errorf("%s must be of package main, not %s", code.SetUpFile, pkg.Name)
		}
		for name, text := range files {
			p.source[name], s.Text = text, text
		}
		for _, name := range []string{SetUpName, SetUpContext} {
			f, ok := pkg.Types.Scope().Lookup(name).(*types.Func)
			if !ok {
				continue
			}
			want := "func()"
			if name == SetUpContext {
				want, s.Context = "func(context.Context) context.Context", true
			}
			if got := withoutNames(f.Signature()); got != want {
				return fmt.Errorf("%s: %s must be a %s, not a %s", code.SetUpFile, name, want, got)
			}
			s.roots = append(s.roots, f)
		}
		p.Declare()
		for _, u := range p.Inits[pkg] {
			if len(u.Defs) == 0 || u.Defs[0].Name() == "init" {
				return fmt.Errorf("%s has an init function, which would run after the conversions are registered: name it %s", code.SetUpFile, SetUpName)
			}
		}
		if len(s.roots) == 0 {
			return fmt.Errorf("%s has neither func %s() nor func %s(context.Context) context.Context: write what the operator's main does before it converts", code.SetUpFile, SetUpName, SetUpContext)
		}
		p.SetUp = s
		return nil
	}
	return errors.New("the set-up code was not loaded")
}

// withoutNames returns a signature without the names of parameters.
func withoutNames(s *types.Signature) string {
	text := func(t *types.Tuple) (list []string) {
		for i := range t.Len() {
			list = append(list, types.TypeString(t.At(i).Type(), nil))
		}
		return list
	}
	return strings.TrimSuffix("func("+strings.Join(text(s.Params()), ", ")+") "+strings.Join(text(s.Results()), ", "), " ")
}

// IsSetUp reports whether a package is that of the set-up code: it is not copied to the vendor tree.
func (p *Program) IsSetUp(pkg *packages.Package) bool { return p.SetUp != nil && p.SetUp.Pkg == pkg }

// SetUpRoots returns the functions of the set-up code that a module calls.
func (p *Program) SetUpRoots() []types.Object {
	if p.SetUp == nil {
		return nil
	}
	return p.SetUp.roots
}

// Has reports whether the set-up code has a function.
func (s *setUp) Has(name string) bool {
	if s == nil {
		return false
	}
	for _, o := range s.roots {
		if o.Name() == name {
			return true
		}
	}
	return false
}
