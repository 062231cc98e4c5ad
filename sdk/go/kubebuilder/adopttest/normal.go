package adopttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// normal decodes a result, and removes the parts that the gateway and the API server set:
// apiVersion, kind, and the metadata except labels and annotations. With types, the value passes the types before:
// they write some members always, and values in their own form.
func (c *comparison) normal(text []byte, types bool) (any, error) {
	if types {
		again := reflect.New(c.to.of).Interface()
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		err := d.Decode(again)
		if err != nil {
			return nil, err
		}
		if text, err = json.Marshal(again); err != nil {
			return nil, err
		}
	}
	o, err := decodeObject(text)
	if err != nil {
		return nil, err
	}
	metadata, _ := o["metadata"].(map[string]any)
	delete(o, "apiVersion")
	delete(o, "kind")
	delete(o, "metadata")
	for _, name := range []string{"labels", "annotations"} {
		if value, _ := metadata[name].(map[string]any); len(value) > 0 {
			o["metadata."+name] = value
		}
	}
	return o, nil
}

func decodeObject(text []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("%w: %s", err, shorten(string(text), 1000))
	}
	o, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("not an object: %s", shorten(string(text), 1000))
	}
	return o, nil
}

// encode returns the text of a decoded value, which always has one.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
