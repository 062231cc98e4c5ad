package schema

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// maxFiles is how large a file of many definitions may be, in bytes. The largest release files have some 7 MB (prometheus-operator's
// bundle.yaml, Crossplane's and Cluster API's providers).
const maxFiles = 32 << 20

// Document is one CustomResourceDefinition of a file that has several.
type Document struct {
	Kind string // <Kind>.<group>, as it says itself; unchecked
	Text []byte // for Parse
}

// Split finds the CustomResourceDefinitions in a file that may have other things beside them, as the release files of operators do:
// YAML documents one after the other, of any kind. It looks only at what they are; Parse reads them.
//
// # Errors
//
// The file is larger than 32 MiB, or no YAML.
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
			return nil, fmt.Errorf("the file is no YAML: %w", err)
		}
		if !bytes.Contains(text, []byte("CustomResourceDefinition")) {
			continue // most documents of a release; decoding them would take long
		}
		var head struct {
			Kind string
			Spec struct {
				Group string
				Names struct{ Kind string }
			}
		}
		doc, err := yaml.ToJSON(text)
		if err != nil {
			return nil, fmt.Errorf("the file is no YAML: %w", err)
		}
		// A definition with a number for its group, say, is found under the name that it is left with; Parse tells what is wrong.
		if _ = json.Unmarshal(doc, &head); head.Kind == "CustomResourceDefinition" {
			found = append(found, Document{Kind: head.Spec.Names.Kind + "." + head.Spec.Group, Text: text})
		}
	}
}
