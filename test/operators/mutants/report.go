package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// readExplanations reads lines of the form "KIND: mutation in function: before => after -- reason".
func readExplanations(name string) (map[string]string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	explained := map[string]string{}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, ok := strings.Cut(line, " -- ")
		if !ok || reason == "" {
			return nil, fmt.Errorf("equivalent.txt:%d has no reason: write the mutant, \" -- \", and why no comparison can notice it", n)
		}
		explained[name] = reason
	}
	return explained, nil
}

// count counts mutants of a group.
type count struct{ all, killed, explained int }

func (c *count) add(m mutant) {
	c.all++
	switch {
	case m.Differing > 0:
		c.killed++
	case m.Explanation != "":
		c.explained++
	}
}

// counts returns the counts by a name, in the order in which the names come.
func counts(mutants []mutant, of func(m mutant) string) (names []string, by map[string]*count) {
	by = map[string]*count{}
	for _, m := range mutants {
		name := of(m)
		if by[name] == nil {
			by[name] = &count{}
			names = append(names, name)
		}
		by[name].add(m)
	}
	return names, by
}

// summary returns tables in Markdown: by kind, by mutation, and the survivors.
func summary(mutants []mutant) string {
	var b strings.Builder
	table := func(title string, of func(m mutant) string, sorted bool) {
		names, by := counts(mutants, of)
		if sorted {
			slices.Sort(names)
		}
		var total count
		fmt.Fprintf(&b, "| %s | mutants | noticed | equivalent | not noticed |\n|---|---|---|---|---|\n", title)
		for _, name := range names {
			c := by[name]
			fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", name, c.all, c.killed, c.explained, c.all-c.killed-c.explained)
			total.all, total.killed, total.explained = total.all+c.all, total.killed+c.killed, total.explained+c.explained
		}
		fmt.Fprintf(&b, "| all | %d | %d | %d | %d |\n\n", total.all, total.killed, total.explained, total.all-total.killed-total.explained)
	}
	table("kind", func(m mutant) string { return m.Kind + " (" + m.Operator + ")" }, false)
	table("mutation", func(m mutant) string { return m.Mutation }, true)
	return b.String()
}

// write writes mutants.json and mutants.md.
func write(dir string, mutants []mutant) error {
	text, err := json.MarshalIndent(mutants, "", " ")
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString("# Mutants of adopted conversions\n\n" + summary(mutants))
	b.WriteString("| kind | mutant | before | after | result |\n|---|---|---|---|---|\n")
	cell := strings.NewReplacer("|", `\|`)
	for _, m := range mutants {
		result := fmt.Sprintf("%d objects differ", m.Differing)
		if m.Differing == 0 {
			result = "survives: " + cmp.Or(m.Explanation, "not explained")
		}
		fmt.Fprintf(&b, "| %s | %s, %s | `%s` | `%s` | %s |\n", m.Kind, m.Name, m.Function, cell.Replace(m.Before), cell.Replace(m.After), result)
	}
	if err := os.WriteFile(filepath.Join(dir, "mutants.json"), text, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "mutants.md"), b.Bytes(), 0o644)
}
