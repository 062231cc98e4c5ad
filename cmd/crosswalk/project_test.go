package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/script"
)

// TestProjectDirectory tests that commands find the module and the definition of a project, as
// crosswalk init lays it out, by the project's directory.
func TestProjectDirectory(t *testing.T) {
	project, build := t.TempDir(), ""
	if build = filepath.Join(project, "build"); os.Mkdir(build, 0o755) != nil {
		t.Fatal()
	}
	wasm, err := os.ReadFile(moduleFile(t, "good_echo", echo, ""))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(build, echo+".wasm"), string(wasm))
	crd := strings.NewReplacer("things.example.com", "things.stable.example.com", "group: example.com", "group: stable.example.com", "kind: Thing,", "kind: CronTab,").Replace(twoVersions)
	writeFile(t, filepath.Join(project, "things.stable.example.com.crd.yaml"), crd)
	for _, args := range [][]string{{"inspect", project}, {"inspect", "--routes", project}, {"check", project}} {
		if code, out, errors := crosswalk("", args...); code != command.ExitOK || !strings.Contains(out, "v1") {
			t.Errorf("%v: %d %s%s", args, code, out, errors)
		}
	}
	if _, out, errors := crosswalk("", "fuzz", "--objects", "1", project); !strings.Contains(out, "\n1 objects, ") { // it read the definition
		t.Errorf("fuzz: %s%s", out, errors)
	}
	writeFile(t, filepath.Join(project, "build", "lua.wasm"), "")
	const why = "file name \"lua.wasm\": \"lua\" is not <Kind>.<group>; a module is named like CronTab.stable.example.com_v1_v2.wasm\n"
	if code, out, errors := crosswalk("", "inspect", project); code != command.ExitOK || !strings.Contains(out, "v1") || errors != "crosswalk: ignored, as by a gateway: "+why {
		t.Errorf("a file that is not a module: %d %s%s", code, out, errors)
	}
	if code, out, _ := crosswalk("", "check", project); code != command.ExitFinding || !strings.Contains(out, "IGNORED  "+why) || !strings.Contains(out, "serves") {
		t.Errorf("a file that is not a module: %d %s", code, out)
	}
	if err := os.Remove(filepath.Join(build, echo+".wasm")); err != nil {
		t.Fatal(err)
	}
	want := "crosswalk inspect: a gateway would ignore files in " + build + ": name the modules, or move these files elsewhere: " + why
	if code, _, errors := crosswalk("", "inspect", build); code != command.ExitError || errors != want {
		t.Errorf("a directory without a module: %d %s", code, errors)
	}
}

// TestSources tests that commands take rules in the place of a module, and find the definition by its file
// in the rules, or as crd.yaml; test without arguments tests the rules of the directory.
func TestSources(t *testing.T) {
	definition := strings.ReplaceAll(provedDefinition, "MORE", "")
	const built = "CronTab.stable.example.com_v1_v2.wasm"
	for file, rules := range map[string]string{"crd.yaml": provedRules, "all.yaml": "crd: all.yaml\n" + provedRules} {
		dir := t.TempDir()
		source := filepath.Join(dir, "rules.yaml")
		writeFile(t, source, rules)
		writeFile(t, filepath.Join(dir, file), definition)
		writeFile(t, filepath.Join(dir, "object.yaml"), "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: a}\nspec: {colour: red}\n")
		for _, c := range []struct{ line, want string }{
			{"inspect", built}, {"check", "carries all 2 fields that differ"}, {"fuzz --objects 40", "carries all 2 fields that differ"},
			{"prove", "\nproved: "}, {"compile -o " + dir, ", proved to lose nothing"}, {"convert --to v2 -f " + filepath.Join(dir, "object.yaml"), "color: red"},
		} {
			if code, out, errors := crosswalk("", append(strings.Fields(c.line), source)...); code != command.ExitOK || !strings.Contains(out, c.want) {
				t.Errorf("%s: %d %s%s", c.line, code, out, errors)
			}
		}
		if err := os.Remove(filepath.Join(dir, built)); err != nil { // of compile
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(dir, "build")); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, "build"), "")
		if code, _, errors := crosswalk("", "inspect", source); code != command.ExitError || errors != "crosswalk inspect: the module of "+source+" is made in "+dir+"/build: mkdir "+dir+"/build: not a directory; run the command in a copy of the directory that you may write to\n" {
			t.Errorf("build cannot be made: %d %s", code, errors)
		}
		if err := os.Remove(filepath.Join(dir, "build")); err != nil {
			t.Fatal(err)
		}
		t.Chdir(dir)
		if code, out, errors := crosswalk("", "test"); code != command.ExitOK || !strings.Contains(out, built) || !strings.Contains(out, "carries all 2 fields that differ") {
			t.Errorf("test: %d %s%s", code, out, errors)
		}
		writeFile(t, source, rules+"  - {rename: spec.size}\n")
		if code, _, errors := crosswalk("", "test"); code != command.ExitFinding || !strings.HasPrefix(errors, "crosswalk test: rules.yaml:") || !strings.HasSuffix(errors, ":5: a rule rename needs the member to: the path with the new name, in the same object\n") {
			t.Errorf("test: %d %s", code, errors)
		}
	}
}

// TestObjectsOfOtherKinds tests that no command ignores all objects of -f silently.
func TestObjectsOfOtherKinds(t *testing.T) {
	path := moduleFile(t, "good_echo", echo, "")
	objects := filepath.Join(t.TempDir(), "objects.yaml")
	writeFile(t, objects, "apiVersion: stable.example.org/v1\nkind: CronTab\nmetadata: {name: a}\n")
	for _, line := range [][]string{{"test", path}, {"fuzz", path}, {"bench", path}, {"diff", path, path}} {
		code, _, errors := crosswalk("", append(line, "-f", objects)...)
		want := "crosswalk " + line[0] + `: -f has no object that the modules convert: it has "CronTab" of "stable.example.org/v1", and the modules convert CronTab.stable.example.com` + "\n"
		if code != command.ExitError || errors != want {
			t.Errorf("%v: %d %s", line, code, errors)
		}
	}
}

// TestCompileOther tests the errors for files that compile cannot compile.
func TestCompileOther(t *testing.T) {
	dir := t.TempDir()
	crd := filepath.Join(dir, "crd.yaml")
	writeFile(t, crd, twoVersions)
	for arg, want := range map[string]string{
		dir: "crosswalk compile: " + dir + " is a directory: name a file in it\n",
		crd: "crosswalk compile: " + crd + " has a CustomResourceDefinition, and no rules: crosswalk init --rules --crd " + crd + " writes rules for it\n",
	} {
		if code, _, errors := crosswalk("", "compile", arg); code == command.ExitOK || errors != want {
			t.Errorf("%d %s", code, errors)
		}
	}
	typed := filepath.Join(dir, "a.ts")
	if code, _, errors := crosswalk("", "compile", typed); code != command.ExitError || !strings.Contains(errors, "npx esbuild "+typed+" --bundle --format=esm --external:crosswalk-javascript --outfile="+filepath.Join(dir, "a.js")) {
		t.Errorf("%d %s", code, errors)
	}
	rules := filepath.Join(dir, "rules.yaml")
	writeFile(t, rules, "kind: A\n")
	if code, _, errors := crosswalk("", "check", rules); code != command.ExitError || !strings.HasSuffix(errors, "must end in .wasm, .wasm.gz or .wasm.zst; crosswalk compile makes a module of rules or of JavaScript\n") {
		t.Errorf("%d %s", code, errors)
	}
}

// TestCompileScriptWithWrongName tests that a script with other conversions than the module's name
// is an error when it is compiled, and not when an API server asks.
func TestCompileScriptWithWrongName(t *testing.T) {
	if _, err := script.Engine(); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "a.js")
	writeFile(t, source, `import { register } from "crosswalk-javascript";
register("g.io/v1", "g.io/v2", () => {});
register("g.io/v2", "g.io/v1", () => {});
`)
	for name, want := range map[string]string{
		"K.g.io_v1_v2.wasm":     "",
		"K.g.io_v1_to_v2.wasm":  "",
		"K.g.io_v1_v3.wasm":     "this module has no conversion from g.io/v1 to g.io/v3; it has: g.io/v1 to g.io/v2, g.io/v2 to g.io/v1; name the module for them with -o\n",
		"K.other.io_v1_v2.wasm": "this module has no conversion from other.io/v1 to other.io/v2; it has: g.io/v1 to g.io/v2, g.io/v2 to g.io/v1; name the module for them with -o\n",
	} {
		target := filepath.Join(dir, name)
		code, _, errors := crosswalk("", "compile", source, "-o", target)
		if want != "" {
			want = "crosswalk compile: " + source + " does not have the conversions that the name " + name + " says: " + want
		}
		if errors != want || (code == command.ExitOK) != (want == "") {
			t.Errorf("%s: %d %s", name, code, errors)
		}
		if _, err := os.Stat(target); (err == nil) != (want == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFailedCompileKeepsModuleT18: a gateway may serve the directory, so a source with mistakes
// takes no module away.
func TestFailedCompileKeepsModuleT18(t *testing.T) {
	source, err := os.ReadFile("testdata/manifests/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	rules, other, target := filepath.Join(dir, "rules.yaml"), filepath.Join(dir, "other.yaml"), filepath.Join(dir, "Pool.example.com_v1_v2.wasm")
	writeFile(t, rules, string(source))
	if code, _, errors := crosswalk("", "compile", "-o", dir, rules); code != command.ExitOK {
		t.Fatal(errors)
	}
	good, err := os.ReadFile(target)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ source, more, out string }{
		{rules, "cases: [{from: v1, to: v2, object: {spec: {replicas: 1}}, want: {spec: {count: 2}}}]\n", dir},
		{rules, "nothing: 1\n", target},
		{rules, "nothing: 1\n", dir},
		{other, "nothing: 1\n", dir}, // the module of another file
	} {
		writeFile(t, test.source, string(source)+test.more)
		code, _, errors := crosswalk("", "compile", "-o", test.out, test.source)
		now, err := os.ReadFile(target)
		if code != command.ExitFinding || err != nil || !bytes.Equal(now, good) {
			t.Errorf("%s to %s: %d %s: %v", test.source, test.out, code, errors, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".crosswalk-*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// TestScriptReadsLongTexts tests that value() reads a text of a MiB beside a number with a spelling
// of its own, in a gateway's memory.
func TestScriptReadsLongTexts(t *testing.T) {
	if _, err := script.Engine(); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	source, target := filepath.Join(dir, "a.js"), filepath.Join(dir, "K.g.io_v1_v2.wasm")
	writeFile(t, source, `import { register } from "crosswalk-javascript";
register("g.io/v1", "g.io/v2", (o) => { o.get("spec").set("length", o.get("spec").value("long").text.length); });
register("g.io/v2", "g.io/v1", () => {});
`)
	if code, _, errors := crosswalk("", "compile", source, "-o", target); code != command.ExitOK {
		t.Fatal(errors)
	}
	object := `{"apiVersion":"g.io/v1","kind":"K","metadata":{"name":"a"},"spec":{"long":{"n":1.50,"text":"` + strings.Repeat("x", 1<<20-3) + `\\\"y"}}}`
	if code, out, errors := crosswalk(object, "convert", "--compact", "--call-timeout", "1m", "--to", "v2", target); code != command.ExitOK || !strings.HasSuffix(out, `"length":1048576}}`+"\n") {
		t.Errorf("%d %.300s", code, errors)
	}
}
