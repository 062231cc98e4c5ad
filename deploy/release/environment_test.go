package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hostileEnvironment sets all that would change the bytes of a program, in the environment and as
// go env -w does.
func hostileEnvironment(t *testing.T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(file, []byte("GOEXPERIMENT=jsonv2\nGOFLAGS=-tags=timetzdata\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"GOENV": file, "GOFLAGS": "-tags=timetzdata", "GOEXPERIMENT": "jsonv2", "GOTOOLCHAIN": "auto", "GOFIPS140": "latest", "GOAMD64": "v3", "GOARM64": "v9.0", "CGO_ENABLED": "1",
		"GOWORK": filepath.Join(t.TempDir(), "go.work"), "GO111MODULE": "off",
	} {
		t.Setenv(name, value)
	}
}

func TestToolchainIgnoresSettingsThatChangePrograms(t *testing.T) {
	inRepository(t)
	hostileEnvironment(t)
	t.Setenv("GOPROXY", "https://proxy.example.com")
	for _, tc := range []struct {
		target target
		name   string
		want   string
	}{
		{target{"gateway", "linux", "amd64"}, "GOAMD64", "v1"},
		{target{"gateway", "linux", "arm64"}, "GOARM64", "v8.0"},
		{target{"crosswalk", "windows", "amd64"}, "GOOS", "windows"},
		{target{"crosswalk", "darwin", "arm64"}, "GOARCH", "arm64"},
		{target{"gateway", "linux", "amd64"}, "GOEXPERIMENT", ""},
		{target{"gateway", "linux", "amd64"}, "GOFIPS140", "off"},
		{target{"gateway", "linux", "amd64"}, "GOFLAGS", ""},
		{target{"gateway", "linux", "amd64"}, "GOTOOLCHAIN", "local"},
		{target{"gateway", "linux", "amd64"}, "GOWORK", "off"},
		{target{"gateway", "linux", "amd64"}, "GO111MODULE", "on"},
		{target{"gateway", "linux", "amd64"}, "CGO_ENABLED", "0"},
		{target{"gateway", "linux", "amd64"}, "GOPROXY", "https://proxy.example.com"}, // only says where modules come from
	} {
		command, err := tc.target.goCommand(context.Background(), "env", tc.name)
		if err != nil {
			t.Fatal(err)
		}
		out, err := command.Output()
		if got := strings.TrimSpace(string(out)); err != nil || got != tc.want {
			t.Errorf("%s is %q for %v (%v), want %q", tc.name, got, tc.target, err, tc.want)
		}
	}
}
