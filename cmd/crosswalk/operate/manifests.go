package operate

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// Bounds of a manifest.
const (
	maxManifest = 16 << 20
	maxDepth    = 200
)

// manifests returns the places, as FILE:LINE, in a file or in the files of a directory that name a
// version of a kind.
func manifests(path string, gvk schema.GroupVersionKind) (places []string, err error) {
	err = filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return filepath.SkipDir
		case entry.IsDir():
			return nil
		case file != path && (!entry.Type().IsRegular() || !slices.Contains([]string{".yaml", ".yml", ".json", ".tpl", ".gotmpl"}, strings.ToLower(filepath.Ext(file)))):
			return nil
		}
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		if info.Size() > maxManifest {
			return fmt.Errorf("%s is larger than %d MiB", file, maxManifest>>20)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, line := range linesOf(text, gvk) {
			places = append(places, fmt.Sprintf("%s:%d", file, line))
		}
		return nil
	})
	return places, err
}

// linesOf returns the lines of a file that name a version of a kind.
func linesOf(text []byte, gvk schema.GroupVersionKind) (found []int) {
	first, part := 1, []byte{}
	end := func() {
		root, err := plainyaml.Parse(part, plainyaml.Limits{Bytes: maxManifest, Nodes: maxManifest / 8, Depth: maxDepth})
		switch {
		case err == nil:
			found = append(found, linesOfNode(root, gvk, first)...)
		case !errors.Is(err, plainyaml.ErrEmpty): // a template, perhaps
			found = append(found, linesOfText(part, gvk, first)...)
		}
	}
	n := 0
	for line := range bytes.Lines(text) {
		if n++; bytes.HasPrefix(line, []byte("---")) {
			end()
			first, part = n+1, part[:0]
			continue
		}
		part = append(part, line...)
	}
	end()
	slices.Sort(found)
	return found
}

// linesOfNode finds objects, also in lists and within other objects, and the targets of kustomize's
// patches. A patch need not name its kind.
func linesOfNode(n *yaml.Node, gvk schema.GroupVersionKind, first int) (found []int) {
	if n.Kind == yaml.MappingNode {
		kind := plainyaml.Text(n, "kind")
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i].Value, n.Content[i+1]
			object := key == "apiVersion" && value.Value == gvk.GroupVersion().String()
			target := key == "version" && value.Value == gvk.Version && plainyaml.Text(n, "group") == gvk.Group
			if (object || target) && (kind == gvk.Kind || kind == "") {
				found = append(found, first+value.Line-1)
			}
		}
	}
	for _, child := range n.Content {
		found = append(found, linesOfNode(child, gvk, first)...)
	}
	return found
}

// linesOfText finds lines in a text that is not YAML, if the text names the kind or no kind at all.
func linesOfText(text []byte, gvk schema.GroupVersionKind, first int) (found []int) {
	kinds := regexp.MustCompile(`\bkind["']?\s*:\s*["']?([A-Za-z]*)`).FindAllSubmatch(text, -1)
	if len(kinds) > 0 && !slices.ContainsFunc(kinds, func(m [][]byte) bool { return len(m[1]) == 0 || string(m[1]) == gvk.Kind }) {
		return nil
	}
	version := regexp.MustCompile(`\bapiVersion["']?\s*:\s*["']?` + regexp.QuoteMeta(gvk.GroupVersion().String()) + `(["'\s,}]|$)`)
	n := first - 1
	for line := range bytes.Lines(text) {
		if n++; version.Match(line) {
			found = append(found, n)
		}
	}
	return found
}
