// Command release makes the files of a release: binaries, an image of each program, the chart, the
// SDKs' packages, bills of materials, licences, a guide to the files and checksums. Two runs on one
// revision with one Go toolchain make the same bytes. It publishes nothing.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
)

var isVersion = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

func main() {
	version := flag.String("version", "", "version of the release, such as v0.1.0")
	out := flag.String("out", "bin/release", "directory for the files; it is emptied first")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *version, *out); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, version, out string) error {
	if !isVersion.MatchString(version) {
		return fmt.Errorf("the version must be like v0.1.0, not %q", version)
	}
	revision, err := cleanRevision(ctx)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	r := release{version, revision, out}
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"programs", r.programs}, {"licences", r.licenses}, {"the plugin for krew", r.krew}, {"images", r.images}, {"packages", r.packages}, {"the guide", r.guide}, {"checksums", r.checksums},
	} {
		_, _ = fmt.Fprintln(os.Stderr, "making", step.name)
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("making %s: %w", step.name, err)
		}
	}
	return nil
}
