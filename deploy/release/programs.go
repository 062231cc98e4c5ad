package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// target is a program for a platform.
type target struct{ program, os, arch string }

// targets returns the programs of a release. The gateway and the controller run in clusters, the
// tool on the machines of authors and operators, too.
func targets() []target {
	return []target{
		{"gateway", "linux", "amd64"}, {"gateway", "linux", "arm64"},
		{"controller", "linux", "amd64"}, {"controller", "linux", "arm64"},
		{"crosswalk", "linux", "amd64"}, {"crosswalk", "linux", "arm64"},
		{"crosswalk", "darwin", "amd64"}, {"crosswalk", "darwin", "arm64"},
		{"crosswalk", "windows", "amd64"},
	}
}

// file is the name of a target's binary in the release.
func (t target) file(version string) string {
	return fmt.Sprintf("%s-%s-%s-%s", t.program, version, t.os, t.arch) + t.extension()
}

// module is the directory of the Go module that has a target's program: the gateway's requirements are
// not the tool's.
func (t target) module() string {
	if t.program == "gateway" {
		return "."
	}
	return "cmd/crosswalk"
}

// path is the package of a target's program in its module.
func (t target) path() string {
	switch t.program {
	case "gateway":
		return "./cmd/gateway"
	case "crosswalk":
		return "."
	}
	return "./" + t.program
}

func (t target) extension() string {
	if t.os == "windows" {
		return ".exe"
	}
	return ""
}

// programs builds all binaries, and a bill of materials for each. A platform takes some six minutes of
// CPU, most of them for Kubernetes' libraries.
func (r release) programs(ctx context.Context) error {
	for _, t := range targets() {
		_, _ = fmt.Fprintf(os.Stderr, "building %s for %s/%s\n", t.program, t.os, t.arch)
		if err := r.build(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// build makes a program.
func (r release) build(ctx context.Context, t target) error {
	file := r.path(t.file(r.version))
	absolute, err := filepath.Abs(file) // go runs in another directory
	if err != nil {
		return err
	}
	const stamp = "github.com/crosswalk-gateway/crosswalk/internal/buildinfo"
	// -trimpath and no version control stamp: the bytes do not depend on the directory or the tags.
	// -s -w: without symbol table and DWARF; stack traces keep their names and lines.
	command, err := t.goCommand(ctx, "build", "-trimpath", "-buildvcs=false", "-o", absolute,
		"-ldflags", fmt.Sprintf("-s -w -buildid= -X %[1]s.version=%[2]s -X %[1]s.revision=%[3]s", stamp, r.version, r.revision), t.path())
	if err != nil {
		return err
	}
	if err := command.Run(); err != nil {
		return fmt.Errorf("building %s for %s/%s: %w", t.program, t.os, t.arch, err)
	}
	return billOfMaterials(file, r.version, parts(t.program))
}
