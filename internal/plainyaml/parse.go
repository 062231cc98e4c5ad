// Package plainyaml reads the part of YAML that every reader understands alike, as a tree of nodes
// and never into Go values, for three reasons. Numbers keep their text; the usual way through
// float64 turns 9007199254740993 into 9007199254740992 and 1.0 into 1. An alias stays a node, and
// AppendJSON refuses it; expanding aliases turns a kilobyte into gigabytes. And every error can
// name its line.
package plainyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Limits bound a document. The parser holds some 200 bytes for each node, besides the text.
type Limits struct {
	Bytes int
	Nodes int // mappings, sequences, keys and scalars
	Depth int // mappings and sequences around a scalar
}

// Errors of Parse about the number of documents; the caller knows the kind of file.
var (
	ErrEmpty = errors.New("it is empty")
	ErrMany  = errors.New("it has more than one YAML document")
)

// Parse returns the root of the only document of a file. Documents without a value do not count.
// Parse never panics.
//
// # Errors
//
// [ErrEmpty] or [ErrMany]; for a syntax error or a document that exceeds its limits, the message
// names the line.
func Parse(content []byte, limits Limits) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, fmt.Errorf("it cannot be read as YAML: %v", r)
		}
	}()
	if len(content) > limits.Bytes {
		return nil, fmt.Errorf("it has %d bytes, of at most %d", len(content), limits.Bytes)
	}
	for d := yaml.NewDecoder(bytes.NewReader(content)); ; {
		var doc yaml.Node
		switch err := d.Decode(&doc); {
		case errors.Is(err, io.EOF) && root == nil:
			return nil, ErrEmpty
		case errors.Is(err, io.EOF):
			return root, (&walk{limits: limits}).check(root, 1)
		case err != nil:
			return nil, located(strings.TrimPrefix(err.Error(), "yaml: "), content)
		}
		switch {
		case len(doc.Content) != 1 || doc.Content[0].ShortTag() == "!!null":
		case root != nil:
			return nil, ErrMany
		default:
			root = doc.Content[0]
		}
	}
}

// located returns a syntax error with the line of its cause. The library counts the lines of its
// parser's errors from 0, those of its scanner's from 1, and leaves out a 0.
func located(message string, content []byte) error {
	line, text := 0, message
	if n, err := fmt.Sscanf(message, "line %d:", &line); n == 1 && err == nil {
		_, text, _ = strings.Cut(message, ": ")
	}
	if !slices.Contains(ofParser, text) {
		return errors.New(message)
	}
	last := bytes.Count(bytes.TrimRight(content, "\r\n"), []byte("\n")) + 1
	return fmt.Errorf("line %d: %s", min(line+1, last), text) // the end is after the last line
}

// ofParser are the errors of the library's parser. All others are its scanner's.
var ofParser = []string{
	"did not find expected node content", "did not find expected key", "did not find expected '-' indicator",
	"did not find expected ',' or ']'", "did not find expected ',' or '}'", "did not find expected <document start>",
	"found undefined tag handle",
}

// walk holds a tree to its limits.
type walk struct {
	limits Limits
	nodes  int
}

func (w *walk) check(n *yaml.Node, depth int) error {
	w.nodes++
	switch {
	case w.nodes > w.limits.Nodes:
		return fmt.Errorf("line %d: the document has more than %d values", n.Line, w.limits.Nodes)
	case depth > w.limits.Depth:
		return fmt.Errorf("line %d: mappings and lists are nested deeper than %d levels", n.Line, w.limits.Depth)
	}
	for _, child := range n.Content {
		if err := w.check(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// maxShown is how many bytes of a name or a value a message shows, about a line of a terminal.
const maxShown = 80
