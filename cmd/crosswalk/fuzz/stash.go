package fuzz

import (
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// stash recognizes the annotations in which converters keep values. It is the group of a definition.
type stash string

// owns reports whether an annotation belongs to the converters of the group: the stash
// (docs/spec/stash.md), and others with its prefix.
func (s stash) owns(key string) bool { return strings.HasPrefix(key, "conversion."+string(s)+"/") }

// filled reports whether a conversion keeps values in an annotation of its answer.
func (s stash) filled(object, answer map[string]any) bool {
	before, after := annotationsOf(object), annotationsOf(answer)
	for key, value := range after {
		text, _ := value.(string)
		if before[key] != value && (s.owns(key) || before[key] == nil && isObject(text)) {
			return true
		}
	}
	return false
}

// has reports whether an object has annotations of a converter.
func (s stash) has(object map[string]any) bool {
	for key := range annotationsOf(object) {
		if s.owns(key) {
			return true
		}
	}
	return false
}

// bytes returns the size of the annotations of a converter.
func (s stash) bytes(object map[string]any) (n int) {
	for key, value := range annotationsOf(object) {
		if text, _ := value.(string); s.owns(key) {
			n += len(text)
		}
	}
	return n
}

// without returns a copy of an object without the annotations in which converters keep values.
func (s stash) without(object map[string]any) map[string]any {
	plain := runtime.DeepCopyJSON(object)
	for key, value := range annotationsOf(plain) {
		if text, _ := value.(string); s.owns(key) || isObject(text) {
			delete(annotationsOf(plain), key)
		}
	}
	return plain
}

func annotationsOf(object map[string]any) map[string]any {
	annotations, _ := metadataIn(object)["annotations"].(map[string]any)
	return annotations
}

func metadataIn(object map[string]any) map[string]any {
	meta, _ := object["metadata"].(map[string]any)
	return meta
}

func isObject(text string) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &object) == nil && object != nil
}
