// Package adopt makes converter modules of the Go types that an operator has: it copies the
// declarations that the conversions need into a small project, builds that, and compares the module
// with the operator's own code.
package adopt

import (
	"context"
	"encoding/json"
	"fmt"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Options select the conversions to adopt.
type Options struct {
	Packages []string // import paths or patterns, or path@version
	Kind     string   // Kind or Kind.group; "" means all
	Dir      string   // to write to; each of several kinds has a directory in it
	Program  string   // crosswalk, for the test; the Makefile finds it in PATH
	Opaque   bool
	Check    bool
	Test     bool
	Out      io.Writer
	// Try loads a module as a gateway does, and measures it on an object in the versions from and
	// to.
	Try func(ctx context.Context, module string, pairs []Measurement) (load time.Duration, err error)
}

// Measurement is one direction that Try measures.
type Measurement struct {
	From, To     string
	Object       []byte
	One, InAList time.Duration // of CPU, for one object: by itself, and in a list of 1,000
}

// Runs is how often a time is measured. The least counts: other work on the machine makes the
// others longer.
const Runs = 10

// Run adopts the kinds that the packages convert.
func Run(ctx context.Context, o Options) error {
	work, temporary, patterns := ".", false, o.Packages
	if slices.ContainsFunc(patterns, hasVersion) {
		if i := slices.IndexFunc(patterns, func(p string) bool { return !hasVersion(p) }); i >= 0 {
			return fmt.Errorf("%s has no version: name a version for all packages, or for none", patterns[i])
		}
		dir, err := os.MkdirTemp("", "crosswalk-adopt")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		work, temporary = dir, true
		if patterns, err = fetch(ctx, dir, patterns); err != nil {
			return err
		}
	}
	around, err := lookAround(ctx, work)
	if err != nil {
		return err
	}
	p, err := load(ctx, work, patterns)
	if err != nil {
		return err
	}
	kinds, notes := p.find()
	if o.Kind != "" {
		kinds = slices.DeleteFunc(kinds, func(k kind) bool { return o.Kind != k.name && o.Kind != k.name+"."+k.group })
		if len(kinds) > 0 {
			notes = nil
		}
	}
	for _, n := range notes {
		fmt.Fprintf(o.Out, "note: %s\n", n)
	}
	if len(kinds) == 0 {
		return fmt.Errorf("the packages %s convert no kind%s: name the packages of all versions, those with Hub, ConvertTo and ConvertFrom, or with conversion-gen's functions", strings.Join(patterns, " "), ofName(o.Kind))
	}
	for _, k := range kinds {
		dir := o.Dir
		if dir == "" {
			dir = "crosswalk-" + strings.ToLower(k.name)
		} else if len(kinds) > 1 {
			dir = filepath.Join(dir, strings.ToLower(k.name))
		}
		if dir, err = filepath.Abs(dir); err != nil {
			return err
		}
		if err := o.adopt(ctx, p, k, around, dir, temporary); err != nil {
			return fmt.Errorf("%s.%s: %w", k.name, k.group, err)
		}
	}
	return nil
}

func hasVersion(pattern string) bool { return strings.Contains(pattern, "@") }

func ofName(kind string) string {
	if kind == "" {
		return ""
	}
	return " " + kind
}

// adopt makes the project of one kind.
func (o Options) adopt(ctx context.Context, p *program, k kind, around surroundings, dir string, temporary bool) error {
	var versions []string
	for _, v := range k.versions() {
		versions = append(versions, v.apiVersion)
	}
	r := &report{out: o.Out}
	r.line("%s.%s: the hub is %s, which %s convert to and from", k.name, k.group, versions[0], strings.Join(versions[1:], ", "))
	x, hidden, err := o.extract(p, k)
	if err != nil {
		return err
	}
	lock, err := o.lock(x, k)
	if err != nil {
		return err
	}
	if o.Check {
		return check(dir, lock)
	}
	files, err := x.files()
	if err != nil {
		return err
	}
	copied := 0
	for _, f := range files {
		copied += f.bytes
	}
	r.line("copied %d of %d declarations, %d KB", len(x.reached), len(x.units), copied>>10)
	r.leftOut(x)
	if x.kept != "" {
		r.line("conversions use encoding/json itself, because %s", x.kept)
	}
	hidden.report(r)

	if err := clean(dir); err != nil {
		return err
	}
	if err := writeVendor(dir, files); err != nil {
		return err
	}
	all, err := around.requirements(dir, temporary, p)
	if err != nil {
		return err
	}
	path := around.mod.Module.Path + "/crosswalk-" + strings.ToLower(k.name)
	if err := writeModule(dir, path, around, all, p, files); err != nil {
		return err
	}
	made := project{kind: k, Module: k.file(), Tags: noJSON, Opaque: len(hidden.types) > 0, Metadata: hidden.metadata, Command: o.command(k)}
	if err := writeProject(dir, made); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "adopt.lock"), lock, 0o644); err != nil {
		return err
	}
	file := filepath.Join(dir, made.Module)
	load, err := o.buildAndTry(ctx, r, dir, &made)
	if err != nil {
		return err
	}
	size, err := compress(ctx, file)
	if err != nil {
		return err
	}
	r.line("%s: %.1f MB; .gz %.2f MB, .zst %.2f MB; %s; loads in %.1f s of CPU", made.Module, mega(size.raw), mega(size.gzip), mega(size.zstd), room(size.zstd), load.Seconds())
	parts, err := portions(ctx, dir, made.Tags)
	if err != nil {
		return err
	}
	r.bytes(parts)
	if o.Test {
		if err := o.compare(ctx, r, dir, file); err != nil {
			return err
		}
	}
	return r.write(dir)
}

// extract copies the declarations that the kind needs, with opaque types if the options ask for
// them.
func (o Options) extract(p *program, k kind) (*extraction, *opaque, error) {
	var roots []types.Object
	for _, v := range k.versions() {
		roots = append(roots, v.named.Obj())
		if v.to != nil {
			roots = append(roots, v.to, v.from)
		}
	}
	if hub := method(k.hub.named, "Hub"); hub != nil {
		roots = append(roots, hub)
	}
	hidden, err := findOpaque(p, roots, k, o.Opaque)
	if err != nil {
		return nil, nil, err
	}
	x, err := extract(p, roots, hidden, true)
	if err != nil {
		return nil, nil, err
	}
	if x.kept = x.needsJSON(); x.kept != "" {
		kept := x.kept
		if x, err = extract(p, roots, hidden, false); err != nil {
			return nil, nil, err
		}
		x.kept = kept
	}
	for t := range hidden.types { // those that are in opaque types only are gone
		if u := x.units[t]; u == nil || !x.reached[u] {
			delete(hidden.types, t)
		}
	}
	return x, hidden, nil
}

// command is the line that makes the project again.
func (o Options) command(k kind) string {
	line := "adopt " + strings.Join(o.Packages, " ") + " --kind " + k.name
	if o.Dir != "" {
		line += " --dir " + o.Dir
	}
	if !o.Opaque {
		line += " --opaque=off"
	}
	return line
}

// buildAndTry builds the module without encoding/json, and with it if a type needs it.
func (o Options) buildAndTry(ctx context.Context, r *report, dir string, made *project) (time.Duration, error) {
	if err := build(ctx, dir, made.Module, made.Tags, stripped); err != nil {
		return 0, err
	}
	load, err := o.Try(ctx, filepath.Join(dir, made.Module), nil)
	if err == nil || !strings.Contains(err.Error(), "needs encoding/json") {
		return load, err
	}
	r.line("the module needs encoding/json: %v", err)
	made.Tags = ""
	if err := writeProject(dir, *made); err != nil {
		return 0, err
	}
	if err := build(ctx, dir, made.Module, "", stripped); err != nil {
		return 0, err
	}
	return o.Try(ctx, filepath.Join(dir, made.Module), nil)
}

// compare runs the generated test and prints the verdict.
func (o Options) compare(ctx context.Context, r *report, dir, file string) error {
	report := filepath.Join(dir, ".report.json")
	defer func() { _ = os.Remove(report) }()
	if out, err := test(ctx, dir, o.Program, report); err != nil {
		return fmt.Errorf("the module is not equal to the operator's code, or cannot be compared: %w\n%s", err, out)
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return err
	}
	var found struct {
		Pairs []struct {
			From, To                    string
			Compared, Refused, Panicked int
			Native, NativeInAList       time.Duration
			Sample                      json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &found); err != nil {
		return err
	}
	var measured []Measurement
	for _, pair := range found.Pairs {
		measured = append(measured, Measurement{From: pair.From, To: pair.To, Object: pair.Sample})
	}
	if _, err := o.Try(ctx, file, measured); err != nil {
		return err
	}
	for i, pair := range found.Pairs {
		line := fmt.Sprintf("%s to %s: equal for %d objects, %d of them refused", pair.From, pair.To, pair.Compared, pair.Refused)
		if pair.Panicked > 0 {
			line += fmt.Sprintf(" (%d more make the operator's code panic)", pair.Panicked)
		}
		if m := measured[i]; m.One > 0 {
			line += fmt.Sprintf("; a review of an object of %d bytes takes %d µs, native %d µs (%.2f); in a list of 1,000, an object takes %d µs, native %d µs (%.2f)", len(m.Object),
				m.One.Microseconds(), pair.Native.Microseconds(), float64(pair.Native)/float64(m.One),
				m.InAList.Microseconds(), pair.NativeInAList.Microseconds(), float64(pair.NativeInAList)/float64(m.InAList))
		}
		r.line("%s", line)
	}
	return nil
}
