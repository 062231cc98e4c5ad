package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const source = `package demo

const key = "a"

var table = map[string]int{"x": 1}

func (d *Demo) Convert(in *Demo) error {
	d.A = in.A
	d.B = in.B
	err := d.check()
	if err != nil {
		return err
	}
	for i, e := range in.List {
		d.List = append(d.List, Element{Name: e.Name, Size: e.Size})
	}
	if in.P != nil && in.N > 2 {
		d.fill()
	}
	d.P = nil
	return nil
}

func (d *Demo) DeepCopy() *Demo { return &Demo{A: d.A} }
`

// TestFindChanges checks the changes of a file: the lines before and after each.
func TestFindChanges(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "demo"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "demo", "demo.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	changes, err := findChanges(dir, "demo")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		after := c.apply(source)
		if _, err := parser.ParseFile(token.NewFileSet(), "demo.go", after, 0); err != nil {
			t.Errorf("%s: %v", c, err)
		}
		got = append(got, c.mutation+" in "+c.function+": "+lastLine(changedLines(source, after)))
	}
	want := []string{
		`change a constant in key: const key = "ax"`,
		`freeze a variable in table: var table = crosswalkZero(map[string]int{"x": 1})`,
		`drop a field in table: var table = map[string]int{}`,
		`change a constant in table: var table = map[string]int{"xx": 1}`,
		`change a constant in table: var table = map[string]int{"x": (1 + 1)}`,
		`swap two values in Demo.Convert: d.A = in.B d.B = in.A`,
		`drop an assignment in Demo.Convert: _ = in.A`,
		`drop an assignment in Demo.Convert: _ = in.B`,
		`ignore an error in Demo.Convert: if false && (err != nil) {`,
		`negate a nil check in Demo.Convert: if err == nil {`,
		`leave out a loop in Demo.Convert: break`,
		`skip the first turn in Demo.Convert: if i == crosswalkZero(i) { continue }`,
		`leave after the first turn in Demo.Convert: break }`,
		`drop an assignment in Demo.Convert: _ = append(d.List, Element{Name: e.Name, Size: e.Size})`,
		`drop a field in Demo.Convert: d.List = append(d.List, Element{ Size: e.Size})`,
		`drop a field in Demo.Convert: d.List = append(d.List, Element{Name: e.Name, })`,
		`swap two values in Demo.Convert: d.List = append(d.List, Element{Name: e.Size, Size: e.Name})`,
		`skip a branch in Demo.Convert: if false && (in.P != nil && in.N > 2) {`,
		`take a branch in Demo.Convert: if true || (in.P != nil && in.N > 2) {`,
		`negate a comparison in Demo.Convert: if in.P != nil || in.N > 2 {`,
		`negate a nil check in Demo.Convert: if in.P == nil && in.N > 2 {`,
		`negate a comparison in Demo.Convert: if in.P != nil && in.N <= 2 {`,
		`change a constant in Demo.Convert: if in.P != nil && in.N > (2 + 1) {`,
		`drop a call in Demo.Convert: {}`,
		`drop an assignment in Demo.Convert: {}`,
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		for _, line := range got {
			if !slices.Contains(want, line) {
				t.Errorf("not expected: %s", line)
			}
		}
		for _, line := range want {
			if !slices.Contains(got, line) {
				t.Errorf("missing: %s", line)
			}
		}
	}
}

func lastLine(_, after string) string { return after }
