package main

import (
	"path/filepath"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/test/operators/list"
)

// TestAttack attacks the comparison of the operator in testdata with one mutant of each mutation.
// make mutants attacks others.
func TestAttack(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a dozen modules (run without -short)")
	}
	list.WithoutZstd(t)
	work, root := t.TempDir(), filepath.Join("..", "..", "..")
	program := list.Tool(t)
	explained, err := readExplanations("equivalent.txt")
	if err != nil {
		t.Fatal(err)
	}
	const mutations = 12 // that the operator's code has a place for
	p := project{
		options: options{program: program, work: work, sdk: filepath.Join(root, "sdk", "go"), each: mutations, seed: 1},
		operator: operator{
			Operator: list.Operator{Name: "testdata", Kind: "Pool", Packages: []string{"example.com/attacked/v1", "example.com/attacked/v2"}},
			source:   filepath.Join("testdata", "operator"),
		},
		dir: filepath.Join(work, "Pool", "converter"),
	}
	mutants, err := p.attack()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range mutants {
		seen[m.Mutation] = true
		if m.Differing == 0 && explained[m.key()] == "" {
			t.Error(m)
		} else {
			t.Log(m)
		}
	}
	if len(seen) < mutations {
		t.Errorf("there are mutants of %d mutations only", len(seen))
	}
}
