package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// sources are the settings of the Go toolchain that say where modules and caches are. The bytes of
// a program do not depend on them, because go.sum has the digests of all modules.
var sources = []string{"GOPROXY", "GOSUMDB", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOINSECURE", "GOAUTH", "GOVCS", "GOMODCACHE", "GOCACHE"}

// toolchain returns the environment in which the Go toolchain makes a release: the person's, with
// every setting that changes the bytes of a program at its default. GOENV=off ignores the settings
// of go env -w, so those of sources are read before.
func toolchain(ctx context.Context) ([]string, error) {
	out, err := exec.CommandContext(ctx, "go", append([]string{"env"}, sources...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	environment := append(os.Environ(),
		"GOENV=off", "GOFLAGS=", "GOWORK=off", "GO111MODULE=on", "GOTOOLCHAIN=local",
		"GOEXPERIMENT=", "GOFIPS140=off", "GODEBUG=", "CGO_ENABLED=0",
		"GOAMD64=v1", "GOARM64=v8.0")
	for i, value := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		environment = append(environment, sources[i]+"="+value)
	}
	return environment, nil
}

// goCommand is the Go toolchain with the arguments, for the platform of a target, in the directory of
// its module.
func (t target) goCommand(ctx context.Context, args ...string) (*exec.Cmd, error) {
	environment, err := toolchain(ctx)
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = t.module()
	command.Env = append(environment, "GOOS="+t.os, "GOARCH="+t.arch)
	command.Stderr = os.Stderr
	return command, nil
}
