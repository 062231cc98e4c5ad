package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is a module with one mistake.
type mutant struct {
	Kind, Operator string
	Name           string // mutation and place
	Mutation       string
	Function       string
	Nth            int    // of the changes of the function with the same text
	Before, After  string // the changed lines
	Differing      int    // objects
	At             string // the place of a difference
	Explanation    string // of a survivor
	module         string
}

func (m mutant) String() string {
	if m.Differing > 0 {
		return fmt.Sprintf("%s: %s (%s): %d objects differ, at %s", m.Kind, m.Name, m.Function, m.Differing, cmp.Or(m.At, "the whole result"))
	}
	return fmt.Sprintf("%s (%s): not noticed: %s", m.key(), m.Name, cmp.Or(m.Explanation, "not explained"))
}

// key is the mutant's name in equivalent.txt. It has no line, because those of copies move.
func (m mutant) key() string {
	mutation := m.Mutation
	if m.Nth > 1 {
		mutation = fmt.Sprintf("%s, the %d.,", m.Mutation, m.Nth)
	}
	return fmt.Sprintf("%s: %s in %s: %s => %s", m.Kind, mutation, m.Function, m.Before, m.After)
}

// choose builds mutants: the mutations take turns, and of the places of each, one of the functions
// with the fewest mutants is next.
func (p project) choose(changes []change) (mutants []mutant, err error) {
	r := rand.New(rand.NewSource(p.seed))
	by := map[string][]change{}
	for _, i := range r.Perm(len(changes)) {
		by[changes[i].mutation] = append(by[changes[i].mutation], changes[i])
	}
	var mutations []string
	for name := range by {
		mutations = append(mutations, name)
	}
	slices.Sort(mutations)
	used := map[string]int{}
	for n := 0; len(mutations) > 0 && len(mutants) < p.each; n++ {
		mutation := mutations[n%len(mutations)]
		built := false
		for !built && len(by[mutation]) > 0 {
			best := 0
			for i, c := range by[mutation] {
				if used[c.function] < used[by[mutation][best].function] {
					best = i
				}
			}
			c := by[mutation][best]
			by[mutation] = slices.Delete(by[mutation], best, best+1)
			var m mutant
			if m, built, err = p.mutant(c); err != nil {
				return nil, err
			}
			if built {
				used[c.function]++
				mutants = append(mutants, m)
			}
		}
		if !built {
			mutations = slices.DeleteFunc(mutations, func(other string) bool { return other == mutation })
		}
	}
	return mutants, nil
}

// mutant builds the module of a change.
func (p project) mutant(c change) (m mutant, ok bool, err error) {
	name := strings.NewReplacer("/", "_", " ", "-", ":", "_").Replace(c.String())
	module, ok, err := p.build(c, filepath.Join(filepath.Dir(p.dir), "mutants", name))
	if err != nil || !ok {
		return m, false, err
	}
	before, after, err := p.lines(c)
	if err != nil {
		return m, false, err
	}
	return mutant{
		Kind: p.label(), Operator: p.Name, Name: c.String(), Mutation: c.mutation, Nth: c.nth,
		Function: path.Base(path.Dir(c.file)) + "." + c.function,
		Before:   before, After: after, module: module,
	}, true, nil
}

// lines returns the changed lines of a change.
func (p project) lines(c change) (before, after string, err error) {
	text, err := os.ReadFile(filepath.Join(p.dir, "vendor", filepath.FromSlash(c.file)))
	if err != nil {
		return "", "", err
	}
	before, after = changedLines(string(text), c.apply(string(text)))
	return before, after, nil
}

// number counts the changes of a function that have the same text, in the order of the file.
func (p project) number(changes []change) error {
	seen := map[string]int{}
	for i := range changes {
		c := &changes[i]
		before, after, err := p.lines(*c)
		if err != nil {
			return err
		}
		key := strings.Join([]string{c.mutation, c.file, c.function, before, after}, "\n")
		seen[key]++
		c.nth = seen[key]
	}
	return nil
}

// changedLines returns the lines between the common beginning and the common end of two texts, on
// one line each.
func changedLines(before, after string) (string, string) {
	after = strings.TrimSuffix(after, zeroDeclaration)
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	line := func(lines []string) string { return strings.Join(strings.Fields(strings.Join(lines, "\n")), " ") }
	return line(a), line(b)
}

// compare runs the project's test once for all mutants, and notes how many objects differ for each.
func (p project) compare(test string, mutants []mutant) error {
	unchanged, err := p.module()
	if err != nil {
		return err
	}
	modules := []string{unchanged}
	for _, m := range mutants {
		modules = append(modules, m.module)
		_ = os.Remove(m.module + reportEnding)
	}
	own := filepath.Join(filepath.Dir(p.dir), "unchanged.json")
	_ = os.Remove(own)
	command := exec.Command(test, "-test.timeout=60m", "-test.short")
	command.Dir = p.dir
	command.Env = append(os.Environ(),
		"CROSSWALK="+p.program, "CROSSWALK_ADOPT_REPORT="+own, "CROSSWALK_ADOPT_MODULES="+strings.Join(modules, string(filepath.ListSeparator)),
		"XDG_CACHE_HOME="+filepath.Join(p.work, "cache"))
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("the module without a mistake is not equal: %w: %s", err, out)
	}
	for i := range mutants {
		if err := mutants[i].read(); err != nil {
			return err
		}
	}
	return nil
}

const reportEnding = ".report.json"

// read reads the report that the test wrote beside the module.
func (m *mutant) read() error {
	text, err := os.ReadFile(m.module + reportEnding)
	if err != nil {
		return err
	}
	var report struct {
		Pairs []struct {
			Differing   int
			Differences []struct{ Path string }
		}
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return err
	}
	for _, pair := range report.Pairs {
		if m.Differing == 0 && pair.Differing > 0 {
			m.At = pair.Differences[0].Path
		}
		m.Differing += pair.Differing
	}
	return nil
}
