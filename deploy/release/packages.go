package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/sdk"
)

// packages writes the archives of the SDKs and of the chart.
func (r release) packages(ctx context.Context) error {
	for _, language := range sdk.Languages() {
		if err := r.sdk(language); err != nil {
			return fmt.Errorf("SDK for %s: %w", language, err)
		}
	}
	return r.chart(ctx)
}

// sdk writes the archive of one SDK, in the form of its language's registry where there is one: a
// package of npm has its files below package/, a crate below NAME-VERSION/.
func (r release) sdk(language string) error {
	number := strings.TrimPrefix(r.version, "v")
	files, err := sdk.Files(language)
	if err != nil {
		return err
	}
	name, prefix := fmt.Sprintf("crosswalk-sdk-%s-%s.tar.gz", language, number), fmt.Sprintf("crosswalk-sdk-%s-%s", language, number)
	switch language {
	case "assemblyscript", "javascript":
		name, prefix = fmt.Sprintf("crosswalk-%s-%s.tgz", language, number), "package"
	case "rust":
		name, prefix = fmt.Sprintf("crosswalk-%s.crate", number), "crosswalk-"+number
	}
	entries, err := tree(files, prefix)
	if err != nil {
		return err
	}
	readme, err := os.ReadFile(filepath.Join("sdk", language, "README.md"))
	if err != nil {
		return err
	}
	entries = append(entries, entry{path.Join(prefix, "README.md"), 0o644, readme})
	if language == "javascript" {
		built, err := engineOf(prefix)
		if err != nil {
			return err
		}
		entries = append(entries, built...)
	}
	// npm ignores the lock file of a package, which has the version of the tree.
	entries = slices.DeleteFunc(entries, func(e entry) bool { return path.Base(e.name) == "package-lock.json" })
	for i, e := range entries {
		switch path.Base(e.name) {
		case "package.json", "Cargo.toml", "Cargo.lock":
			entries[i].content = publishable(withVersion(e.content, number))
		}
	}
	return writeArchive(r.path(name), entries)
}

// engineOf returns the files of the package for JavaScript that make engine builds: npm does not
// build a package that it installs from an archive. The licences of their parts go with them.
func engineOf(prefix string) (entries []entry, err error) {
	for _, name := range []string{"build/engine.wasm", "build/native.wasm", "build/vectors.mjs"} {
		content, err := os.ReadFile(filepath.Join("sdk", "javascript", name))
		if err != nil {
			return nil, fmt.Errorf("%w: run make engine", err)
		}
		entries = append(entries, entry{path.Join(prefix, name), 0o644, content})
	}
	found := legals{}
	if err := found.parts("crosswalk"); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "The licences of the software in engine.wasm\n")
	found.write(&text)
	return append(entries, entry{path.Join(prefix, "build", licensesFile), 0o644, text.Bytes()}), nil
}

// unpublishable are the lines that keep npm and cargo from publishing a package of the tree by
// mistake, before it has the version of a release, and the script that builds the engine, about
// which npm warns: the release has the engine.
var unpublishable = regexp.MustCompile(`(?m)^(\s*"private":\s*true,|\s*"prepare":.*,|publish\s*=\s*false)\n`)

// publishable removes them.
func publishable(content []byte) []byte { return unpublishable.ReplaceAll(content, nil) }

var (
	jsonVersion = regexp.MustCompile(`(?m)^(\s*"version":\s*")[^"]*(")`)
	tomlVersion = regexp.MustCompile(`(?m)^(version\s*=\s*")[^"]*(")`)
)

// withVersion sets the version of a package.json or Cargo.toml, the first of the file.
func withVersion(content []byte, number string) []byte {
	for _, pattern := range []*regexp.Regexp{jsonVersion, tomlVersion} {
		if at := pattern.FindSubmatchIndex(content); at != nil {
			return bytes.Join([][]byte{content[:at[3]], []byte(number), content[at[4]:]}, nil)
		}
	}
	return content
}

// trackedChart returns the entries of the chart that are in the list of git's files.
func trackedChart(entries []entry, files []string) []entry {
	return slices.DeleteFunc(entries, func(e entry) bool {
		return !slices.Contains(files, "deploy/chart/"+strings.TrimPrefix(e.name, "crosswalk/"))
	})
}

// chart writes the Helm chart as helm package does, with the release's version. Files that git
// ignores, such as those of editors, are left out.
func (r release) chart(ctx context.Context) error {
	dir := filepath.Join("deploy", "chart")
	entries, err := tree(os.DirFS(dir), "crosswalk")
	if err != nil {
		return err
	}
	tracked, err := git(ctx, "ls-files", "--", dir)
	if err != nil {
		return err
	}
	entries = trackedChart(entries, strings.Split(tracked, "\n"))
	number := strings.TrimPrefix(r.version, "v")
	for i, e := range entries {
		if e.name == "crosswalk/Chart.yaml" {
			content := chartVersion.ReplaceAll(e.content, []byte("version: "+number))
			entries[i].content = appVersion.ReplaceAll(content, []byte("appVersion: "+r.version))
		}
	}
	return writeArchive(r.path("crosswalk-chart-"+number+".tgz"), entries)
}

var (
	chartVersion = regexp.MustCompile(`(?m)^version:.*$`)
	appVersion   = regexp.MustCompile(`(?m)^appVersion:.*$`)
)
