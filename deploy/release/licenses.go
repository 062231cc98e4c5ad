package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licensesFile has the licence of the programs and those of all that is linked into them. It is a
// file of the release and of each image.
const licensesFile = "LICENSES.txt"

// isLicense tells the files that a program must carry from the others of a directory.
var isLicense = regexp.MustCompile(`(?i)^(licen[cs]es?|copying|copyright|notices?|patents|unlicense)([.-].*)?$`)

// legal is a text, and the software that it is for: "in which programs" by "software, file".
type legal struct {
	text []byte
	of   map[string]map[string]bool
}

// legals are texts by their digests, because many modules have the same one.
type legals map[[sha256.Size]byte]*legal

func (l legals) add(program, file string, text []byte) {
	text = bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	sum := sha256.Sum256(text)
	if l[sum] == nil {
		l[sum] = &legal{text, map[string]map[string]bool{}}
	}
	if l[sum].of[file] == nil {
		l[sum].of[file] = map[string]bool{}
	}
	l[sum].of[file][program] = true
}

// licenses writes licensesFile for all programs.
func (r release) licenses(ctx context.Context) error { return r.licensesOf(ctx, targets()) }

func (r release) licensesOf(ctx context.Context, targets []target) error {
	own, err := os.ReadFile("sdk/LICENSE")
	if err != nil {
		return err
	}
	lock, err := os.ReadFile("sdk/javascript/package-lock.json")
	if err != nil {
		return err
	}
	if err := checkParts(lock); err != nil {
		return err
	}
	found := legals{}
	for _, t := range targets {
		if err := found.linked(ctx, t); err != nil {
			return fmt.Errorf("%s for %s/%s: %w", t.program, t.os, t.arch, err)
		}
		if err := found.parts(t.program); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "Crosswalk %s\n\n%s\n", r.version, bytes.TrimSpace(own))
	found.write(&text)
	return os.WriteFile(r.path(licensesFile), text.Bytes(), 0o644)
}

// linked adds the texts of the Go modules, and of Go itself, that a target links. A text counts if
// it lies in the directory of a linked package or above it in its module.
func (l legals) linked(ctx context.Context, t target) error {
	command, err := t.goCommand(ctx, "list", "-deps", "-json=Dir,Standard,Module", t.path())
	if err != nil {
		return err
	}
	out, err := command.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	type module struct {
		Path, Version, Dir string
		Replace            *module
	}
	licensed, goRoot := map[string]bool{}, ""
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir      string
			Standard bool
			Module   *module
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		if p.Standard && goRoot == "" {
			goRoot, _, _ = strings.Cut(filepath.ToSlash(p.Dir), "/src/")
		}
		if p.Module == nil || isOwn(p.Module.Path) {
			continue
		}
		m := p.Module
		if m.Replace != nil {
			m = m.Replace
		}
		name := m.Path + " " + m.Version
		n, err := l.directories(t.program, name, p.Dir, m.Dir)
		if err != nil {
			return err
		}
		licensed[name] = licensed[name] || n > 0
	}
	if err := allLicensed(licensed); err != nil {
		return err
	}
	n, err := l.directories(t.program, "Go's standard library", goRoot, goRoot)
	if err == nil && n == 0 {
		err = fmt.Errorf("there is no file with Go's licence in %s", goRoot)
	}
	return err
}

// allLicensed fails for the first module, by name, that is not licensed.
func allLicensed(modules map[string]bool) error {
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		if !modules[name] {
			return fmt.Errorf("the module %s has no file with a licence: nobody may distribute it", name)
		}
	}
	return nil
}

// directories adds the texts in a directory and in those above it, up to and including the last
// one. It returns their number.
func (l legals) directories(program, name, dir, last string) (n int, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		entries, err := os.ReadDir(at)
		if err != nil {
			return n, err
		}
		for _, e := range entries {
			if e.IsDir() || !isLicense.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(at, e.Name()))
			if err != nil {
				return n, err
			}
			file, err := filepath.Rel(last, filepath.Join(at, e.Name()))
			if err != nil {
				return n, err
			}
			l.add(program, name+", "+filepath.ToSlash(file), text)
			n++
		}
		if at == last || len(at) <= len(last) {
			return n, nil
		}
	}
}

// parts adds the texts of the software in a program that is not Go.
func (l legals) parts(program string) error {
	for _, p := range parts(program) {
		for _, name := range p.texts {
			text, err := p.read(name)
			if err != nil {
				return err
			}
			l.add(program, strings.TrimSpace(p.name+" "+p.version)+", "+filepath.Base(name), text)
		}
	}
	return nil
}

// write writes each text once, after the list of the software that it is for.
func (l legals) write(out *bytes.Buffer) {
	all := slices.Collect(maps.Values(l))
	first := func(of legal) string { return slices.Min(slices.Collect(maps.Keys(of.of))) }
	slices.SortFunc(all, func(a, b *legal) int { return strings.Compare(first(*a), first(*b)) })
	for _, one := range all {
		fmt.Fprintf(out, "\n%s\n\n", strings.Repeat("=", 80))
		for _, file := range slices.Sorted(maps.Keys(one.of)) {
			fmt.Fprintf(out, "%s (in %s)\n", file, strings.Join(slices.Sorted(maps.Keys(one.of[file])), ", "))
		}
		fmt.Fprintf(out, "\n%s\n", one.text)
	}
}
