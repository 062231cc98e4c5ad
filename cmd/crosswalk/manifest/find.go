package manifest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/bounded"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/yamlfile"
	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// Bounds of a file.
const (
	maxManifest = 16 << 20
	maxDepth    = 200
)

// limits bound a document.
var limits = plainyaml.Limits{Bytes: maxManifest, Nodes: maxManifest / 8, Depth: maxDepth}

// Match reports whether a kind at a version is meant. The kind is empty where a patch leaves it out.
type Match func(group, version, kind string) bool

// Places returns the places, as FILE:LINE, in a file or in the files of a directory and those below
// it that name a version of a kind, and how many files it read, until ctx ends.
func Places(ctx context.Context, path string, match Match) (places []string, read int, err error) {
	files, _, err := Files(path, true)
	if err != nil {
		return nil, 0, err
	}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		text, err := readFile(file)
		if err != nil {
			return nil, 0, err
		}
		text, _ = yamlfile.InUTF8(text)
		for _, d := range split(text) {
			for _, line := range d.lines(match) {
				places = append(places, fmt.Sprintf("%s:%d", file, line))
			}
		}
	}
	return places, len(files), nil
}

func readFile(file string) ([]byte, error) { return bounded.ReadFile(file, maxManifest) }

// document is a part of a file with its value.
type document struct {
	yamlfile.Document
	root *yaml.Node
	err  error // why there is no root
}

// errMark is about files that were joined. kubectl skips such a mark; the parser of YAML takes it for
// a part of the first key.
var errMark = errors.New("line 2: a byte order mark stands before the document: remove it")

// split returns the documents of a file that are not empty.
func split(text []byte) (list []document) {
	for _, part := range yamlfile.Documents(text) {
		d := document{Document: part}
		_, body, _ := bytes.Cut(d.Text, []byte("\n"))
		if d.root, d.err = plainyaml.Parse(d.Text, limits); d.Line > 1 && bytes.HasPrefix(body, mark) {
			d.root, d.err = nil, errMark
		}
		if !errors.Is(d.err, plainyaml.ErrEmpty) {
			list = append(list, d)
		}
	}
	return list
}

// lines returns the lines of a document that name what is meant.
func (d document) lines(match Match) (found []int) {
	if d.err != nil { // a template, perhaps
		return linesOfText(d.Text, match, d.Line)
	}
	found = linesOfNode(d.root, match, d.Line)
	slices.Sort(found)
	return found
}

// linesOfNode finds objects, also in lists and within other objects, and the targets of kustomize's
// patches. A patch need not name its kind.
func linesOfNode(n *yaml.Node, match Match, first int) (found []int) {
	if n.Kind == yaml.MappingNode {
		kind := yamlfile.Text(n, "kind")
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i].Value, n.Content[i+1]
			group, version, isObject := strings.Cut(value.Value, "/")
			isObject = isObject && key == "apiVersion" && match(group, version, kind)
			isTarget := key == "version" && match(yamlfile.Text(n, "group"), value.Value, kind)
			if isObject || isTarget {
				found = append(found, first+value.Line-1)
			}
		}
	}
	if isText := n.Kind == yaml.ScalarNode && n.Style&yaml.LiteralStyle != 0; isText { // a patch in a kustomization, perhaps
		found = append(found, linesOfText([]byte(n.Value), match, first+n.Line)...)
	}
	for _, child := range n.Content {
		found = append(found, linesOfNode(child, match, first)...)
	}
	return found
}

var (
	kindInText    = regexp.MustCompile(`\bkind["']?\s*:\s*["']?([A-Za-z]*)`)
	versionInText = regexp.MustCompile(`\bapiVersion["']?\s*:\s*["']?([a-z0-9.-]+)/([a-z0-9]+)(["'\s,}]|$)`)
)

// linesOfText finds lines in a text that is not YAML, if the text names the kind or no kind at all.
func linesOfText(text []byte, match Match, first int) (found []int) {
	kinds := []string{}
	for _, m := range kindInText.FindAllSubmatch(text, -1) {
		kinds = append(kinds, string(m[1])) // empty if a template computes it
	}
	if len(kinds) == 0 {
		kinds = []string{""}
	}
	n := first - 1
	for line := range bytes.Lines(text) {
		n++
		m := versionInText.FindSubmatch(line)
		if m != nil && slices.ContainsFunc(kinds, func(kind string) bool { return match(string(m[1]), string(m[2]), kind) }) {
			found = append(found, n)
		}
	}
	return found
}
