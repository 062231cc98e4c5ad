package adopttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
)

// inputsName is the file, beside the test, with what crosswalk adopt found out about the kind's
// values.
const inputsName = "inputs.json"

// inputs are values that objects are made of, beside random ones.
type inputs struct {
	Words   []string                     // constants in the conversions' functions
	Types   map[string][]string          // constants of named string types, by import path and name
	Samples map[string][]json.RawMessage // by apiVersion: the operator's own objects
	Objects map[string][]json.RawMessage // by apiVersion: objects made from its definition
}

// readInputs reads the file. A project without it has random objects only.
func readInputs(name string) (in inputs, err error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return in, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &in)
	}
	if err != nil {
		return in, fmt.Errorf("reading the values for the comparison: %w", err)
	}
	return in, nil
}

// given returns the samples of a version, and then the objects made from its definition.
func (in inputs) given(apiVersion string) []json.RawMessage {
	return slices.Concat(in.Samples[apiVersion], in.Objects[apiVersion])
}

// annotationKeys returns the words that could be keys of annotations, such as those in which
// conversions keep what a version lacks.
func (in inputs) annotationKeys() (keys []string) {
	for _, w := range in.Words {
		if qualifiedName.MatchString(w) {
			keys = append(keys, w)
		}
	}
	return keys
}

// qualifiedName is the form of a key with a prefix that an API server takes.
var qualifiedName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]{0,200}[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)

// finish gives an object the version converted from, a name and a uid, as objects in reviews have
// them, and removes the metadata that a gateway shows no module.
func (c *comparison) finish(from Version, o map[string]any, number int) []byte {
	o["apiVersion"], o["kind"] = from.apiVersion, c.kind.Name
	metadata, _ := o["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
	}
	for _, name := range []string{"managedFields", "resourceVersion", "selfLink"} {
		delete(metadata, name)
	}
	metadata["name"], metadata["uid"] = fmt.Sprintf("n%d", number), fmt.Sprintf("u%d", number)
	o["metadata"] = metadata
	return encode(o)
}
