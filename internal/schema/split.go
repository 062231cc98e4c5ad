package schema

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// maxFiles is how large a file of many definitions may be, in bytes. The largest release files have
// some 7 MB (prometheus-operator's bundle.yaml, Crossplane's and Cluster API's providers).
const maxFiles = 32 << 20

// Document is one CustomResourceDefinition of a file that has several.
type Document struct {
	Kind string // <Kind>.<group>, as it says itself; unchecked
	Text []byte // for Parse
}

// Split finds the CustomResourceDefinitions in a file with YAML documents of any kind, such as the
// release file of an operator. It reads only their apiVersion and kind; Parse reads the
// definitions.
//
// # Errors
//
// The file is larger than 32 MiB, or it is not YAML.
func Split(file []byte) (found []Document, err error) {
	if len(file) > maxFiles {
		return nil, fmt.Errorf("the file has %d bytes, more than %d", len(file), maxFiles)
	}
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(file)))
	for {
		text, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the file cannot be read as YAML: %w", err)
		}
		if !bytes.Contains(text, []byte("CustomResourceDefinition")) {
			continue // most documents of a release; decoding them would take long
		}
		root, err := plainyaml.Parse(text, plainyaml.Limits{Bytes: maxFiles, Nodes: maxFiles / 8, Depth: maxLevels})
		if errors.Is(err, plainyaml.ErrEmpty) {
			continue // a comment that mentions one
		}
		if err != nil {
			return nil, fmt.Errorf("the file cannot be read as YAML: %w", err)
		}
		if plainyaml.Text(root, "kind") == "CustomResourceDefinition" {
			found = append(found, Document{Kind: plainyaml.Text(root, "spec", "names", "kind") + "." + plainyaml.Text(root, "spec", "group"), Text: text})
		}
	}
}
