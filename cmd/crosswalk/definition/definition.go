// Package definition reads the definitions of custom resources: CustomResourceDefinitions and
// Crossplane's CompositeResourceDefinitions, which become the CustomResourceDefinition that
// Crossplane makes of them.
package definition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/yamlfile"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

const (
	// maxFile is how large a file of many definitions may be, in bytes, as in package schema.
	maxFile = 32 << 20
	// maxDocuments is how many YAML documents a file may have: ten times the largest release file.
	maxDocuments = 10_000
	// maxLevels is how deep a document may be nested: deeper than a definition that package schema
	// reads, because documents of other kinds are skipped only after they were read.
	maxLevels = 3_050
)

// Definition is one definition of a custom resource.
type Definition struct {
	CRD *apiextensionsv1.CustomResourceDefinition
	// Text is a CustomResourceDefinition for schema.Parse: the part of the file with the
	// definition, or the JSON that was made of a CompositeResourceDefinition.
	Text []byte
}

// Kind returns <Kind>.<group>.
func (d Definition) Kind() string { return d.CRD.Spec.Names.Kind + "." + d.CRD.Spec.Group }

// ErrNone reports a file without definitions.
var ErrNone = errors.New("it has no CustomResourceDefinition and no CompositeResourceDefinition")

// Read returns the definitions in a file with YAML documents of any kind, or with one JSON
// document. It skips documents of other kinds.
//
// # Errors
//
// [ErrNone], perhaps with a reason; or the file is larger than 32 MiB, is not YAML, which the message
// says with the line of the file, or a definition is malformed.
func Read(file []byte) (found []Definition, err error) {
	if len(file) > maxFile {
		return nil, fmt.Errorf("the file has %d bytes, more than %d", len(file), maxFile)
	}
	n := 0
	for document := range yamlfile.Each(file) {
		if n == maxDocuments {
			return nil, fmt.Errorf("the file has more than %d YAML documents", maxDocuments)
		}
		n++
		text, line := document.Text, document.Line
		if rest, ok := bytes.CutPrefix(text, []byte("---\n")); ok {
			text, line = rest, line+1
		}
		if !bytes.Contains(text, []byte("ResourceDefinition")) {
			continue // most documents of a release; decoding them would take long
		}
		d, err := read(text, line)
		if err != nil {
			return nil, err
		}
		if d != nil {
			found = append(found, *d)
		}
	}
	if len(found) == 0 {
		return nil, none(file)
	}
	return found, nil
}

// none says why a file has no definition: it may have been meant to be one.
func none(file []byte) error {
	_, err := plainyaml.Parse(file, plainyaml.Limits{Bytes: maxFile, Nodes: maxFile / 8, Depth: maxLevels})
	switch {
	case errors.Is(err, plainyaml.ErrEmpty):
		return fmt.Errorf("%w: it is empty", ErrNone)
	case err != nil && !bytes.Contains(file, []byte("\n---")): // plainyaml reads one document
		return fmt.Errorf("%w, and cannot be read as YAML: %w%s", ErrNone, err, template(file))
	}
	return ErrNone
}

// template returns the remedy for a file of a Helm chart, which is not YAML before Helm renders it.
func template(text []byte) string {
	if !bytes.Contains(text, []byte("{{")) {
		return ""
	}
	return "; it contains {{: render a template of a Helm chart first (helm template)"
}

// read reads one document, which begins at a line of the file. It returns nil if the document is of
// another kind.
func read(text []byte, first int) (*Definition, error) {
	doc := bytes.TrimSpace(text)
	if len(doc) == 0 || doc[0] != '{' {
		root, err := plainyaml.Parse(text, plainyaml.Limits{Bytes: maxFile, Nodes: maxFile / 8, Depth: maxLevels})
		if errors.Is(err, plainyaml.ErrEmpty) {
			return nil, nil // a comment that mentions one
		}
		if err != nil {
			line, why := yamlfile.Locate(err, first)
			return nil, fmt.Errorf("the file cannot be read as YAML: line %d: %s%s", line, why, template(text))
		}
		switch yamlfile.Text(root, "kind") {
		case "CustomResourceDefinition", "CompositeResourceDefinition":
		default:
			return nil, nil
		}
		if doc, err = schema.ToJSON(text); err != nil {
			return nil, err
		}
	}
	var head struct{ APIVersion, Kind string }
	if err := json.Unmarshal(doc, &head); err != nil {
		return nil, fmt.Errorf("the file is not JSON: %w", err)
	}
	group, _, _ := strings.Cut(head.APIVersion, "/")
	switch {
	case head.Kind == "CompositeResourceDefinition" && group == "apiextensions.crossplane.io":
		crd, err := fromComposite(doc)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(crd)
		return &Definition{CRD: crd, Text: text}, err
	case head.Kind == "CustomResourceDefinition" && head.APIVersion == "apiextensions.k8s.io/v1":
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := json.Unmarshal(doc, crd); err != nil {
			return nil, fmt.Errorf("the CustomResourceDefinition cannot be read: %w", err)
		}
		return &Definition{CRD: crd, Text: text}, nil
	case head.Kind == "CustomResourceDefinition":
		return nil, fmt.Errorf("apiVersion of the CustomResourceDefinition must be apiextensions.k8s.io/v1, not %q", head.APIVersion)
	}
	return nil, nil
}

// File is a definition and the file that has it; the zero value if there is none.
type File struct {
	Definition
	Schemas *schema.CRD // of the same definition, as a gateway reads it
	Path    string
}

// ReadFile reads the definition of a kind (<Kind>.<group>, or empty for the only definition) from
// a file, such as an operator's release manifest.
//
// # Errors
//
// A SeveralError if the file has several definitions, none of them for the kind; or an API server
// rejects the definition.
func ReadFile(path, kind string) (f File, err error) {
	all, _, err := readPath(path)
	if err != nil {
		return File{}, err
	}
	i := 0
	if len(all) > 1 {
		var kinds []string
		for _, one := range all {
			kinds = append(kinds, one.Kind())
		}
		if i = slices.Index(kinds, kind); i < 0 {
			slices.Sort(kinds)
			return File{}, SeveralError{fmt.Errorf("%s defines %d kinds: %s", path, len(kinds), strings.Join(slices.Compact(kinds), ", "))}
		}
	}
	f = File{Definition: all[i], Path: path}
	if err := f.Accepted(); err != nil {
		return File{}, fmt.Errorf("%s: %w", path, err)
	}
	if f.Schemas, err = schema.Parse(f.Text); err != nil {
		return File{}, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// ReadSource returns the definitions of a file, or of standard input if path is -, and its text.
//
// The errors are those of [Read].
func ReadSource(stdin io.Reader, path string) (all []Definition, text []byte, err error) {
	if path == "-" {
		return readFrom(stdin, "standard input")
	}
	return readPath(path)
}

func readPath(path string) (all []Definition, text []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, nil, fmt.Errorf("%s is a directory: name the file with the definition", path)
	}
	return readFrom(file, path)
}

// readFrom reads no more than a definition may have.
func readFrom(from io.Reader, name string) (all []Definition, text []byte, err error) {
	if text, err = io.ReadAll(io.LimitReader(from, maxFile+1)); err == nil {
		text, _ = yamlfile.InUTF8(text)
		all, err = Read(text)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return all, text, nil
}

// SeveralError is the error for a file with several definitions, none of them for the requested
// kind.
type SeveralError struct{ error }
