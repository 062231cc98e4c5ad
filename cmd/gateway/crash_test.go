package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/kubelet"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// crashes has, by language, the messages for a crash and for exhausted memory of the modules of
// plugins/testdata/crashes.
var crashes = map[string]struct{ crash, memory string }{
	"go": {`the module crashed: panic: runtime error: index out of range \[5\] with length 0 at \S+/main\.go:\d+ \(a bug`,
		`the module ran out of memory: .*--module-memory-bytes\): (runtime|fatal error): .*out of memory`},
	"rust": {`the module trapped: unreachable; its last error message: panicked at src/lib\.rs:\d+:\d+: no such field \(a bug`,
		`the module ran out of memory: `},
	"c":   {`the module trapped: unreachable; its last error message: no such field \(a bug`, `the module ran out of memory \(--module-memory-bytes\): the converter ran out of memory`},
	"cpp": {`the module trapped: unreachable; its last error message: no such field \(a bug`, `the module ran out of memory \(--module-memory-bytes\): the converter ran out of memory`},
	"zig": {`the module trapped: unreachable; its last error message: no such field \(a bug`, `the module ran out of memory \(--module-memory-bytes\): the converter ran out of memory`},
	"javascript": {`the module crashed: uncaught TypeError: .* at crashes\.js:\d+:\d+ \(a bug`,
		`the module ran out of memory.*(out of memory|trapped without a message)`},
	"assemblyscript": {`the module trapped: unreachable; its last error message: no such field at crashes\.ts:\d+:\d+ \(a bug`,
		`the module ran out of memory: .*trapped without a message`},
}

// buildCrashes builds the modules for which there is a toolchain and returns their content by
// language.
func buildCrashes(t *testing.T) map[string][]byte {
	t.Helper()
	out, err := filepath.Abs("../../bin/crashes")
	if err != nil {
		t.Fatal(err)
	}
	build := exec.Command("../../plugins/build.sh", "testdata/crashes")
	build.Env = append(os.Environ(), "OUT="+out)
	said, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("build.sh: %v\n%s", err, said)
	}
	modules := map[string][]byte{}
	for language := range crashes {
		if strings.Contains(string(said), "skipped "+language+":") {
			t.Logf("not tested, for want of a toolchain: %s", language)
			continue
		}
		if modules[language], err = os.ReadFile(filepath.Join(out, language, "Crash.example.com_v1_v2.wasm")); err != nil {
			t.Fatal(err)
		}
	}
	return modules
}

// TestCrashesOfAllSDKsX23 makes the SDKs of all languages crash in a gateway. A crash is a fault of
// the module: the previous version converts the object, the gateway rolls the module back, and the
// message has the cause. A refusal does none of this.
func TestCrashesOfAllSDKsX23(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles modules of all languages three times, which takes minutes with the race detector")
	}
	modules := buildCrashes(t)
	one, err := os.ReadFile("testdata/one.wasm")
	if err != nil {
		t.Fatal(err)
	}
	volume := &kubelet.Volume{Dir: t.TempDir()}
	write := func(swapped bool) {
		t.Helper()
		files := map[string][]byte{}
		for language, content := range modules {
			files["X"+language+".example.com_v1_v2.wasm"] = content // nothing to fall back to
			if swapped {
				files["Y"+language+".example.com_v1_v2.wasm"] = content
			} else {
				files["Y"+language+".example.com_v1_v2.wasm"] = one
			}
		}
		if err := volume.Write(files); err != nil {
			t.Fatal(err)
		}
	}
	write(false)
	// A small memory, so that it runs out before fuel does: 16 MiB suffice for all languages.
	p := start(t, "--modules", volume.Dir, "--vet=false", "--drain-delay", "0s", "--fuel-per-object", "4000000000", "--module-memory-bytes", "16777216", "--call-timeout", "2m")
	p.waitReady(t)
	for language := range modules { // one that failed on a busy machine is tried again
		for _, kind := range []string{"X", "Y"} {
			p.moduleUntil(t, kind+language+".example.com_v1_v2.wasm", func(st runtime.Status) bool { return st.State == runtime.StateServing })
		}
	}
	for language := range modules {
		t.Run(language, func(t *testing.T) { p.crash(t, language, "X"+language) })
	}

	previous := map[string]string{}
	for language := range modules {
		previous[language] = p.module(t, "Y"+language+".example.com_v1_v2.wasm").Digest
	}
	write(true)
	for language := range modules {
		t.Run(language+" is rolled back", func(t *testing.T) {
			file := "Y" + language + ".example.com_v1_v2.wasm"
			p.moduleUntil(t, file, func(st runtime.Status) bool { return st.Digest != previous[language] })
			for range 3 {
				if spec, message := p.crashReview(t, "v1", "v2", "Y"+language, "crash"); spec != `{"module":"one"}` {
					t.Fatalf("not converted by the previous version: %s, %s", spec, message)
				}
			}
			st := p.moduleUntil(t, file, func(st runtime.Status) bool { return st.Digest == previous[language] })
			if !strings.HasPrefix(st.LastError, "rolled back: ") {
				t.Errorf("the previous version serves without a rollback: %+v", st)
			}
		})
	}
}

// crash makes a module crash, exhaust its memory and refuse.
func (p *process) crash(t *testing.T, language, kind string) {
	t.Helper()
	want := crashes[language]
	for _, tc := range []struct{ do, spec, message string }{
		{"nothing", `{"do":"nothing"}`, ``},
		{"refuse", ``, `: not today \[refused by module X`},
		{"silent", ``, `: refused without a reason \[refused by module X`},
		{"crash", ``, want.crash},
		{"memory", ``, want.memory},
	} {
		spec, message := p.crashReview(t, "v1", "v2", kind, tc.do)
		if spec != tc.spec || !regexp.MustCompile(tc.message).MatchString(message) || (message == "") != (tc.message == "") {
			t.Errorf("%s: got %s, %q, want %s, %q", tc.do, spec, message, tc.spec, tc.message)
		}
	}
	st := p.module(t, kind+".example.com_v1_v2.wasm")
	if st.Faults != 2 {
		t.Errorf("%d faults, want those of the crash and of the memory", st.Faults)
	}
	if language == "go" { // from v2 to v1 by the package kubebuilder
		if _, message := p.crashReview(t, "v2", "v1", kind, "silent"); !strings.Contains(message, ": the conversion failed with an error without a text, a *errors.errorString [refused by module X") {
			t.Errorf("kubebuilder, refused: %s", message)
		}
		if _, message := p.crashReview(t, "v2", "v1", kind, "crash"); !regexp.MustCompile(want.crash).MatchString(message) {
			t.Errorf("kubebuilder, crashed: %s", message)
		}
	}
}

// crashReview converts an object that tells the converter how to fail, and returns the spec of the
// result or the message.
func (p *process) crashReview(t *testing.T, from, to, kind, do string) (spec, message string) {
	t.Helper()
	code, text, err := p.post(fmt.Sprintf(`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-1","desiredAPIVersion":"example.com/%s",`+
		`"objects":[{"apiVersion":"example.com/%s","kind":%q,"metadata":{"name":"a","namespace":"b","uid":"c"},"spec":{"do":%q}}]}}`, to, from, kind, do))
	if err != nil || code != http.StatusOK {
		t.Fatalf("%s, %s: %d: %s, %v", kind, do, code, text, err)
	}
	var answer struct {
		Response struct {
			ConvertedObjects []struct{ Spec json.RawMessage }
			Result           struct{ Message string }
		}
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, o := range answer.Response.ConvertedObjects {
		spec += string(o.Spec)
	}
	return spec, answer.Response.Result.Message
}

// moduleUntil waits until /modules shows the wanted status of a file.
func (p *process) moduleUntil(t *testing.T, file string, ok func(runtime.Status) bool) runtime.Status {
	t.Helper()
	var st runtime.Status
	eventually.Succeeds(t, "the state of "+file, func() error {
		if st = p.module(t, file); !ok(st) {
			return fmt.Errorf("it has another: %+v", st)
		}
		return nil
	})
	return st
}
