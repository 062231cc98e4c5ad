package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
)

// fuzzDir returns a directory with the definition of Thing and a module for it, whose answers break
// the contract.
func fuzzDir(t *testing.T) (module, crd string) {
	t.Helper()
	dir := t.TempDir()
	wasm, err := os.ReadFile("../../runtime/testdata/good_echo.wasm")
	if err != nil {
		t.Fatal(err)
	}
	module, crd = filepath.Join(dir, "Thing.example.com_v1_v2.wasm"), filepath.Join(dir, "crd.yaml")
	if err := os.WriteFile(module, wasm, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(crd, []byte(twoVersions), 0o644); err != nil {
		t.Fatal(err)
	}
	return module, crd
}

func TestFuzz(t *testing.T) {
	module, crd := fuzzDir(t)
	code, out, errors := crosswalk("", "fuzz", "--crd", crd, "--objects", "20", module)
	if code != command.ExitFinding || errors != "" {
		t.Errorf("%d: %s%s", code, out, errors)
	}
	for _, want := range []string{"FAIL   v1→v2 .: violation (the module broke the conversion contract", "object: {\"apiVersion\":\"example.com/v1\"", "repeat: crosswalk fuzz --seed=1 --objects=1 --crd " + crd, "20 objects, 2 findings, 0 acknowledged\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in:\n%s", want, out)
		}
	}
}

func TestFuzzAsJSON(t *testing.T) {
	module, crd := fuzzDir(t)
	saved := filepath.Join(t.TempDir(), "saved")
	code, out, errors := crosswalk("", "fuzz", "-f", crd, "--objects", "20", "--save", saved, "-o", "json", module)
	if code != command.ExitFinding || errors != "" {
		t.Fatalf("%d: %s%s", code, out, errors)
	}
	var reports []struct {
		Modules  []string
		Objects  int
		Findings []fuzz.Finding
		Versions []fuzz.Coverage
	}
	if err := json.Unmarshal([]byte(out), &reports); err != nil || len(reports) != 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	if r := reports[0]; r.Objects != 20 || len(r.Findings) != 2 || r.Findings[0].Property != fuzz.Violation || len(r.Versions) != 2 || len(r.Modules) != 1 {
		t.Errorf("%+v", r)
	}
	text, err := os.ReadFile(filepath.Join(saved, "Thing.example.com.yaml"))
	if err != nil || strings.Count(string(text), "thereAndBack: true") != 2 {
		t.Errorf("%v\n%s", err, text)
	}
	if code, out, _ := crosswalk("", "fuzz", "--crd", crd, "--objects", "20", "-o", "github", module); code != command.ExitFinding || strings.Count(out, "::error file="+module+",title=") != 2 {
		t.Errorf("annotations: %d %s", code, out)
	}
	if code, out, _ := crosswalk("", "fuzz", "--crd", crd, "--objects", "20", "-o", "junit", module); code != command.ExitFinding || strings.Count(out, "<failure") != 2 {
		t.Errorf("%d\n%s", code, out)
	}
}

func TestFuzzErrors(t *testing.T) {
	module, crd := fuzzDir(t)
	other := filepath.Join(t.TempDir(), "other.yaml")
	if err := os.WriteFile(other, []byte(strings.Replace(twoVersions, "name: v1\n", "name: v3\n", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no module", []string{"--crd", crd}, "name at least one module"},
		{"no definition", []string{module}, "there is no definition of Thing.example.com"},
		{"no such definition", []string{"--crd", crd + "x", module}, "no such file"},
		{"no time", []string{"--for", "0s", "--crd", crd, module}, "--for must be positive"},
		{"no objects", []string{"--objects=-1", "--crd", crd, module}, "--objects must not be negative"},
		{"other versions", []string{"--crd", other, "--objects", "5", module}, "the modules convert no two of the versions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if code, out, errors := crosswalk("", append([]string{"fuzz"}, c.args...)...); code != command.ExitError || !strings.Contains(errors, c.want) {
				t.Errorf("%d: %s%s, want %q", code, out, errors, c.want)
			}
		})
	}
}

// TestInterruptedMigrationSaysHowToGoOn tests that the text of an interrupted migration is not lost.
func TestInterruptedMigrationSaysHowToGoOn(t *testing.T) {
	early := &attach.Interrupted{How: "go on with --continue abc", Continue: "abc"}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		ctx  context.Context
		err  error
		code int
		text string
	}{
		{ended, early, command.ExitInterrupted, "crosswalk migrate-storage: go on with --continue abc\n"},
		{ended, command.Finding{Err: fmt.Errorf("all: %w", early)}, command.ExitInterrupted, "crosswalk migrate-storage: all: go on with --continue abc\n"},
		{ended, context.Canceled, command.ExitInterrupted, "crosswalk migrate-storage: interrupted\n"},
		{t.Context(), early, command.ExitError, "crosswalk migrate-storage: go on with --continue abc\n"},
	} {
		var to bytes.Buffer
		if code := exitCode(tc.ctx, &to, "crosswalk migrate-storage", tc.err); code != tc.code || to.String() != tc.text {
			t.Errorf("%v: exit code %d, want %d: %q, want %q", tc.err, code, tc.code, to.String(), tc.text)
		}
	}
}

// TestInterruptedExitCode tests that an interrupted command exits as shells expect it.
func TestInterruptedExitCode(t *testing.T) {
	module := moduleFile(t, "good_echo", echo, "")
	crd := filepath.Join("..", "..", "plugins", "crontab", "crd.yaml")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errors bytes.Buffer
	code := run(ctx, command.Streams{In: strings.NewReader(""), Out: &out, Err: &errors}, "crosswalk", []string{"fuzz", "--for", "10h", "--crd", crd, module})
	if code != command.ExitInterrupted || !strings.HasSuffix(errors.String(), "crosswalk fuzz: interrupted\n") {
		t.Errorf("%d: %s%s", code, out.String(), errors.String())
	}
}
