package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestLinkedPackages compares the packages of other modules that the gateway links with a committed
// list. Each of them runs with the gateway's rights, so none may come in unnoticed.
func TestLinkedPackages(t *testing.T) {
	const file = "testdata/linked.txt"
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{$.ImportPath}}{{end}}{{end}}", ".")
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0") // as the image has it
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	got := strings.Fields(string(out))
	slices.Sort(got)
	if len(got) == 0 {
		t.Fatal("go list found no packages")
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(string(content))
	const remedy = "if that is meant, go test ./cmd/gateway -run TestLinkedPackages -update writes " + file
	for _, name := range got {
		if !slices.Contains(want, name) {
			t.Errorf("the gateway now links %s: %s", name, remedy)
		}
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("the gateway no longer links %s: %s", name, remedy)
		}
	}
}
