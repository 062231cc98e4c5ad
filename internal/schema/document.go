package schema

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/util/yaml"
)

const (
	// maxFile is how large a file may be, in bytes: more than twice what etcd takes as one object (1.5 MiB), to leave room for comments
	// and for YAML's indentation.
	maxFile = 4 << 20
	// maxJSON is how large it may become as JSON, where YAML's aliases are written out. Without them a file shrinks.
	maxJSON = 4 * maxFile
)

// document returns the one document that the file holds, as JSON.
func document(file []byte) ([]byte, error) {
	if len(file) > maxFile {
		return nil, fmt.Errorf("the file has %d bytes, more than %d", len(file), maxFile)
	}
	if text := bytes.TrimSpace(file); len(text) > 0 && text[0] == '{' {
		return text, nil
	}
	var found []byte
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(file)))
	for {
		doc, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("the file is no YAML: %w", err)
		}
		if blank(doc) {
			continue
		}
		if found != nil {
			return nil, errors.New("the file has more than one YAML document; one CustomResourceDefinition belongs in a file")
		}
		found = doc
	}
	if found == nil {
		return nil, errors.New("the file is empty")
	}
	doc, err := yaml.ToJSON(found)
	if err != nil {
		return nil, fmt.Errorf("the file is no YAML: %w", err)
	}
	if len(doc) > maxJSON {
		return nil, fmt.Errorf("the file is %d bytes of JSON, more than %d", len(doc), maxJSON)
	}
	return doc, nil
}

// blank says whether a YAML document has nothing but comments and markers.
func blank(doc []byte) bool {
	for line := range bytes.Lines(doc) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && !bytes.Equal(line, []byte("---")) {
			return false
		}
	}
	return true
}
