package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/runtime/load"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// actAsCrosswalk is the environment variable that has this binary be crosswalk, for the Makefiles
// of projects.
const actAsCrosswalk = "CROSSWALK_TEST_ACT"

// childrensCache is the environment variable with the cache directory of processes that act as
// crosswalk. One process at a time uses a compile cache, and this one keeps its own until it ends:
// without theirs, the processes would compile a project's module anew for each command.
const childrensCache = "CROSSWALK_TEST_CACHE"

// TestMain lets check start this binary as the child that vets a module.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == load.VetArgument {
		os.Exit(load.VetMain(os.Stdin, os.Stdout))
	}
	if os.Getenv(actAsCrosswalk) != "" {
		if dir := os.Getenv(childrensCache); dir != "" {
			os.Setenv("XDG_CACHE_HOME", dir)
		}
		main()
	}
	cache, err := os.MkdirTemp("", "crosswalk-cache-") // not the user's own
	if err != nil {
		panic(err)
	}
	keepCompilersCaches()
	os.Setenv("XDG_CACHE_HOME", cache)
	os.Setenv(childrensCache, filepath.Join(cache, "children"))
	code := m.Run()
	_ = os.RemoveAll(cache)
	os.Exit(code)
}

// keepCompilersCaches names the caches of the compilers that tests start. They are below the user's
// cache directory, too, and a cold one costs minutes: Zig compiles its own build program, and Go
// compiles Kubernetes' libraries.
func keepCompilersCaches() {
	base, err := os.UserCacheDir()
	if err != nil {
		return // then there are none
	}
	for name, dir := range map[string]string{"GOCACHE": "go-build", "ZIG_GLOBAL_CACHE_DIR": "zig"} {
		if os.Getenv(name) == "" {
			os.Setenv(name, filepath.Join(base, dir))
		}
	}
}

// moduleFile copies a fixture of package runtime to a directory of its own under a module's name,
// with a sidecar unless it is empty.
func moduleFile(t *testing.T, fixture, name, sidecar string) string {
	t.Helper()
	wasm, err := os.ReadFile(filepath.Join("..", "..", "runtime", "testdata", fixture+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if sidecar != "" {
		writeFile(t, filepath.Join(dir, name+".yaml"), sidecar)
	}
	path := filepath.Join(dir, name+".wasm")
	writeFile(t, path, string(wasm))
	return path
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// crosswalk runs one command line.
func crosswalk(in string, args ...string) (code int, out, errors string) {
	var stdout, stderr bytes.Buffer
	code = run(context.Background(), command.Streams{In: strings.NewReader(in), Out: &stdout, Err: &stderr}, "crosswalk", args)
	return code, stdout.String(), stderr.String()
}

const echo = "CronTab.stable.example.com_v1_v2"

func TestCommandLines(t *testing.T) {
	t.Setenv("HOME", t.TempDir()) // without a kubeconfig
	t.Setenv("KUBECONFIG", "")
	good := moduleFile(t, "good_echo", echo, "")
	endless := moduleFile(t, "m09_start_spin", echo, "")
	empty, mixed := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(mixed, "A.b.c_v1_to_v2.wasm"), "")
	writeFile(t, filepath.Join(mixed, "readme.wasm"), "")
	writeFile(t, filepath.Join(mixed, "A.b.c_v2_to_v1.wasm"), "")
	writeFile(t, filepath.Join(mixed, "A.b.c_v2_to_v1.removed"), "")
	for _, c := range []struct {
		name, in string
		args     []string
		code     int
		out, err string
	}{
		{"no such command", "", []string{"serve"}, command.ExitError, "", "crosswalk: \"serve\" is not a command (crosswalk --help lists them)\n"},
		{"a removed command", "", []string{"graph", "modules"}, command.ExitError, "", "crosswalk: graph is now crosswalk inspect --routes (crosswalk inspect --help says more)\n"},
		{"help of a removed command", "", []string{"help", "graph"}, command.ExitError, "", "crosswalk help: graph is now crosswalk inspect --routes (crosswalk help --help says more)\n"},
		{"a removed command with arguments", "", []string{"bundle", "lua.wasm", "a.lua"}, command.ExitError, "", "crosswalk: bundle is now crosswalk compile INTERPRETER.wasm SCRIPT… (crosswalk compile --help says more)\n"},
		{"another removed command", "", []string{"crd-patch", "--help"}, command.ExitError, "", "crosswalk: crd-patch is now crosswalk attach --print (crosswalk attach --help says more)\n"},
		{"a patch and a cluster", "", []string{"attach", "--print", "--dry-run", "a.b"}, command.ExitError, "", "crosswalk attach: --print asks no cluster: omit --dry-run, --convertible, --ca-secret, --context and --kubeconfig (crosswalk attach --help says more)\n"},
		{"a patch as a table", "", []string{"attach", "--print", "-o", "junit", "a.b"}, command.ExitError, "", "crosswalk attach: --output must be yaml or json with --print, not junit (crosswalk attach --help says more)\n"},
		{"a patch without a CA", "", []string{"attach", "--print", "a.b"}, command.ExitError, "", "crosswalk attach: name the CA by either --ca-file or --cert-manager (crosswalk attach --help says more)\n"},
		{"a patch of another kind", "", []string{"attach", "--print", "--url", "https://a.example.org", "pod/a.b"}, command.ExitError, "", "crosswalk attach: \"pod/a.b\" must be PLURAL.GROUP, xrd/NAME, or xrd.v2/NAME for one of apiextensions.crossplane.io/v2 (crosswalk attach --help says more)\n"},
		{"a composite's Certificate", "", []string{"attach", "--print", "--cert-manager", "a/b", "xrd/a.b"}, command.ExitError, "", "crosswalk attach: --cert-manager is not for xrd/a.b: cert-manager does not fill in caBundle of a CompositeResourceDefinition, and Crossplane overwrites what it fills in in the definition that Crossplane makes; name the CA by --ca-file (crosswalk attach --help says more)\n"},
		{"a composite of v2", "", []string{"attach", "--print", "-o", "json", "--url", "https://a.example.org", "xrd.v2/a.b"}, command.ExitOK, "{\n  \"apiVersion\": \"apiextensions.crossplane.io/v2\",\n  \"kind\": \"CompositeResourceDefinition\",\n  \"metadata\": {\n    \"name\": \"a.b\"\n  },\n  \"spec\": {\n    \"conversion\": {\n      \"strategy\": \"Webhook\",\n      \"webhook\": {\n        \"clientConfig\": {\n          \"url\": \"https://a.example.org\"\n        },\n        \"conversionReviewVersions\": [\n          \"v1\"\n        ]\n      }\n    }\n  }\n}\n", ""},
		{"a Certificate without a patch", "", []string{"attach", "--cert-manager", "a/b", "a.b"}, command.ExitError, "", "crosswalk attach: --cert-manager is for --print (crosswalk attach --help says more)\n"},
		{"nearly a command", "", []string{"chekc", "--fast"}, command.ExitError, "", "crosswalk: \"chekc\" is not a command; did you mean check? (crosswalk --help lists them)\n"},
		{"nearly a flag", "", []string{"convert", "--compct"}, command.ExitError, "", "crosswalk convert: unknown flag: --compct; did you mean --compact? (crosswalk convert --help says more)\n"},
		{"manifests in an empty directory", "", []string{"convert", "--to", "v2", "--write", "-f", empty, good}, command.ExitError, "", "crosswalk convert: " + empty + " has no .yaml, .yml or .json files in it; -R also looks in those below it\n"},
		{"manifests in an empty tree", "", []string{"convert", "--to", "v2", "--write", "-R", "-f", empty, good}, command.ExitError, "", "crosswalk convert: " + empty + " has no .yaml, .yml or .json files in it\n"},
		{"no such format", "", []string{"check", "-o", "xml", good}, command.ExitError, "", "crosswalk check: --output: must be table, json, yaml, junit, github, sarif or name, not \"xml\" (crosswalk check --help says more)\n"},
		{"no such flag", "", []string{"check", "--fast"}, command.ExitError, "", "crosswalk check: unknown flag: --fast (crosswalk check --help says more)\n"},
		{"no module", "", []string{"check"}, command.ExitError, "", "crosswalk check: name at least one module (crosswalk check --help says more)\n"},
		{"no such file", "", []string{"inspect", "/nowhere/A.b.c_v1_v2.wasm"}, command.ExitError, "", "crosswalk inspect: open /nowhere/A.b.c_v1_v2.wasm: no such file or directory\n"},
		{"no module's name", "", []string{"inspect", "main.go"}, command.ExitError, "", "crosswalk inspect: file name \"main.go\": must end in .wasm, .wasm.gz or .wasm.zst\n"},
		{"a directory for a module", "", []string{"inspect", empty}, command.ExitError, "", "crosswalk inspect: " + empty + " has no modules in it, and neither has " + filepath.Join(empty, "build") + ": build the converter first\n"},
		{"no number", "", []string{"inspect", "--fuel-per-object", "much", good}, command.ExitError, "", "crosswalk inspect: --fuel-per-object must be an integer, not \"much\" (crosswalk inspect --help says more)\n"},
		{"no size", "", []string{"inspect", "--module-memory-bytes", "much", good}, command.ExitError, "", "crosswalk inspect: --module-memory-bytes: \"much\" is not a size: use a number of bytes, or a number with Ki, Mi or Gi such as 64Mi (crosswalk inspect --help says more)\n"},
		{"no time", "", []string{"check", "--call-timeout", "5", good}, command.ExitError, "", "crosswalk check: --call-timeout must be a duration such as 500ms or 5s, not \"5\" (crosswalk check --help says more)\n"},
		{"too short a time", "", []string{"check", "--call-timeout", "0s", good}, command.ExitError, "", "crosswalk check: --call-timeout must be at least 1ms, not 0s (crosswalk check --help says more)\n"},
		{"no fuel", "", []string{"check", "--fuel-per-byte", "0", good}, command.ExitError, "", "crosswalk check: --fuel-per-object, --fuel-per-byte and --fuel-to-start must be at least 1 (crosswalk check --help says more)\n"},
		{"memory", "", []string{"inspect", "--module-memory-bytes", "0", good}, command.ExitError, "", "crosswalk inspect: --module-memory-bytes must be between 64Ki and 4Gi, not 0 (crosswalk inspect --help says more)\n"},
		{"no version, before anything is read", "kind: CronTab", []string{"convert", good}, command.ExitError, "",
			"crosswalk convert: --to is missing: name one of the versions that the modules convert to (v2, v1) (crosswalk convert --help says more)\n"},
		{"nothing to convert", " \n", []string{"convert", "--to", "v2", good}, command.ExitError, "", "crosswalk convert: standard input is empty: it must have objects, a list or a ConversionReview, as YAML or JSON\n"},
		{"neither YAML nor JSON", "kind: [", []string{"convert", "--to", "v2", good}, command.ExitError, "",
			"crosswalk convert: standard input is neither JSON nor YAML: line 1: did not find expected node content\n"},
		{"a file that is missing, before a module is compiled", "", []string{"convert", "--to", "v2", "-f", "/nowhere/a.yaml", endless}, command.ExitError, "",
			"crosswalk convert: open /nowhere/a.yaml: no such file or directory\n"},
		{"a definition that is missing, before a module is compiled", "", []string{"check", "--crd", "/nowhere/crd.yaml", endless}, command.ExitError, "",
			"crosswalk check: open /nowhere/crd.yaml: no such file or directory\n"},
		{"a directory for a definition", "", []string{"fuzz", "--crd", empty, endless}, command.ExitError, "", "crosswalk fuzz: " + empty + " is a directory: name the file with the definition\n"},
		{"a module that is missing", "", []string{"fuzz", "/nowhere.wasm"}, command.ExitError, "",
			"crosswalk fuzz: /nowhere.wasm does not exist; modules have names like CronTab.stable.example.com_v1_v2.wasm\n"},
		{"a named module that is missing", "", []string{"check", "/nowhere/A.b.c_v1_v2.wasm"}, command.ExitError, "", "crosswalk check: open /nowhere/A.b.c_v1_v2.wasm: no such file or directory\n"},
		{"a kubeconfig that is missing", "", []string{"explain", "--kubeconfig", "/nowhere/config", "crontabs.stable.example.com"}, command.ExitError, "",
			"crosswalk explain: --kubeconfig: stat /nowhere/config: no such file or directory\n"},
		{"no kubeconfig", "", []string{"explain", "--context", "", "crontabs.stable.example.com"}, command.ExitError, "",
			"crosswalk explain: there is no kubeconfig: name one with --kubeconfig or in KUBECONFIG\n"},
		{"no route", `{"apiVersion":"stable.example.com/v3","kind":"CronTab","spec":{}}`, []string{"convert", "--to", "v2", good}, command.ExitFinding, "", "(no_route)\n"},
		{"each object by itself", `{"kind":"List","items":[{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"}},{"apiVersion":"stable.example.com/v3","kind":"CronTab"}]}`,
			[]string{"convert", "--each", "--to", "v2", good}, command.ExitFinding, "{\"refused\":\"cannot convert object 0 (a) of CronTab.stable.example.com from v1 to v2: module CronTab.stable.example.com_v1_v2.wasm (sha256:9b6dc17af9e2) broke the conversion contract: its answer has apiVersion \\\"stable.example.com/v1\\\"; it must be \\\"stable.example.com/v2\\\" or be left out (contract)\"}\n{\"apiVersion\":\"stable.example.com/v2\",\"kind\":\"CronTab\",\"metadata\":{}}\n", "crosswalk convert: 1 of 2 objects are refused\n"},
		{"no package to adopt", "", []string{"adopt"}, command.ExitError, "", "crosswalk adopt: name the packages with the conversions, such as ./api/v1 ./api/v2 (crosswalk adopt --help says more)\n"},
		{"a broken contract", `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":{}}`, []string{"convert", "--to", "v2", good}, command.ExitFinding, "",
			`broke the conversion contract: its answer has apiVersion "stable.example.com/v1"; it must be "stable.example.com/v2" or be left out (contract)` + "\n"},
		{"an empty directory", "", []string{"inspect", "--routes", empty}, command.ExitError, "", "crosswalk inspect: " + empty + " has no modules in it, and neither has " + filepath.Join(empty, "build") + ": build the converter first\n"},
		{"a graph of nothing", "", []string{"inspect", "--routes", "/nowhere"}, command.ExitError, "", "crosswalk inspect: /nowhere does not exist; modules have names like CronTab.stable.example.com_v1_v2.wasm\n"},
		{"a graph of a directory", "", []string{"inspect", "--routes", mixed}, command.ExitFinding, "A.b.c: v2, v1\n  v2 → v1  missing\n  v1 → v2  A.b.c_v1_to_v2.wasm\n",
			"crosswalk inspect: ignored, as by a gateway: file name \"readme.wasm\": \"readme\" is not <Kind>.<group>; a module is named like CronTab.stable.example.com_v1_v2.wasm\n"},
		{"a graph", "", []string{"inspect", "--routes", "A.b.c_v1_v2.wasm", "A.b.c_v2_to_v3.wasm"}, command.ExitOK, `A.b.c: v3, v2, v1
  v3 → v2  missing
  v3 → v1  missing
  v2 → v3  A.b.c_v2_to_v3.wasm
  v2 → v1  A.b.c_v1_v2.wasm
  v1 → v2 → v3  A.b.c_v1_v2.wasm, A.b.c_v2_to_v3.wasm
  v1 → v2  A.b.c_v1_v2.wasm
`, ""},
		{"init without a language", "", []string{"init"}, command.ExitError, "", "crosswalk init: --lang is missing: name one of "},
		{"init in no language", "", []string{"init", "--lang", "pascal", "--kind", "A.b.c", "--versions", "v1,v2"}, command.ExitError, "", "crosswalk init: --lang must be one of assemblyscript, "},
		{"init without a kind", "", []string{"init", "--lang", "go"}, command.ExitError, "",
			"crosswalk init: the kind is missing: set --crd to a file with the CustomResourceDefinition, or set --kind and --versions (crosswalk init --help says more)\n"},
		{"init without a group", "", []string{"init", "--lang", "go", "--kind", "CronTab"}, command.ExitError, "", "crosswalk init: --kind \"CronTab\" is not KIND.GROUP, such as CronTab.stable.example.com (crosswalk init --help says more)\n"},
		{"init with a definition's name", "", []string{"init", "--lang", "go", "--kind", "as.b.c", "--versions", "v1,v2"}, command.ExitError, "",
			"crosswalk init: --kind as.b.c begins with a small letter: the kind is spec.names.kind of the CustomResourceDefinition, as in CronTab.stable.example.com (if it is written so there, name the file with --crd) (crosswalk init --help says more)\n"},
		{"init without versions", "", []string{"init", "--lang", "go", "--kind", "A.b.c"}, command.ExitError, "", "crosswalk init: A.b.c has no versions: a conversion needs two, such as --versions v1,v2 (crosswalk init --help says more)\n"},
		{"init with one version", "", []string{"init", "--lang", "go", "--kind", "A.b.c", "--versions", "v1"}, command.ExitError, "", "crosswalk init: A.b.c has v1: a conversion needs two, such as --versions v1,v2 (crosswalk init --help says more)\n"},
		{"init with a bad version", "", []string{"init", "--lang", "go", "--kind", "A.b.c", "--versions", "v1,V2"}, command.ExitError, "", "crosswalk init: file name \"A.b.c_v1_V2.wasm\": \"V2\" is not an API version;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errors := crosswalk(c.in, c.args...)
			if code != c.code || out != c.out || !strings.Contains(errors, c.err) || (c.err == "") != (errors == "") {
				t.Errorf("code %d, want %d\nout  %s\nwant %s\nerrors %s\nwant   %s", code, c.code, out, c.out, errors, c.err)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	code, all, _ := crosswalk("", "--help")
	if code != command.ExitOK {
		t.Errorf("--help ends with %d", code)
	}
	for _, c := range allCommands() {
		if !strings.Contains(all, "\n  "+c.Name()+" ") {
			t.Errorf("--help does not list %s", c.Name())
		}
		code, out, _ := crosswalk("", "help", c.Name())
		if code != command.ExitOK || !strings.HasPrefix(out, "crosswalk "+c.Name()+": "+c.Short+".\n\nUsage: crosswalk "+c.Use+"\n") {
			t.Errorf("help %s: %d\n%s", c.Name(), code, out)
		}
		if _, again, _ := crosswalk("", c.Name(), "--help"); again != out {
			t.Errorf("%s --help differs from help %[1]s: %s", c.Name(), again)
		}
		for line := range strings.Lines(out) {
			if len(line) > 160 {
				t.Errorf("help %s: a line of %d bytes: %s", c.Name(), len(line), line)
			}
		}
	}
	if code, _, errors := crosswalk(""); code != command.ExitError || errors != all {
		t.Errorf("without a command: %d, %s", code, errors)
	}
	if code, _, errors := crosswalk("", "help", "chek"); code != command.ExitError || errors != "crosswalk help: \"chek\" is not a command; did you mean check? (crosswalk help --help says more)\n" {
		t.Errorf("help of an unknown command: %d, %s", code, errors)
	}
}

// TestKubectl tests the names of a plugin of kubectl.
func TestKubectl(t *testing.T) {
	for program, want := range map[string]string{"/usr/bin/kubectl-crosswalk": "kubectl crosswalk", "kubectl-crosswalk.exe": "kubectl crosswalk", "bin/crosswalk": "crosswalk"} {
		if got := displayName(program); got != want {
			t.Errorf("%s is called %q", program, got)
		}
	}
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), command.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr}, "kubectl crosswalk", []string{"convert", "--help"})
	for _, want := range []string{"Usage: kubectl crosswalk convert --to", "| kubectl crosswalk convert --to v2", "\n  kubectl crosswalk convert --to v2 -f"} {
		if code != command.ExitOK || !strings.Contains(stdout.String(), want) {
			t.Errorf("missing %q in\n%s", want, stdout.String())
		}
	}
	if run(context.Background(), command.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr}, "kubectl crosswalk", []string{"check"}); stderr.String() != "kubectl crosswalk check: name at least one module (kubectl crosswalk check --help says more)\n" {
		t.Error(stderr.String())
	}
}

// TestKubectlFindsPlugin runs the program as kubectl does, by its file name.
func TestKubectlFindsPlugin(t *testing.T) {
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("no kubectl")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(program, filepath.Join(dir, "kubectl-crosswalk")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv(actAsCrosswalk, "1")
	out, err := exec.Command(kubectl, "crosswalk", "inspect", "--routes", "A.b.c_v1_v2.wasm").CombinedOutput()
	if err != nil || string(out) != "A.b.c: v2, v1\n  v2 → v1  A.b.c_v1_v2.wasm\n  v1 → v2  A.b.c_v1_v2.wasm\n" {
		t.Errorf("%v\n%s", err, out)
	}
	out, _ = exec.Command(kubectl, "crosswalk", "fuz").CombinedOutput()
	if !strings.Contains(string(out), "kubectl crosswalk: \"fuz\" is not a command; did you mean fuzz? (kubectl crosswalk --help lists them)\n") {
		t.Errorf("%s", out)
	}
}

// TestCompletion tests that shells complete commands, formats and the versions of named modules.
func TestCompletion(t *testing.T) {
	module := moduleFile(t, "good_echo", echo, "")
	kubeconfig := filepath.Join(t.TempDir(), "config")
	writeFile(t, kubeconfig, "contexts: [{name: prod, context: {cluster: c}}, {name: dev, context: {cluster: c}}]\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"explain", "--kubeconfig", kubeconfig, "--context", ""}, "dev\nprod\n:4\n"},
		{[]string{"test", "--kubeconfig", kubeconfig, "--context", ""}, "dev\nprod\n:4\n"},
		{[]string{"con"}, "convert\t"},
		{[]string{"check", "-o", ""}, "table\njson\nyaml\njunit\ngithub\nsarif\nname\n"},
		{[]string{"convert", module, "--to", ""}, "v1\nv2\n"},
		{[]string{"init", "--lang", "ja"}, "javascript\n"},
	} {
		code, out, _ := crosswalk("", append([]string{"__complete"}, c.args...)...)
		if code != command.ExitOK || !strings.Contains(out, c.want) {
			t.Errorf("%q: %d %s", c.args, code, out)
		}
	}
}

// TestCheckLimits tests that flags set the limits for which a sidecar may ask.
func TestCheckLimits(t *testing.T) {
	path := moduleFile(t, "good_echo", echo, "limits: {fuelPerObject: 60000000, callTimeout: 3s}")
	const refused = "REFUSED  " + echo + ".wasm: " + echo + ".yaml: limits.fuelPerObject 60000000 is more than the gateway's 50000000: lower it, or have --fuel-per-object raised\n"
	if code, out, errors := crosswalk("", "check", path); code != command.ExitFinding || out != refused || errors != "" {
		t.Errorf("%d: %s%s", code, out, errors)
	}
	if code, out, errors := crosswalk("", "check", "--fuel-per-object", "60000000", "--call-timeout", "3s", path); code != command.ExitOK || !strings.HasPrefix(out, "serves ") {
		t.Errorf("%d: %s%s", code, out, errors)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, fixture, sidecar string
		code                   int
		want                   string
	}{
		{"good", "good_echo", "", command.ExitOK, "serves   " + echo + ".wasm: v1→v2, v2→v1; no golden cases beside it; loaded in "},
		{"a case that fails", "good_echo", "cases: [{from: v1, to: v2, object: {spec: 1}, want: {apiVersion: stable.example.com/v2, spec: 1}}]", command.ExitFinding,
			"REFUSED  " + echo + ".wasm: " + echo + ".yaml: cases[0]: from v1 to v2 the module's answer differs from want in apiVersion"},
		{"no converter", "m15_no_convert", "", command.ExitFinding, "REFUSED  " + echo + ".wasm: the module does not export crosswalk_abi_v1, crosswalk_alloc, crosswalk_convert: "},
		{"endless start", "m09_start_spin", "", command.ExitFinding, "REFUSED  " + echo + ".wasm: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errors := crosswalk("", "check", moduleFile(t, c.fixture, echo, c.sidecar))
			if code != c.code || !strings.HasPrefix(out, c.want) || errors != "" {
				t.Errorf("%d: %s%s\nwant %s", code, out, errors, c.want)
			}
		})
	}
}

// TestInspectForMachines tests that -o json has the facts of the table, and YAML the same.
func TestInspectForMachines(t *testing.T) {
	path := moduleFile(t, "good_echo", echo, "fields: {v1: [spec.host], v2: []}")
	code, out, errors := crosswalk("", "inspect", "-o", "json", path)
	var all []map[string]any
	if err := json.Unmarshal([]byte(out), &all); err != nil || code != command.ExitOK || errors != "" || len(all) != 1 {
		t.Fatalf("%d %v %s%s", code, err, out, errors)
	}
	delete(all[0], "loadSeconds")
	got, err := json.Marshal(all[0])
	if err != nil {
		t.Fatal(err)
	}
	text := readText(t, path)
	want := fmt.Sprintf(`{"bytes":%d,"cases":0,"command":false,"converts":["v1→v2","v2→v1"],"fields":{"v1":["spec.host"],"v2":[]},"file":"`+echo+`.wasm",`+
		`"group":"stable.example.com","gzipBytes":%d,"kind":"CronTab","memoryBytes":65536,"sha256":"%x"}`, len(text), gzipped(t, text), sha256.Sum256([]byte(text)))
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if code, out, errors := crosswalk("", "inspect", "--output=yaml", path); code != command.ExitOK || errors != "" || !strings.HasPrefix(out, "- file: "+echo+".wasm\n") {
		t.Errorf("%d %s%s", code, out, errors)
	}
}

func TestInspect(t *testing.T) {
	code, out, errors := crosswalk("", "inspect", moduleFile(t, "good_echo", echo, ""))
	for _, want := range []string{
		echo + ".wasm\n", "  converts     CronTab.stable.example.com v1→v2, v2→v1\n", "  abi          reactor: it stays instantiated\n",
		" bytes, fits a ConfigMap; ", " bytes as .wasm.gz, fits a ConfigMap\n", "  imports      nothing\n", "  sees         whole objects: it declares no fields\n", "  sidecar      no golden cases beside it\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("missing %q in\n%s", want, out)
		}
	}
	if code != command.ExitOK || errors != "" {
		t.Errorf("%d: %s", code, errors)
	}
}

// gzipped returns the size of a text in bytes, compressed as gzip -9 does.
func gzipped(t *testing.T, text string) int {
	t.Helper()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Len()
}

// allCommands returns the commands of all groups.
func allCommands() (list []*cobra.Command) {
	for _, g := range groups() {
		list = append(list, g.commands...)
	}
	return list
}

// TestMessagesDoNotControlTheTerminal asserts that a name with control characters reaches neither the
// terminal's title nor its lines.
func TestMessagesDoNotControlTheTerminal(t *testing.T) {
	var out, message bytes.Buffer
	code := run(t.Context(), command.Streams{In: strings.NewReader(""), Out: &out, Err: &message}, "crosswalk", []string{"check", "\x1b]0;title\a\u009b2J\u202e.wasm"})
	if code == command.ExitOK || strings.ContainsAny(message.String(), "\x1b\a\u009b\u202e") || !strings.Contains(message.String(), "title") {
		t.Errorf("exit code %d, %q", code, message.String())
	}
}
