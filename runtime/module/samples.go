package module

import (
	"bytes"
	"encoding/json"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// SampleObjects returns made-up objects of a kind whose fields are unknown: a fragment, an object
// with metadata, and one with fields of every JSON type under names that are common to most kinds.
func SampleObjects(apiVersion, kind string) [][]byte {
	head := append(rawjson.Quote([]byte(`{"apiVersion":`), apiVersion), `,"kind":`...)
	head = rawjson.Quote(head, kind)
	object := func(rest string) []byte { return append(bytes.Clone(head), rest...) }
	return [][]byte{
		object(`}`),
		object(`,"metadata":{"name":"self-test","namespace":"default","uid":"1","labels":{"a":"b"},"annotations":{"c/d":"e"}}}`),
		object(`,"metadata":{"name":"self-test"},"spec":{"replicas":3,"text":"a \"b\" \u00e9 ü","ratio":0.25,"on":true,"none":null,"list":[1,"x",{}],"map":{"k":"v"},"big":9007199254740993},"status":{"conditions":[{"type":"Ready","status":"True"}]}}`),
	}
}

// ObjectsWith returns made-up objects of a kind that have a value at each path, in each object of
// another type; none without paths.
func ObjectsWith(apiVersion, kind string, paths []string) (objects [][]byte) {
	if len(paths) == 0 {
		return nil
	}
	for _, value := range []any{"a:1", 3, true, []any{"a"}, map[string]any{"a": "b"}} {
		var object any = map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": "self-test"}}
		for _, path := range paths {
			if steps, err := projection.Steps(path); err == nil {
				object = with(object, steps, value)
			}
		}
		if text, err := json.Marshal(object); err == nil {
			objects = append(objects, text)
		}
	}
	return objects
}

// with returns a value with another one at some steps below it, unless there is one.
func with(at any, steps []projection.Step, value any) any {
	switch {
	case len(steps) == 0 && at != nil:
		return at
	case len(steps) == 0:
		return value
	case steps[0].To == '[':
		list, _ := at.([]any)
		if list == nil {
			list = []any{nil}
		}
		list[0] = with(list[0], steps[1:], value)
		return list
	}
	object, _ := at.(map[string]any)
	if object == nil {
		object = map[string]any{}
	}
	name := steps[0].Name
	if steps[0].To == '*' {
		name = "any"
	}
	object[name] = with(object[name], steps[1:], value)
	return object
}
