// Package oracle compares adopted modules with the operators' own webhooks, by programs that have no code
// of crosswalk: their random objects, their conversions and their comparison are others than adopt's.
package oracle

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/test/operators/list"
)

// programs are the kinds with a program in testdata that does the part of the operator's main on which
// the conversions depend.
var programs = map[string]string{
	"Cluster API v1.11.5 Machine": "capi", "Kruise v1.8.0 StatefulSet": "kruise", "Karpenter v1.0.8 NodePool": "karpenter",
	"Longhorn v1.9.0 Volume": "longhorn", "Longhorn v1.9.0 Node": "longhorn-node", "OpenTelemetry v0.139.0 OpenTelemetryCollector": "otel",
}

// TestWebhooks converts random objects and the operators' samples by modules and by webhooks. It tries
// one operator; with OPERATORS=all, each that has a program.
func TestWebhooks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module and a webhook (run without -short)")
	}
	program := filepath.Join(t.TempDir(), "crosswalk")
	run(t, filepath.Join("..", "..", ".."), nil, "go", "build", "-o", program, "./cmd/crosswalk")
	tried := 0
	for _, o := range list.All() {
		name := programs[o.Name+" "+o.Version+" "+o.Kind]
		if name == "" {
			continue
		}
		tried++
		t.Run(name, func(t *testing.T) {
			if name != "kruise" && os.Getenv("OPERATORS") != "all" {
				t.Skip("takes minutes: set OPERATORS=all")
			}
			module := adopt(t, program, o)
			webhook, source := build(t, o, name)
			objects := run(t, ".", nil, webhook, "generate", "1", "400", source)
			report := string(run(t, ".", answers(t, program, module, objects), webhook, "check"))
			var checked, refused, differing int
			line := regexp.MustCompile(`checked \d+, refused \d+, differing \d+\n$`).FindString(report)
			if _, err := fmt.Sscanf(line, "checked %d, refused %d, differing %d", &checked, &refused, &differing); err != nil || checked < 500 || refused > checked/2 || differing > 0 {
				t.Errorf("want 500 objects and more, most of them not refused, and no difference: %v\n%.4000s", err, report)
			}
			t.Log(line)
		})
	}
	if tried != len(programs) {
		t.Errorf("%d of the %d kinds with a program are in the list", tried, len(programs))
	}
}

// adopt builds the module of an operator's kind, and compares nothing.
func adopt(t *testing.T, program string, o list.Operator) (module string) {
	t.Helper()
	dir := t.TempDir()
	args := append([]string{"adopt", "--no-run", "--kind", o.Kind, "--dir", "converter"}, o.Arguments()...)
	if o.SetUp != "" {
		setUp, err := filepath.Abs(filepath.Join("..", "list", "testdata", o.SetUp))
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, "--set-up", setUp)
	}
	command := exec.Command(program, args...)
	command.Dir = dir
	out, err := command.CombinedOutput() // which fails where the conversions depend on state
	modules, _ := filepath.Glob(filepath.Join(dir, "converter", "*.wasm"))
	if len(modules) != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	return modules[0]
}

// build builds the webhook of a kind in a module with the versions of the operator's go.mod. source is
// the operator's source.
func build(t *testing.T, o list.Operator, name string) (program, source string) {
	t.Helper()
	module := moduleOf(t, o)
	var downloaded struct{ GoMod, Dir string }
	decode(t, run(t, ".", nil, "go", "mod", "download", "-json", module+"@"+o.Version), &downloaded)
	var mod struct {
		Require []struct{ Path, Version string }
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
		Exclude []struct{ Path, Version string }
	}
	decode(t, run(t, ".", nil, "go", "mod", "edit", "-json", downloaded.GoMod), &mod)
	var text strings.Builder
	fmt.Fprintf(&text, "module oracle\n\ngo 1.26.0\n\nrequire %s %s\n", module, o.Version)
	for _, r := range mod.Require {
		if r.Path != "sigs.k8s.io/randfill" {
			fmt.Fprintf(&text, "require %s %s\n", r.Path, r.Version)
		}
	}
	fmt.Fprintln(&text, "require sigs.k8s.io/randfill v1.0.0")
	for _, r := range mod.Replace {
		if r.New.Version != "" {
			fmt.Fprintf(&text, "replace %s %s => %s %s\n", r.Old.Path, r.Old.Version, r.New.Path, r.New.Version)
		}
	}
	for _, e := range mod.Exclude {
		fmt.Fprintf(&text, "exclude %s %s\n", e.Path, e.Version)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), []byte(text.String()))
	files := map[string]string{"oracle": "oracle.go", name: "kind.go"}
	if name != "karpenter" { // whose webhook is knative's
		files["handler"] = "handler.go"
	}
	for from, to := range files {
		source, err := os.ReadFile(filepath.Join("testdata", from+".go.txt"))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, to), source)
	}
	if sum, err := os.ReadFile(filepath.Join(downloaded.Dir, "go.sum")); err == nil {
		write(t, filepath.Join(dir, "go.sum"), sum)
	}
	run(t, dir, nil, "go", "build", "-mod=mod", "-o", "webhook", ".")
	return filepath.Join(dir, "webhook"), downloaded.Dir
}

// moduleOf returns the path of the operator's module: the shortest prefix of a package's path that the
// proxy has in the version.
func moduleOf(t *testing.T, o list.Operator) string {
	t.Helper()
	parts := strings.Split(o.Packages[0], "/")
	for n := 2; n <= len(parts); n++ {
		path := strings.Join(parts[:n], "/")
		if n == 2 && parts[0] == "github.com" {
			continue
		}
		if exec.Command("go", "mod", "download", path+"@"+o.Version).Run() == nil {
			return path
		}
	}
	t.Fatalf("no module has %s", o.Packages[0])
	return ""
}

// answers adds the module's results to lines with objects.
func answers(t *testing.T, program, module string, lines []byte) []byte {
	t.Helper()
	type line struct {
		To      string          `json:"to"`
		Object  json.RawMessage `json:"object"`
		Result  json.RawMessage `json:"result,omitempty"`
		Refused *string         `json:"refused,omitempty"`
	}
	byVersion := map[string][]line{}
	for text := range bytes.Lines(lines) {
		var l line
		decode(t, text, &l)
		byVersion[l.To] = append(byVersion[l.To], l)
	}
	var out bytes.Buffer
	for to, lines := range byVersion {
		var objects []json.RawMessage
		for _, l := range lines {
			objects = append(objects, l.Object)
		}
		list, err := json.Marshal(objects)
		if err != nil {
			t.Fatal(err)
		}
		results := bufio.NewScanner(bytes.NewReader(run(t, ".", list, program, "convert", "--each", "--fragments", "--quiet", "--to", to, module)))
		results.Buffer(nil, 64<<20)
		for _, l := range lines {
			if !results.Scan() {
				t.Fatalf("there are fewer than %d results", len(lines))
			}
			var refused struct{ Refused *string }
			decode(t, results.Bytes(), &refused)
			if l.Refused = refused.Refused; l.Refused == nil {
				l.Result = bytes.Clone(results.Bytes())
			}
			text, err := json.Marshal(l)
			if err != nil {
				t.Fatal(err)
			}
			out.Write(append(text, '\n'))
		}
	}
	return out.Bytes()
}

func run(t *testing.T, dir string, stdin []byte, name string, args ...string) []byte {
	t.Helper()
	command := exec.Command(name, args...)
	command.Dir = dir
	command.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 && slices.Contains(args, "--each") {
		err = nil // objects are refused
	}
	if err != nil {
		t.Fatalf("%s: %v: %s", strings.Join(command.Args, " "), err, stderr.Bytes())
	}
	return out
}

func decode(t *testing.T, text []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatalf("%v: %.1000s", err, text)
	}
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
