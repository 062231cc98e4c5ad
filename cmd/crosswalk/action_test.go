package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// ciProject makes a git repository with a module, and a definition that has lost a field since HEAD.
func ciProject(t *testing.T) string {
	t.Helper()
	// So that the cache of go test knows the script, which bash reads.
	if _, err := os.ReadFile("../../.github/hooks/compat.sh"); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	definition, err := os.ReadFile("../../plugins/crontab/crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const field = "                hour:\n                  type: string\n                  pattern: '^[-0-9A-Za-z*/,?#]{1,50}$'\n"
	if !strings.Contains(string(definition), field) {
		t.Fatal("the definition of the example lacks hour")
	}
	writeFile(t, filepath.Join(dir, "crd.yaml"), string(definition))
	writeFile(t, filepath.Join(dir, "values.yaml"), "kind: Other\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "first"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Skipf("git %q: %v %s", args, err, out)
		}
	}
	module, err := os.ReadFile(filepath.Join("..", "..", "bin/plugins/c/CronTab.stable.example.com_v1_v2.wasm"))
	if err != nil {
		t.Skip("make plugins builds the module")
	}
	writeFile(t, filepath.Join(dir, "CronTab.stable.example.com_v1_v2.wasm"), string(module))
	writeFile(t, filepath.Join(dir, "crd.yaml"), strings.Replace(string(definition), field, "", 1))
	writeFile(t, filepath.Join(dir, "new.yaml"), string(definition))
	return dir
}

// withCrosswalk returns an environment in which the command crosswalk is this test binary.
func withCrosswalk(t *testing.T) []string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(program, filepath.Join(dir, "crosswalk")); err != nil {
		t.Skip(err)
	}
	return append(os.Environ(), actAsCrosswalk+"=1", "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestAction runs the steps of the composite action as a runner of GitHub does.
func TestAction(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	path, err := filepath.Abs("../../.github/actions/crosswalk")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(path, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]struct{ Description, Default string }
		Runs   struct {
			Using string
			Steps []struct {
				Name, If, Shell, Run string
				Env                  map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &action); err != nil || action.Runs.Using != "composite" {
		t.Fatalf("%+v: %v", action.Runs, err)
	}
	dir := ciProject(t)
	environment := withCrosswalk(t)
	rules, err := os.ReadFile("../../plugins/crontab/rules/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	open := strings.Replace(string(rules), "words: true", "words: true\n    unfit: stash", 1) // no lemma is about this with an annotation
	writeFile(t, filepath.Join(dir, "rules.yaml"), open)
	inputs := map[string]string{"modules": "CronTab.stable.example.com_v1_v2.wasm", "crd": "new.yaml", "fuzz": "1s", "rules": "rules.yaml", "definitions": "crd.yaml new.yaml values.yaml", "base": "HEAD"}
	for name, input := range action.Inputs {
		if _, ok := inputs[name]; !ok || input.Description == "" {
			t.Errorf("the test sets no input %s, or it has no description", name)
		}
	}
	input := regexp.MustCompile(`\$\{\{ inputs\.([a-z]+) \}\}`)
	want := map[string]struct{ code, output string }{
		"Install crosswalk":   {"<nil>", "crosswalk\n"},
		"Check":               {"<nil>", ""},
		"Fuzz":                {"<nil>", ""},
		"Prove":               {"exit status 1", "::error file=rules.yaml,title=crosswalk prove::rules.yaml: CronTab.stable.example.com%0A  carries all 6 fields that differ; 100 %25 of v1's objects are valid at v2, 100 %25 of v2's at v1%0A  open   line 11: "},
		"Compare definitions": {"exit status 1", "::error file=crd.yaml,line=71,title=crontabs.stable.example.com v2 spec.hour::breaks stored objects: the field is gone"},
	}
	for _, step := range action.Runs.Steps {
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		cmd.Dir, cmd.Env = dir, append(environment, "GITHUB_ACTION_PATH="+path, "RUNNER_TEMP="+t.TempDir(), "GITHUB_PATH="+filepath.Join(t.TempDir(), "path"))
		for name, value := range step.Env {
			value = input.ReplaceAllStringFunc(value, func(use string) string { return inputs[input.FindStringSubmatch(use)[1]] })
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		if strings.Contains(step.Run, "${{") {
			t.Errorf("%s: an expression in a script lets its value run: pass it by env", step.Name)
		}
		out, err := cmd.CombinedOutput()
		expected, ok := want[step.Name]
		if !ok || step.Shell != "bash" || fmt.Sprint(err) != expected.code || !strings.Contains(string(out), expected.output) || expected.output == "" && strings.Contains(string(out), "::error") {
			t.Errorf("%s: %v\n%s", step.Name, err, out)
		}
		delete(want, step.Name)
	}
	if len(want) > 0 {
		t.Errorf("the action lacks the steps %v", want)
	}
}

// TestPreCommitHooks runs the hooks as pre-commit does: with the changed files as arguments.
func TestPreCommitHooks(t *testing.T) {
	text, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct{ ID, Name, Description, Entry, Language, Files string }
	if err := yaml.Unmarshal(text, &hooks); err != nil || len(hooks) != 2 {
		t.Fatalf("%+v: %v", hooks, err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := ciProject(t)
	environment := withCrosswalk(t)
	changed := []string{"CronTab.stable.example.com_v1_v2.wasm", "crd.yaml", "new.yaml"}
	for _, hook := range hooks {
		entry := strings.Fields(hook.Entry)
		if hook.Language == "script" {
			entry[0] = filepath.Join(root, entry[0])
		}
		for _, file := range changed {
			if regexp.MustCompile(hook.Files).MatchString(file) {
				entry = append(entry, file)
			}
		}
		cmd := exec.Command(entry[0], entry[1:]...)
		cmd.Dir, cmd.Env = dir, environment
		if hook.Language == "system" { // found in this PATH, not in the test's
			cmd = exec.Command("bash", append([]string{"-c", `exec "$@"`, "-"}, entry...)...)
			cmd.Dir, cmd.Env = dir, environment
		}
		out, err := cmd.CombinedOutput()
		switch hook.ID {
		case "crosswalk-check":
			if err != nil || !strings.HasPrefix(string(out), "serves   CronTab.stable.example.com_v1_v2.wasm") {
				t.Errorf("%s: %v\n%s", hook.ID, err, out)
			}
		case "crosswalk-compat":
			if fmt.Sprint(err) != "exit status 1" || !strings.Contains(string(out), "spec.hour") {
				t.Errorf("%s: %v\n%s", hook.ID, err, out)
			}
		default:
			t.Errorf("no case for the hook %s", hook.ID)
		}
	}
}

// TestCompatHook: the hook passes no definition that it did not compare, except for new ones.
func TestCompatHook(t *testing.T) {
	dir := ciProject(t)
	environment := withCrosswalk(t)
	script, err := filepath.Abs("../../.github/hooks/compat.sh")
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, error) {
		cmd := exec.Command("bash", append([]string{script, "HEAD"}, args...)...)
		cmd.Dir, cmd.Env = dir, environment
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	changed, err := os.ReadFile(filepath.Join(dir, "crd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	quoted := strings.Replace(string(changed), "kind: CustomResourceDefinition", "kind: 'CustomResourceDefinition'", 1)
	if quoted == string(changed) {
		t.Fatal("the definition of the example begins otherwise")
	}
	writeFile(t, filepath.Join(dir, "values.yaml"), "kind: Other\n---\n"+string(changed)) // the file is not new, its definition is
	for _, c := range []struct{ name, crd, file, code, want string }{
		{"a definition that is added to a file", "", "values.yaml", "<nil>", ""},
		{"a missing file", "", "none.yaml", "exit status 2", "none.yaml: no such file"},
		{"quotes", quoted, "crd.yaml", "exit status 1", "spec.hour"},
		{"more than a pipe holds", string(changed) + strings.Repeat("# padding\n", 20_000), "crd.yaml", "exit status 1", "spec.hour"},
	} {
		if c.crd != "" {
			writeFile(t, filepath.Join(dir, c.file), c.crd)
		}
		if out, err := run(c.file); fmt.Sprint(err) != c.code || !strings.Contains(out, c.want) || c.want == "" && out != "" {
			t.Errorf("%s: %v\n%s", c.name, err, out)
		}
	}
	// The large file is the committed one, too: git show fills the pipe.
	if out, err := exec.Command("git", "-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qam", "large").CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	writeFile(t, filepath.Join(dir, "crd.yaml"), strings.Replace(string(changed), "dayOfWeek", "weekday", 1))
	if out, err := run("crd.yaml"); fmt.Sprint(err) != "exit status 1" || !strings.Contains(out, "spec.dayOfWeek") {
		t.Errorf("a large definition at HEAD: %v\n%s", err, out)
	}
}
