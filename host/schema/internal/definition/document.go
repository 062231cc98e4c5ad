package definition

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

const (
	// maxFile is the most bytes of a file: more than twice the largest object that etcd stores (1.5
	// MiB), which leaves room for comments and YAML's indentation.
	maxFile = 4 << 20
	// maxValues is how many keys, scalars, lists and mappings a file may have: one in eight bytes,
	// and six times as many as the largest definition that etcd takes has at 20 bytes each.
	maxValues = maxFile / 8
	// maxLevels is how deep they may be nested: a schema takes two levels, and most of them three.
	maxLevels = 3*maxDepth + 50
)

// ToJSON returns the one document that a file of at most 4 MiB holds, as JSON, for [Parse]. It
// parses YAML; Parse itself, given a file of JSON, does not.
func ToJSON(file []byte) ([]byte, error) {
	if len(file) > maxFile {
		return nil, fmt.Errorf("the file has %d bytes, more than %d", len(file), maxFile)
	}
	if text := bytes.TrimSpace(file); len(text) > 0 && text[0] == '{' {
		return text, nil
	}
	root, err := plainyaml.Parse(file, plainyaml.Limits{Bytes: maxFile, Nodes: maxValues, Depth: maxLevels})
	var doc []byte
	if err == nil {
		doc, err = plainyaml.AppendJSON(nil, root, plainyaml.JSONNumber)
	}
	switch {
	case errors.Is(err, plainyaml.ErrEmpty):
		return nil, errors.New("the file is empty")
	case errors.Is(err, plainyaml.ErrMany):
		return nil, errors.New("the file has more than one YAML document; one CustomResourceDefinition belongs in a file")
	case err != nil:
		return nil, fmt.Errorf("the file cannot be read as YAML: %w", err)
	}
	return doc, nil
}
