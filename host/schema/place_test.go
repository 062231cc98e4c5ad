package schema

import (
	"strings"
	"testing"
)

// TestPlace follows paths through a schema: a member's name, * for every member, [] for the elements.
func TestPlace(t *testing.T) {
	crd := parse(t, []byte(withRoot(`{type: object, properties: {
		spec: {type: object, properties: {
			list: {type: array, items: {type: object, properties: {a: {type: string}}}},
			map: {type: object, additionalProperties: {type: object, properties: {a: {type: string}}}},
			any: {type: object, x-kubernetes-preserve-unknown-fields: true},
			pod: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object}}},
			text: {type: string}}}}}`)))
	version := &crd.Versions[0]
	for path, want := range map[string]bool{
		"spec list [] a": true, "spec list [] b": false, "spec list a": false, "spec list *": false,
		"spec map x a": true, "spec map * a": true, "spec map x b": false, "spec map []": false,
		"spec any x": true, "spec any *": true,
		"spec pod metadata": true, "spec pod metadata name": true, "spec pod status": false,
		"spec text a": false, "spec text []": false, "spec text *": false, "spec * a": true, "other": false,
	} {
		at, ok := version.Root(), true
		for _, step := range strings.Fields(path) {
			if !ok {
				break
			}
			switch step {
			case "*":
				at, ok = at.Every()
			case "[]":
				at, ok = at.Elements()
			default:
				at, ok = at.Member(step)
			}
		}
		if ok != want {
			t.Errorf("%s: %v, want %v", path, ok, want)
		}
	}
}
