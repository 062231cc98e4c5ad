package main

import (
	"encoding/pem"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/script"
)

// TestExamples runs the examples of every command's help in a shell, in a directory with the files
// that they name.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every command")
	}
	shell, err := exec.LookPath("bash") // for <( )
	if err != nil {
		t.Skip("no bash")
	}
	for _, c := range allCommands() {
		examples := strings.Split(strings.TrimSpace(c.Example), "\n")
		if c.Example == "" {
			t.Errorf("the help of %s has no examples", c.Name())
			continue
		}
		for _, example := range examples {
			if c.Annotations[command.ExampleTest] != "" && !strings.Contains(example, " --print ") { // which asks no cluster
				checkFlags(t, c, example)
				continue
			}
			if _, err := script.Engine(); err != nil && strings.Contains(example, ".js") {
				continue
			}
			t.Run(example, func(t *testing.T) {
				if strings.Contains(example, " --live ") || strings.Contains(example, "lua.wasm") || strings.Contains(example, "python.wasm") {
					// A cluster is for TestLive in test/e2e, and interpreters are for TestBundle.
					checkFlags(t, c, example)
					return
				}
				dir, path := exampleDir(t)
				if c.Name() == "prove" { // the rules of the other examples split a text, for which there is no lemma, and their module has too many objects of scope 4
					crd, rules := filepath.Join(dir, "crd.yaml"), filepath.Join(dir, "rules.yaml")
					writeFile(t, crd, strings.ReplaceAll(provedDefinition, "MORE", ""))
					writeFile(t, rules, provedRules)
					if err := os.Remove(filepath.Join(dir, echo+".yaml")); err != nil { // the cases of the other module
						t.Fatal(err)
					}
					if code, _, errors := crosswalk("", "compile", rules, "-o", filepath.Join(dir, echo+".wasm")); code != command.ExitOK {
						t.Fatal(errors)
					}
				}
				cmd := exec.Command(shell, "-e", "-o", "pipefail", "-c", example)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), actAsCrosswalk+"=1", "PATH="+path+string(os.PathListSeparator)+os.Getenv("PATH"))
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	}
}

// checkFlags tests that the flags of an example exist.
func checkFlags(t *testing.T, c *cobra.Command, example string) {
	t.Helper()
	words := strings.Fields(example)
	for i, word := range words {
		if word == "crosswalk" && i+1 < len(words) && words[i+1] == c.Name() {
			if err := c.ParseFlags(words[i+2:]); err != nil {
				t.Errorf("%s: %v", example, err)
			}
			return
		}
	}
	t.Errorf("%s: the example does not run crosswalk %s", example, c.Name())
}

// exampleDir returns a directory with the files that examples name, and one with the programs that
// they run: crosswalk, which is this binary, a kubectl that prints objects or a definition, and a git that prints
// a definition.
func exampleDir(t *testing.T) (dir, path string) {
	t.Helper()
	root := t.TempDir()
	path, dir = filepath.Join(root, "bin"), filepath.Join(root, "work")
	for _, made := range []string{path, filepath.Join(dir, "modules"), filepath.Join(dir, "old"), filepath.Join(dir, "new"), filepath.Join(dir, "deploy", "cron")} {
		if err := os.MkdirAll(made, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if os.Link(program, filepath.Join(path, "crosswalk")) != nil { // /tmp may be another file system
		content, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "crosswalk"), content, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for program, prints := range map[string]string{"kubectl": "case $2 in crd) cat crd.yaml;; *) cat objects.yaml; esac", "git": "cat crd.yaml"} {
		writeFile(t, filepath.Join(path, program), "#!/bin/sh\n"+prints+"\n")
		if err := os.Chmod(filepath.Join(path, program), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// A module of rules is built without a toolchain, and fits a ConfigMap.
	built := filepath.Join("..", "..", "bin", "plugins", "rules", echo+".wasm")
	if _, err := os.Stat(built); err != nil {
		t.Skip("no converters in bin/plugins: run make plugins")
	}
	for _, to := range []string{dir, filepath.Join(dir, "modules"), filepath.Join(dir, "old"), filepath.Join(dir, "new")} {
		copyFile(t, built, filepath.Join(to, echo+".wasm"))
		copyFile(t, strings.TrimSuffix(built, "wasm")+"yaml", filepath.Join(to, echo+".yaml"))
	}
	for _, to := range []string{dir, filepath.Join(dir, "old")} {
		copyFile(t, filepath.Join("..", "..", "plugins", "crontab", "crd.yaml"), filepath.Join(to, "crd.yaml"))
	}
	copyFile(t, filepath.Join("..", "..", "plugins", "crontab", "rules", "rules.yaml"), filepath.Join(dir, "rules.yaml"))
	copyFile(t, filepath.Join("..", "..", "plugins", "crontab", "javascript", "crontab.js"), filepath.Join(dir, "crontab.js"))
	writeFile(t, filepath.Join(dir, "objects.yaml"), exampleObjects)
	writeFile(t, filepath.Join(dir, "deploy", "cron", "objects.yaml"), exampleObjects)
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	writeFile(t, filepath.Join(dir, "ca.crt"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	return dir, path
}

// TestReference compares docs/use/cli.md with the help of all commands.
func TestReference(t *testing.T) {
	_, want, _ := crosswalk("", "docs", "cli")
	got, err := os.ReadFile(filepath.Join("..", "..", "docs", "use", "cli.md"))
	if err != nil || string(got) != want {
		t.Errorf("docs/use/cli.md is not the help of all commands (%v): run go run -C cmd/crosswalk . docs cli > docs/use/cli.md", err)
	}
}

const exampleObjects = `apiVersion: stable.example.com/v1
kind: CronTab
metadata: {name: nightly, namespace: default, uid: 6f1d}
spec: {cronSpec: "30 2 * * 1-5", image: backup, replicas: 1}
---
apiVersion: stable.example.com/v1
kind: CronTab
metadata: {name: hourly, namespace: default, uid: 6f1e}
spec: {cronSpec: "0 * * * *", image: report}
`

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, to, string(content))
}

// TestConvertFormat tests that convert writes YAML for YAML and JSON for JSON, unless -o decides.
func TestConvertFormat(t *testing.T) {
	dir, _ := exampleDir(t)
	const asJSON = `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"},"spec":{"replicas":9007199254740993,"image":"yes"}}`
	const asYAML = "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: a}\nspec: {replicas: 9007199254740993, image: 'yes'}\n"
	const wantYAML = "apiVersion: stable.example.com/v2\nkind: CronTab\nmetadata:\n  name: a\nspec:\n  replicas: 9007199254740993\n  image: \"yes\"\n"
	const wantLine = `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"a"},"spec":{"replicas":9007199254740993,"image":"yes"}}` + "\n"
	for _, c := range []struct {
		in   string
		args []string
		want string
	}{
		{asYAML, nil, wantYAML},
		{asYAML + "---\n" + asYAML, nil, wantYAML + "---\n" + wantYAML},
		{asJSON, []string{"-o", "yaml"}, wantYAML},
		{asJSON, []string{"--compact"}, wantLine},
		{asYAML, []string{"--compact"}, wantLine},
		{asYAML, []string{"-f", "-", "--each"}, wantLine},
		{asJSON, nil, "{\n  \"apiVersion\": \"stable.example.com/v2\",\n"},
		{asYAML, []string{"-o", "json"}, "{\n  \"apiVersion\": \"stable.example.com/v2\",\n"},
	} {
		code, out, errors := crosswalk(c.in, append([]string{"convert", "--to", "v2", filepath.Join(dir, "modules")}, c.args...)...)
		if code != command.ExitOK || !strings.HasPrefix(out, c.want) || strings.HasSuffix(c.want, "yes\"\n") && out != c.want {
			t.Errorf("%q: %d %s%s", c.args, code, out, errors)
		}
	}
}

// TestReferenceHasEachFlag tests that the reference says of each flag of a command what its help says:
// in the command's own list, in the list of flags of several commands, or, of --output, by its formats.
func TestReferenceHasEachFlag(t *testing.T) {
	root := newRoot(command.Streams{Out: io.Discard, Err: io.Discard}, "crosswalk")
	shared, _ := sharedFlags(root)
	for _, g := range root.Groups() {
		for _, c := range commandsIn(root, g.ID) {
			own, _ := ownFlags(c, shared)
			flags, _ := flagsOf(c)
			flags.VisitAll(func(f *pflag.Flag) {
				format := f.Name == "output" && strings.HasPrefix(f.Usage, "`FORMAT` of the output: ")
				if other := shared.Lookup(f.Name); own.Lookup(f.Name) == nil && !format && (other == nil || other.Usage != f.Usage) {
					t.Errorf("%s: the reference does not have the text of --%s: %s", c.Name(), f.Name, f.Usage)
				}
			})
		}
	}
}
