// Package manifest finds objects of a kind in files of YAML and JSON that people keep, and rewrites
// them in place. It knows no modules: the caller converts.
//
// It edits text, because libraries for YAML keep most comments, and none keeps indentation, empty
// lines and quotes: a diff would show the whole file. The editor takes the places of values from the
// parser and replaces only the text of those that differ. It parses the result and refuses the file
// unless that has exactly the converted value, so a mistake of the editor costs a manual edit and
// never a field.
package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/yamlfile"
	"go.yaml.in/yaml/v3"
)

// endings are the endings of files with manifests or templates of them.
var endings = []string{".yaml", ".yml", ".json", ".tpl", ".gotmpl"}

// kustomizations are the names of kustomize's files.
var kustomizations = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// Files returns a file, or the files of a directory that may have manifests, without those of .git.
// It follows no symbolic links below the directory; links are those that lead out of it. A directory
// without such files is an error, because it is likely the wrong one.
func Files(path string, recursive bool) (files, links []string, err error) {
	root, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s does not exist", path)
	}
	if err != nil {
		return nil, nil, err
	}
	if root, err = filepath.Abs(root); err != nil {
		return nil, nil, err
	}
	walk := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		walk = strings.TrimSuffix(path, string(filepath.Separator)) + string(filepath.Separator) // of a link, too
	}
	err = filepath.WalkDir(walk, func(file string, entry fs.DirEntry, err error) error {
		known := slices.Contains(endings, strings.ToLower(filepath.Ext(file))) || isKustomization(file)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != walk && (entry.Name() == ".git" || !recursive):
			return filepath.SkipDir
		case entry.IsDir():
		case file == walk || entry.Type().IsRegular() && known:
			files = append(files, file)
		case entry.Type()&fs.ModeSymlink != 0:
			target, err := filepath.EvalSymlinks(file)
			if err != nil {
				return nil // it leads nowhere
			}
			if target, err = filepath.Abs(target); err != nil {
				return err
			}
			info, err := os.Stat(target)
			if inside := target == root || strings.HasPrefix(target, root+string(filepath.Separator)); err == nil && !inside && (known || info.IsDir()) {
				links = append(links, file)
			}
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		below := ""
		if !recursive {
			below = "; -R also looks in those below it"
		}
		err = fmt.Errorf("%s has no .yaml, .yml or .json files in it%s", path, below)
	}
	return files, links, err
}

// patches returns the files that the kustomizations among some files and beside them use as patches.
func patches(files []string) (map[string]bool, error) {
	found := map[string]bool{}
	for _, file := range beside(files) {
		text, err := readFile(file)
		if err != nil {
			return nil, err
		}
		for _, d := range split(text) {
			if d.err != nil {
				continue
			}
			for _, list := range []string{"patches", "patchesStrategicMerge", "patchesJson6902"} {
				for _, patch := range items(d.root, list) {
					name := yamlfile.Text(patch, "path")
					if patch.Kind == yaml.ScalarNode {
						name = patch.Value
					}
					if name != "" && !strings.Contains(name, "\n") {
						found[place(filepath.Join(filepath.Dir(file), name))] = true
					}
				}
			}
		}
	}
	return found, nil
}

// beside returns the kustomizations in the directories of files: a patch may be named without its
// kustomization.
func beside(files []string) (list []string) {
	seen := map[string]bool{}
	for _, file := range files {
		dir := filepath.Dir(file)
		for _, name := range kustomizations {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !seen[dir] {
				list = append(list, path)
			}
		}
		seen[dir] = true
	}
	return list
}

// place returns the one name of a file.
func place(file string) string {
	if whole, err := filepath.EvalSymlinks(file); err == nil {
		file = whole
	}
	if whole, err := filepath.Abs(file); err == nil {
		file = whole
	}
	return file
}

func isKustomization(file string) bool { return slices.Contains(kustomizations, filepath.Base(file)) }

// isTemplate reports whether a file belongs to the templates of a Helm chart, or is a template by
// its name.
func isTemplate(file string) bool {
	if ending := strings.ToLower(filepath.Ext(file)); ending == ".tpl" || ending == ".gotmpl" {
		return true
	}
	for dir := filepath.Dir(place(file)); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "Chart.yaml")); err == nil && filepath.Base(dir) == "templates" {
			return true
		}
	}
	return false
}

// items returns the items of a list in a mapping.
func items(n *yaml.Node, name string) []*yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name && n.Content[i+1].Kind == yaml.SequenceNode {
			return n.Content[i+1].Content
		}
	}
	return nil
}
