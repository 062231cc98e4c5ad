package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/crosswalk-gateway/crosswalk/sdk"
)

// Write writes a project for a language to dir, which must not exist or be empty, and returns the
// files' names, sorted.
//
// # Errors
//
// The error names the language, the directory, or the file that could not be written. Write removes
// the files of a project that it could not complete.
func Write(dir, language string, p Project) (names []string, err error) {
	if !slices.Contains(Languages(), language) {
		return nil, fmt.Errorf("no project can be made for language %q: there are %s", language, strings.Join(Languages(), ", "))
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file: name a directory that does not exist yet", dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("%s is not empty: name a directory that does not exist yet", dir)
	}
	fresh := err != nil
	p.language = language
	files := map[string][]byte{}
	for _, from := range []string{"common", language} {
		if err := p.render(files, path.Join("templates", from)); err != nil {
			return nil, err
		}
	}
	if p.Definition != "" {
		files[p.Definition] = p.DefinitionText
	}
	for _, name := range sdksOf(language) {
		if err := addSDK(files, name); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		target := filepath.Join(dir, filepath.FromSlash(name))
		names = append(names, name)
		if err = os.MkdirAll(filepath.Dir(target), 0o755); err == nil {
			err = os.WriteFile(target, files[name], 0o644)
		}
		if err != nil {
			if remove(dir, names); fresh {
				_ = os.Remove(dir) // fails if another process has put a file into it
			}
			return nil, err
		}
	}
	return names, nil
}

// remove removes the files that Write wrote, so that no partial project remains and the same
// command works once the disk has room. It ignores files that it cannot remove, because the caller
// returns an error already.
func remove(dir string, names []string) {
	for _, name := range slices.Backward(names) {
		for at := name; at != "."; at = path.Dir(at) {
			_ = os.Remove(filepath.Join(dir, filepath.FromSlash(at))) // a directory only if it is empty
		}
	}
}

// copies is the template that lists the SDK files that a project copies, one per line:
// c/crosswalk.h crosswalk.h.
const copies = "copies.tmpl"

// render renders the templates of one directory.
func (p Project) render(files map[string][]byte, root string) error {
	return fs.WalkDir(templates, root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := templates.ReadFile(file)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(file, root+"/")
		content, err := p.fill(name, string(text))
		if err != nil {
			return err
		}
		if name == copies {
			return copyFiles(files, string(content))
		}
		name = strings.TrimSuffix(name, ".tmpl")
		name = strings.ReplaceAll(name, "MODULE", p.Module()) // files that are named for the module
		if base, hidden := strings.CutPrefix(path.Base(name), "dot."); hidden {
			name = path.Join(path.Dir(name), "."+base)
		}
		files[name] = content
		return nil
	})
}

func (p Project) fill(name, text string) ([]byte, error) {
	t, err := template.New(name).Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func copyFiles(files map[string][]byte, list string) error {
	for line := range strings.Lines(list) {
		from, to, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		language, file, _ := strings.Cut(from, "/")
		source, err := sdk.Files(language)
		if err != nil {
			return err
		}
		if files[to], err = fs.ReadFile(source, file); err != nil {
			return err
		}
	}
	return nil
}

// sdksOf returns the SDKs that a project has below sdk/.
func sdksOf(language string) []string {
	switch language {
	case "c", "cpp", "javascript":
		return nil // their few files lie beside the project's own: see copies
	}
	return []string{language}
}

// addSDK adds the SDK of a language, below sdk/.
func addSDK(files map[string][]byte, language string) error {
	source, err := sdk.Files(language)
	if err != nil {
		return err
	}
	if language == "go" {
		files["sdk/go.mod"] = sdk.GoMod
	}
	return fs.WalkDir(source, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(source, name)
		files[path.Join("sdk", language, name)] = content
		return err
	})
}
