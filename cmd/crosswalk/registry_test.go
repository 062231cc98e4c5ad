package main

import (
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// TestPushAndPull runs the two commands with a registry in memory.
func TestPushAndPull(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	pushAndPull(t, strings.TrimPrefix(server.URL, "http://"), server.Close)
}

// TestPushAndPullWithDockerRegistry does the same with a registry that stores files and asks for
// credentials.
func TestPushAndPullWithDockerRegistry(t *testing.T) {
	host, stop := dockerRegistry(t)
	config := t.TempDir()
	t.Setenv("DOCKER_CONFIG", config)
	writeFile(t, filepath.Join(config, "config.json"), `{}`)
	module := filepath.Join(t.TempDir(), "CronTab.stable.example.com_v1_v2.wasm")
	writeFile(t, module, "\x00asm")
	if code, _, stderr := crosswalk("", "push", host+"/team/modules:v1", module); code != command.ExitError || !strings.Contains(stderr, " 401 ") || !strings.Contains(stderr, "; log in with docker login, or name a directory with a config.json in DOCKER_CONFIG\n") {
		t.Errorf("without credentials: exit %d: %s", code, stderr)
	}
	writeFile(t, filepath.Join(config, "config.json"), `{"auths": {"`+host+`": {"username": "crosswalk", "password": "secret"}}}`)
	pushAndPull(t, host, stop)
}

// pushAndPull runs the commands with a registry that serves, and after stop has ended it.
func pushAndPull(t *testing.T, host string, stop func()) {
	ref := host + "/team/modules:v1"
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "modules")
	const file = "CronTab.stable.example.com_v1_v2.wasm"
	if err := os.WriteFile(filepath.Join(from, file), []byte("\x00asm"), 0o600); err != nil {
		t.Fatal(err)
	}
	runs := func(code int, args ...string) (stdout, stderr string) {
		t.Helper()
		var out, errs strings.Builder
		if got := run(t.Context(), command.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}, "crosswalk", args); got != code {
			t.Fatalf("crosswalk %v: exit code %d, want %d\n%s%s", args, got, code, out.String(), errs.String())
		}
		return out.String(), errs.String()
	}
	pushed, _ := runs(command.ExitOK, "push", ref, from)
	pushed = strings.TrimSpace(pushed)
	if !strings.Contains(pushed, "/team/modules@sha256:") {
		t.Errorf("push printed %q", pushed)
	}
	if _, said := runs(command.ExitOK, "pull", ref, to); !strings.Contains(said, "wrote 1 file of "+pushed) {
		t.Errorf("pull said %q", said)
	}
	if _, said := runs(command.ExitOK, "pull", ref, to); !strings.Contains(said, "already has "+pushed) {
		t.Errorf("the second pull said %q", said)
	}
	if content, err := os.ReadFile(filepath.Join(to, file)); err != nil || string(content) != "\x00asm" {
		t.Errorf("%q, %v", content, err)
	}
	again := filepath.Join(t.TempDir(), "modules")
	if _, said := runs(command.ExitOK, "pull", ref+"=A.x.io_v1_v2.wasm", again); !strings.Contains(said, "wrote 1 file of "+pushed) {
		t.Errorf("pull of one file by another name said %q", said)
	}
	if content, err := os.ReadFile(filepath.Join(again, "A.x.io_v1_v2.wasm")); err != nil || string(content) != "\x00asm" {
		t.Errorf("%q, %v", content, err)
	}
	stop()
	if _, said := runs(command.ExitOK, "pull", ref, to); !strings.Contains(said, to+" keeps the files of sha256:") {
		t.Errorf("without a registry pull said %q", said)
	}
	runs(command.ExitOK, "pull", pushed, to)
	runs(command.ExitError, "pull", ref, filepath.Join(t.TempDir(), "empty"))
	runs(command.ExitError, "pull", ref[:strings.LastIndex(ref, ":")]+"@sha256:"+strings.Repeat("0", 64), to)
	for _, tc := range [][]string{{"push", ref}, {"pull", ref}, {"pull", ref, to, "more"}, {"pull", "--watch", "0s", ref, to}, {"push", ref, "missing"}} {
		runs(command.ExitError, tc...)
	}
	if err := os.WriteFile(filepath.Join(from, "crontab.wasm"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, said := runs(command.ExitFinding, "push", ref, from); !strings.Contains(said, "a gateway would ignore") {
		t.Errorf("a wrong name: %q", said)
	}
	if _, said := runs(command.ExitFinding, "push", ref, os.Args[0]); !strings.Contains(said, "no module in 1 file: ") {
		t.Errorf("no module: %q", said)
	}
}
