package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

func (t target) extension() string {
	if t.os == "windows" {
		return ".exe"
	}
	return ""
}

// programs builds all binaries, and a bill of materials for each. One build makes all programs of a
// platform: the linker of one runs beside the compiler of another. A platform takes some six minutes of
// CPU, most of them for Kubernetes' libraries.
func (r release) programs(ctx context.Context) error {
	built := map[[2]string]bool{}
	for _, t := range targets() {
		platform := [2]string{t.os, t.arch}
		if built[platform] {
			continue
		}
		built[platform] = true
		_, _ = fmt.Fprintf(os.Stderr, "building for %s/%s\n", t.os, t.arch)
		if err := r.build(ctx, slices.DeleteFunc(targets(), func(other target) bool {
			return other.os != t.os || other.arch != t.arch
		})); err != nil {
			return err
		}
	}
	return nil
}

// build makes programs of one platform.
func (r release) build(ctx context.Context, programs []target) error {
	dir, err := os.MkdirTemp(r.out, "build")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // of no use after a failure, either
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	const stamp = "github.com/crosswalk-gateway/crosswalk/internal/buildinfo"
	// -trimpath and no version control stamp: the bytes do not depend on the directory or the tags.
	// -s -w: without symbol table and DWARF; stack traces keep their names and lines.
	args := []string{"build", "-trimpath", "-buildvcs=false", "-o", absolute,
		"-ldflags", fmt.Sprintf("-s -w -buildid= -X %[1]s.version=%[2]s -X %[1]s.revision=%[3]s", stamp, r.version, r.revision)}
	for _, t := range programs {
		args = append(args, "./cmd/"+t.program)
	}
	command, err := programs[0].goCommand(ctx, args...)
	if err != nil {
		return err
	}
	if err := command.Run(); err != nil {
		return fmt.Errorf("building for %s/%s: %w", programs[0].os, programs[0].arch, err)
	}
	for _, t := range programs {
		file := r.path(t.file(r.version))
		if err := os.Rename(filepath.Join(dir, t.program+t.extension()), file); err != nil {
			return err
		}
		if err := billOfMaterials(file, r.version, parts(t.program)); err != nil {
			return err
		}
	}
	return nil
}
