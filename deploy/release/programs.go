package main

import (
	"context"
	"fmt"
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
	name := fmt.Sprintf("%s-%s-%s-%s", t.program, version, t.os, t.arch)
	if t.os == "windows" {
		name += ".exe"
	}
	return name
}

// programs builds all binaries, and a bill of materials for each.
func (r release) programs(ctx context.Context) error {
	for _, t := range targets() {
		if err := r.program(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

func (r release) program(ctx context.Context, t target) error {
	file, err := filepath.Abs(r.path(t.file(r.version)))
	if err != nil {
		return err
	}
	const stamp = "github.com/crosswalk-gateway/crosswalk/internal/buildinfo"
	// -trimpath and no version control stamp: the bytes do not depend on the directory or the tags.
	// -s -w: without symbol table and DWARF; stack traces keep their names and lines.
	build, err := t.goCommand(ctx, "build", "-trimpath", "-buildvcs=false", "-o", file,
		"-ldflags", fmt.Sprintf("-s -w -buildid= -X %[1]s.version=%[2]s -X %[1]s.revision=%[3]s", stamp, r.version, r.revision),
		"./cmd/"+t.program)
	if err != nil {
		return err
	}
	if err := build.Run(); err != nil {
		return fmt.Errorf("building %s: %w", filepath.Base(file), err)
	}
	return billOfMaterials(file, r.version, parts(t.program))
}
