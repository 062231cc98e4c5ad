package adopttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
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

// fragment returns some of an object's members, as server-side apply converts them.
func (c *comparison) fragment(text []byte) ([]byte, error) {
	o, err := decodeObject(text)
	if err != nil {
		return nil, err
	}
	metadata, _ := o["metadata"].(map[string]any)
	annotated := c.r.Intn(2) == 0 // those of a manifest that was read from a cluster have them
	for name := range metadata {
		if name != "name" && name != "labels" && !(name == "annotations" && annotated) {
			delete(metadata, name)
		}
	}
	for name, member := range o {
		if name != "apiVersion" && name != "kind" && name != "metadata" {
			c.thin(member, 0.5)
		}
	}
	return encode(o), nil
}

// thin deletes members at random.
func (c *comparison) thin(v any, share float64) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range sortedKeys(v) {
			if v[name] == nil || c.r.Float64() < share {
				delete(v, name)
			} else {
				c.thin(v[name], share/2)
			}
		}
	case []any:
		for _, e := range v {
			c.thin(e, share/2)
		}
	}
}

// mutations returns the object without one of its members, and with null for it, for each of its
// paths up to a number of them.
func mutations(text []byte, most int, r *rand.Rand) (all [][]byte, err error) {
	if text == nil {
		return nil, nil
	}
	root, err := decodeObject(text)
	if err != nil {
		return nil, err
	}
	var walk func(v any, metadata bool)
	walk = func(v any, metadata bool) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range sortedKeys(v) {
				member := v[name]
				if member == nil || metadata && (name == "uid" || name == "name") {
					continue
				}
				walk(member, metadata)
				delete(v, name)
				all = append(all, encode(root))
				if !metadata {
					v[name] = nil
					all = append(all, encode(root))
				}
				v[name] = member
			}
		case []any:
			for _, e := range v {
				walk(e, metadata)
			}
		}
	}
	for _, name := range sortedKeys(root) {
		if name == "apiVersion" || name == "kind" {
			continue
		}
		walk(root[name], name == "metadata")
		if member := root[name]; name != "metadata" {
			delete(root, name)
			all = append(all, encode(root))
			root[name] = member
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(len(all), 2*most)], nil
}

// largestVariable names the environment variable with the largest number that an object may have.
// crosswalk adopt sets it if the operator's code ran out of memory: some code makes a list with as
// many elements as a field says.
const largestVariable = "CROSSWALK_ADOPT_LARGEST"

// largestNumber returns the largest number that an object may have; +Inf without a limit.
func largestNumber() float64 {
	if n, err := strconv.ParseFloat(os.Getenv(largestVariable), 64); err == nil {
		return n
	}
	return math.Inf(1)
}

// tooLarge reports whether an object has a number beyond the limit.
func tooLarge(text []byte, most float64) bool {
	if math.IsInf(most, 1) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return false // its end, or no JSON, which the conversion refuses itself
		}
		if n, ok := token.(json.Number); ok {
			if f, err := n.Float64(); err != nil || math.Abs(f) > most {
				return true
			}
		}
	}
}

// words are texts that some conversion might parse.
func words() []string {
	return []string{"", "a", "name-1", "7", "30s", "1h5m", "10.0.0.0/8", "192.168.1.1", "65000:100", "https://example.com/x?y=<z>", "true", "100Mi", "é\u2028", "group.example.com/v1"}
}

// jsonTexts are values of annotations that some conversion might decode.
func jsonTexts() []string {
	return []string{`{}`, `{"a":1}`, `[]`, `null`, `{`, `"x"`, `true`, `{"spec":{},"status":{}}`, `["a","b"]`}
}

// texts are JSON values for types that decode themselves.
func texts() []string {
	return []string{`"2024-05-06T07:08:09Z"`, `"2024-05-06T07:08:09.123456Z"`, `"5m0s"`, `"1000000h0m0s"`, `"-1s"`, `"100m"`, `"2Gi"`, `{"a":[1,"<b>",{"c":null}]}`, `80`, `"http"`, `true`, `["x"]`, `"10%"`, `"AQID"`}
}

// structText returns the JSON text of a random value of one of the version's own types, which a
// conversion may expect in a value that is raw JSON; "" if there is none.
func (f *filler) structText() string {
	if len(f.structs) == 0 || f.nested {
		return ""
	}
	v := reflect.New(f.structs[f.r.Intn(len(f.structs))])
	inner := filler{r: f.r, density: []float64{0.1, 0.5}[f.r.Intn(2)], left: 60, given: f.given, structs: f.structs, largest: f.largest, wide: f.wide, nested: f.r.Intn(4) > 0, within: map[reflect.Type]bool{}}
	inner.fill(v.Elem(), 3)
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return ""
	}
	return string(text)
}

// structsIn returns the struct types of a version that are declared in its own package.
func structsIn(t reflect.Type) (found []reflect.Type) {
	seen := map[reflect.Type]bool{}
	var walk func(in reflect.Type)
	walk = func(in reflect.Type) {
		if seen[in] {
			return
		}
		seen[in] = true
		switch in.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			walk(in.Elem())
		case reflect.Struct:
			if in != t && in.PkgPath() == t.PkgPath() {
				found = append(found, in)
			}
			for i := range in.NumField() {
				walk(in.Field(i).Type)
			}
		}
	}
	walk(t)
	return found
}
