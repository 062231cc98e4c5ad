package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// actAsCrosswalk is the environment variable that has this binary be crosswalk, for the Makefiles of projects.
const actAsCrosswalk = "CROSSWALK_TEST_ACT"

// TestMain lets check start this binary as the child that vets a module.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == module.VetArgument {
		os.Exit(module.VetMain(os.Stdin, os.Stdout))
	}
	if os.Getenv(actAsCrosswalk) != "" {
		os.Exit(run(context.Background(), streams{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// moduleFile copies a fixture of package runtime to a directory of its own under a module's name, with a sidecar unless it is empty.
func moduleFile(t *testing.T, fixture, name, sidecar string) string {
	t.Helper()
	wasm, err := os.ReadFile(filepath.Join("..", "..", "runtime", "testdata", fixture+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if sidecar != "" {
		write(t, filepath.Join(dir, name+".yaml"), sidecar)
	}
	path := filepath.Join(dir, name+".wasm")
	write(t, path, string(wasm))
	return path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// crosswalk runs one command line.
func crosswalk(in string, args ...string) (code int, out, errors string) {
	var stdout, stderr bytes.Buffer
	code = run(context.Background(), streams{strings.NewReader(in), &stdout, &stderr}, args)
	return code, stdout.String(), stderr.String()
}

const echo = "CronTab.stable.example.com_v1_v2"

func TestCommandLines(t *testing.T) {
	good := moduleFile(t, "good_echo", echo, "")
	empty, mixed := t.TempDir(), t.TempDir()
	write(t, filepath.Join(mixed, "A.b.c_v1_to_v2.wasm"), "")
	write(t, filepath.Join(mixed, "readme.wasm"), "")
	write(t, filepath.Join(mixed, "A.b.c_v2_to_v1.wasm"), "")
	write(t, filepath.Join(mixed, "A.b.c_v2_to_v1.removed"), "")
	for _, c := range []struct {
		name, in string
		args     []string
		code     int
		out, err string
	}{
		{"no such command", "", []string{"serve"}, exitUsage, "", "crosswalk: \"serve\" is not a command (crosswalk --help lists them)\n"},
		{"no such flag", "", []string{"check", "--fast"}, exitUsage, "", "crosswalk check: unknown flag: --fast (crosswalk check --help says more)\n"},
		{"no module", "", []string{"check"}, exitUsage, "", "crosswalk check: name at least one module (crosswalk check --help says more)\n"},
		{"no such file", "", []string{"inspect", "/nowhere/A.b.c_v1_v2.wasm"}, exitFailure, "", "crosswalk inspect: open /nowhere/A.b.c_v1_v2.wasm: no such file or directory\n"},
		{"no module's name", "", []string{"inspect", "README.md"}, exitFailure, "", "crosswalk inspect: file name \"README.md\": must end in .wasm, .wasm.gz or .wasm.zst\n"},
		{"a directory for a module", "", []string{"inspect", empty}, exitFailure, "", "crosswalk inspect: " + empty + " is a directory: name its modules, as in " + empty + "/*.wasm*\n"},
		{"no number", "", []string{"inspect", "--memory-mib", "much", good}, exitUsage, "", "crosswalk inspect: --memory-mib must be an integer, not \"much\" (crosswalk inspect --help says more)\n"},
		{"no time", "", []string{"check", "--call-timeout", "5", good}, exitUsage, "", "crosswalk check: --call-timeout must be a duration such as 500ms or 5s, not \"5\" (crosswalk check --help says more)\n"},
		{"too short a time", "", []string{"check", "--call-timeout", "0s", good}, exitUsage, "", "crosswalk check: --call-timeout must be at least 1ms, not 0s (crosswalk check --help says more)\n"},
		{"no fuel", "", []string{"check", "--fuel-per-byte", "0", good}, exitUsage, "", "crosswalk check: --fuel-per-object and --fuel-per-byte must be at least 1 (crosswalk check --help says more)\n"},
		{"memory", "", []string{"inspect", "--memory-mib", "0", good}, exitUsage, "", "crosswalk inspect: --memory-mib must be between 1 and 4096, not 0 (crosswalk inspect --help says more)\n"},
		{"no version, before anything is read", "kind: CronTab", []string{"convert", good}, exitUsage, "",
			"crosswalk convert: --to is missing: name one of the versions that the modules convert to (v2, v1) (crosswalk convert --help says more)\n"},
		{"nothing to convert", " \n", []string{"convert", "--to", "v2", good}, exitFailure, "", "crosswalk convert: standard input is empty: it must be an object, a list or a ConversionReview, as JSON\n"},
		{"no JSON", "kind: CronTab", []string{"convert", "--to", "v2", good}, exitFailure, "",
			"crosswalk convert: standard input is not a JSON object as kubectl get -o json writes it: invalid character 'k' looking for beginning of value\n"},
		{"no route", `{"apiVersion":"stable.example.com/v3","kind":"CronTab","spec":{}}`, []string{"convert", "--to", "v2", good}, exitFailure, "", "(no_route)\n"},
		{"each object by itself", `{"kind":"List","items":[{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"}},{"apiVersion":"stable.example.com/v3","kind":"CronTab"}]}`,
			[]string{"convert", "--each", "--to", "v2", good}, exitOK, "{\"refused\":\"cannot convert object 0 (a) of CronTab.stable.example.com from v1 to v2: module CronTab.stable.example.com_v1_v2.wasm (sha256:9b6dc17af9e2) broke the conversion contract: its answer has apiVersion \\\"stable.example.com/v1\\\"; it must be \\\"stable.example.com/v2\\\" or be left out (contract)\"}\n{\"apiVersion\":\"stable.example.com/v2\",\"kind\":\"CronTab\",\"metadata\":{}}\n", ""},
		{"no package to adopt", "", []string{"adopt"}, exitUsage, "", "crosswalk adopt: no package is named (crosswalk adopt --help says more)\n"},
		{"opaque neither on nor off", "", []string{"adopt", "--opaque=yes", "./api"}, exitUsage, "", "crosswalk adopt: --opaque must be on or off, not \"yes\" (crosswalk adopt --help says more)\n"},
		{"a broken contract", `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":{}}`, []string{"convert", "--to", "v2", good}, exitFailure, "",
			`broke the conversion contract: its answer has apiVersion "stable.example.com/v1"; it must be "stable.example.com/v2" or be left out (contract)` + "\n"},
		{"an empty directory", "", []string{"graph", empty}, exitFailure, "", "crosswalk graph: " + empty + " has no modules in it\n"},
		{"a graph of nothing", "", []string{"graph", "/nowhere"}, exitFailure, "", "crosswalk graph: /nowhere is neither a directory nor a module: file name \"nowhere\": must end in .wasm, .wasm.gz or .wasm.zst\n"},
		{"a graph of a directory", "", []string{"graph", mixed}, exitFailure, "A.b.c: v2, v1\n  v2 → v1  missing\n  v1 → v2  A.b.c_v1_to_v2.wasm\n",
			"crosswalk graph: ignored, as by a gateway: file name \"readme.wasm\": \"readme\" is not <Kind>.<group>; a module is named like CronTab.stable.example.com_v1_v2.wasm\n"},
		{"a graph", "", []string{"graph", "A.b.c_v1_v2.wasm", "A.b.c_v2_to_v3.wasm"}, exitOK, `A.b.c: v3, v2, v1
  v3 → v2  missing
  v3 → v1  missing
  v2 → v3  A.b.c_v2_to_v3.wasm
  v2 → v1  A.b.c_v1_v2.wasm
  v1 → v2 → v3  A.b.c_v1_v2.wasm, A.b.c_v2_to_v3.wasm
  v1 → v2  A.b.c_v1_v2.wasm
`, ""},
		{"a graph for Graphviz", "", []string{"graph", "--dot", "A.b.c_v1_v2.wasm"}, exitOK, `digraph conversions {
  rankdir=LR
  node [shape=box]
  subgraph cluster_0 {
    label="A.b.c"
    "A.b.c/v2" -> "A.b.c/v1" [label="A.b.c_v1_v2.wasm"]
    "A.b.c/v1" -> "A.b.c/v2" [label="A.b.c_v1_v2.wasm"]
  }
}
`, ""},
		{"init without a language", "", []string{"init"}, exitUsage, "", "crosswalk init: --lang is missing: name one of "},
		{"init in no language", "", []string{"init", "--lang", "pascal", "--kind", "A.b.c", "--versions", "v1,v2"}, exitUsage, "", "crosswalk init: --lang must be one of assemblyscript, "},
		{"init without a kind", "", []string{"init", "--lang", "go"}, exitUsage, "",
			"crosswalk init: the kind is missing: set --crd to a file with the CustomResourceDefinition, or set --kind and --versions (crosswalk init --help says more)\n"},
		{"init without a group", "", []string{"init", "--lang", "go", "--kind", "CronTab"}, exitUsage, "", "crosswalk init: --kind \"CronTab\" is not KIND.GROUP, such as CronTab.stable.example.com (crosswalk init --help says more)\n"},
		{"init with a definition's name", "", []string{"init", "--lang", "go", "--kind", "as.b.c", "--versions", "v1,v2"}, exitUsage, "",
			"crosswalk init: --kind as.b.c begins with a small letter: the kind is spec.names.kind of the CustomResourceDefinition, as in CronTab.stable.example.com (if it is written so there, name the file with --crd) (crosswalk init --help says more)\n"},
		{"init without versions", "", []string{"init", "--lang", "go", "--kind", "A.b.c"}, exitUsage, "", "crosswalk init: A.b.c has no versions: a conversion needs two, such as --versions v1,v2 (crosswalk init --help says more)\n"},
		{"init with one version", "", []string{"init", "--lang", "go", "--kind", "A.b.c", "--versions", "v1"}, exitUsage, "", "crosswalk init: A.b.c has v1: a conversion needs two, such as --versions v1,v2 (crosswalk init --help says more)\n"},
		{"init with a bad version", "", []string{"init", "--lang", "go", "--kind", "A.b.c", "--versions", "v1,V2"}, exitUsage, "", "crosswalk init: file name \"A.b.c_v1_V2.wasm\": \"V2\" is not an API version;"},
		{"init with no SDK", "", []string{"init", "--lang", "go", "--kind", "A.b.c", "--versions", "v1,v2", "--sdk", empty}, exitUsage, "", "crosswalk init: --sdk " + empty + ": not the sdk directory of the repository: "},
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
	if code != exitOK {
		t.Errorf("--help ends with %d", code)
	}
	for _, c := range commands() {
		if !strings.Contains(all, "\n  "+c.name+" ") {
			t.Errorf("--help does not list %s", c.name)
		}
		code, out, _ := crosswalk("", "help", c.name)
		if code != exitOK || !strings.HasPrefix(out, "crosswalk "+c.name+": "+c.short+".\n\nUsage: crosswalk "+c.name+" "+c.args+"\n") {
			t.Errorf("help %s: %d\n%s", c.name, code, out)
		}
		for line := range strings.Lines(out) {
			if len(line) > 160 {
				t.Errorf("help %s: a line of %d bytes: %s", c.name, len(line), line)
			}
		}
	}
	if code, _, errors := crosswalk(""); code != exitUsage || errors != all {
		t.Errorf("without a command: %d, %s", code, errors)
	}
}

// TestCheckLimits tests that flags set the limits for which a sidecar may ask.
func TestCheckLimits(t *testing.T) {
	path := moduleFile(t, "good_echo", echo, "limits: {fuelPerObject: 60000000, callTimeout: 3s}")
	const refused = "REFUSED  " + echo + ".wasm: " + echo + ".yaml: limits.fuelPerObject 60000000 is more than the gateway's 50000000: lower it, or have --fuel-per-object raised\n"
	if code, out, errors := crosswalk("", "check", path); code != exitFailure || out != refused || errors != "" {
		t.Errorf("%d: %s%s", code, out, errors)
	}
	if code, out, errors := crosswalk("", "check", "--fuel-per-object", "60000000", "--call-timeout", "3s", path); code != exitOK || !strings.HasPrefix(out, "serves ") {
		t.Errorf("%d: %s%s", code, out, errors)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, fixture, sidecar string
		code                   int
		want                   string
	}{
		{"good", "good_echo", "", exitOK, "serves   " + echo + ".wasm: v1→v2, v2→v1; no golden cases beside it; loaded in "},
		{"a case that fails", "good_echo", "cases: [{from: v1, to: v2, object: {spec: 1}, want: {apiVersion: stable.example.com/v2, spec: 1}}]", exitFailure,
			"REFUSED  " + echo + ".wasm: " + echo + ".yaml: cases[0]: from v1 to v2 the module's answer differs from want in apiVersion"},
		{"no converter", "m15_no_convert", "", exitFailure, "REFUSED  " + echo + ".wasm: the module does not export crosswalk_abi_v1, crosswalk_alloc, crosswalk_convert: "},
		{"endless start", "m09_start_spin", "", exitFailure, "REFUSED  " + echo + ".wasm: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errors := crosswalk("", "check", moduleFile(t, c.fixture, echo, c.sidecar))
			if code != c.code || !strings.HasPrefix(out, c.want) || errors != "" {
				t.Errorf("%d: %s%s\nwant %s", code, out, errors, c.want)
			}
		})
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
	if code != exitOK || errors != "" {
		t.Errorf("%d: %s", code, errors)
	}
}
