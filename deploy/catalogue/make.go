package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// make adopts a kind and writes the module and its sidecar. An error is a reason not to publish it.
func (o options) make(ctx context.Context, e *entry) error {
	op := e.operator
	e.Entry = Entry{
		Operator: op.Name, Version: op.Version, Kind: e.kind.Kind, Group: e.kind.Group,
		Repository: RepositoryOf(e.kind.Kind, e.kind.Group), Verdict: "not adopted", Page: op.page() + ".md",
	}
	e.project, e.dir = filepath.Join(o.out, "projects", e.Repository), filepath.Join(o.out, "entries", e.Repository)
	work := filepath.Join(o.out, "work") // without a go.mod, as for a person without a clone of the operator
	for _, dir := range []string{work, e.project, e.dir} {
		if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
			return err
		}
	}
	from, err := op.download(ctx, work)
	if err != nil {
		return err
	}
	for _, l := range e.kind.Losses {
		if err := from.quotes(l); err != nil {
			return err
		}
	}
	definition, err := findDefinition(filepath.Join(from.files, e.kind.CRD), e.Name())
	if err != nil {
		return err
	}
	if err := o.adopt(ctx, work, e); err != nil {
		return err
	}
	if e.samples, err = findSamples(from, e, definition); err != nil {
		return err
	}
	if err := e.writeSidecar(ctx); err != nil {
		return err
	}
	return o.losses(ctx, e, definition)
}

// adopt runs crosswalk adopt, and copies the module to the entry if its verdict is equal. Only the
// smallest file is published: a gateway reads zstd.
func (o options) adopt(ctx context.Context, work string, e *entry) error {
	if len(e.kind.Accept) > 0 {
		if err := os.WriteFile(filepath.Join(e.project, "adopt.lock"), []byte(strings.Join(e.kind.Accept, "\n")+"\n"), 0o644); err != nil {
			return err
		}
	}
	args := append([]string{"adopt", "--kind", e.Name(), "--dir", e.project}, e.operator.patterns()...)
	if e.kind.SetUp != "" {
		file, err := filepath.Abs(filepath.Join(e.operator.dir, e.kind.SetUp))
		if err != nil {
			return err
		}
		args = append(args, "--set-up", file)
	}
	_, failed := command(ctx, work, o.program, args...)
	v, err := readVerdict(e.project)
	if err != nil {
		return errors.Join(failed, err)
	}
	e.Verdict, e.Accepted, e.Blocks, e.Ran = v.Verdict, v.Accepted, v.Coverage.Blocks, v.Coverage.Ran
	for _, p := range v.Pairs {
		e.Compared += p.Compared
	}
	switch {
	case v.Verdict != Equal:
		return fmt.Errorf("crosswalk adopt calls the module %s: %s", v.Verdict, strings.Join(v.Reasons, "; "))
	case failed != nil:
		return failed
	}
	modules, err := filepath.Glob(filepath.Join(e.project, "*.wasm.zst"))
	if err != nil || len(modules) != 1 {
		return fmt.Errorf("%s has %d modules in zstd, not one", e.project, len(modules))
	}
	e.Module = filepath.Base(modules[0])
	e.Versions = strings.Split(strings.TrimSuffix(e.Module, ".wasm.zst"), "_")[1:]
	content, err := os.ReadFile(modules[0])
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(e.dir, e.Module), content, 0o644)
}
