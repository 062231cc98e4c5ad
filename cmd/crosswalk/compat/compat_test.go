package compat

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
)

type (
	conversion   = apiextensionsv1.CustomResourceConversion
	subresources = apiextensionsv1.CustomResourceSubresources
)

func parsed[T any](t *testing.T, text string) *T {
	t.Helper()
	v := new(T)
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// lines returns changes as text, one a line.
func lines(changes []Change) string {
	var b strings.Builder
	for _, c := range changes {
		b.WriteString(string(c.Class) + ": " + strings.TrimPrefix(c.Place()+": "+c.Text, ": ") + "\n")
	}
	return b.String()
}

// TestSchemas compares schemas of the field spec.
func TestSchemas(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"nothing", `{"type":"string"}`, `{"type":"string","description":"new"}`, ``},
		{"field added", `{"type":"object"}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, `safe: v1 spec.a: the field is new
`},
		{"field removed", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"object","properties":{"c":{"type":"string"}}}}}`, `{"type":"object","properties":{"b":{"type":"object"}}}`, `breaks stored objects: v1 spec.a: the field is gone: the API server drops its value
breaks stored objects: v1 spec.b.c: the field is gone: the API server drops its value
`},
		{"field removed where unknown ones are kept", `{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"a":{"type":"string"}}}`, `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`, `changes behaviour: v1 spec.a: the field is not in the schema: the API server keeps it and accepts any value
`},
		{"field added where unknown ones are kept", `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`, `{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"a":{"type":"string"}}}`, `breaks stored objects: v1 spec.a: an object may have any value there: now the API server rejects values of another form, and drops fields that the schema does not have
`},
		{"unknown fields", `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`, `{"type":"object"}`, `breaks stored objects: v1 spec: unknown fields are no longer kept: the API server drops them
`},
		{"unknown fields kept", `{"type":"object"}`, `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`, `changes behaviour: v1 spec: unknown fields are kept: misspelt ones are no longer noticed
`},
		{"type", `{"type":"integer"}`, `{"type":"string"}`, `breaks stored objects: v1 spec: the type was integer, is string
`},
		{"type widened", `{"type":"integer"}`, `{"x-kubernetes-int-or-string":true}`, `changes behaviour: v1 spec: the type was integer, is an integer or a string: clients with typed structures cannot decode the other type
`},
		{"type widened below a rule", `{"type":"object","x-kubernetes-validations":[{"rule":"self.a % 2 == 0"}],"properties":{"a":{"type":"integer"}}}`, `{"type":"object","x-kubernetes-validations":[{"rule":"self.a % 2 == 0"}],"properties":{"a":{"type":"number"}}}`, `breaks stored objects: v1 spec.a: the type was integer, is number: a rule of spec reads it
`},
		{"number became integer", `{"type":"number"}`, `{"type":"integer"}`, `breaks stored objects: v1 spec: the type was number, is integer
`},
		{"int-or-string in two forms", `{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]}`, `{"x-kubernetes-int-or-string":true}`, ``},
		{"map of objects", `{"type":"object","additionalProperties":{"type":"object","properties":{"a":{"type":"string"}}}}`, `{"type":"object","additionalProperties":{"type":"object","properties":{}}}`, `breaks stored objects: v1 spec.*.a: the field is gone: the API server drops its value
`},
		{"map became object", `{"type":"object","additionalProperties":{"type":"string"}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, `breaks stored objects: v1 spec: the API server drops keys that the schema does not name
`},
		{"object became map", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}`, `{"type":"object","additionalProperties":{"type":"string"}}`, `breaks stored objects: v1 spec.b: the type was integer, is string
changes behaviour: v1 spec: the fields of the object became the keys of a map: clients with typed structures lose other keys
`},
		{"required", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, `{"type":"object","required":["a","b"],"properties":{"a":{"type":"string"},"b":{"type":"string","default":"x"}}}`, `breaks stored objects: v1 spec.a: the field is required: the API server rejects objects without it
changes behaviour: v1 spec.b: objects without the field get the default "x"
`},
		{"no longer required", `{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, `changes behaviour: v1 spec.a: the field is no longer required: clients may read objects without it
`},
		{"required without its default", `{"type":"object","required":["a"],"properties":{"a":{"type":"string","default":"x"}}}`, `{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}`, `breaks clients: v1 spec.a: the field is required, and has lost its default: requests without it fail
`},
		{"defaults", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string","default":"x"},"c":{"type":"string","default":"x"}}}`, `{"type":"object","properties":{"a":{"type":"string","default":"x"},"b":{"type":"string"},"c":{"type":"string","default":"y"}}}`, `changes behaviour: v1 spec.a: objects without the field get the default "x"
changes behaviour: v1 spec.b: new objects without the field no longer get the default "x"
changes behaviour: v1 spec.c: the default was "x", is "y"
`},
		{"default below a rule", `{"type":"object","x-kubernetes-validations":[{"rule":"!has(self.a)"}],"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, `{"type":"object","x-kubernetes-validations":[{"rule":"!has(self.a)"}],"properties":{"a":{"type":"string","default":"x"},"b":{"type":"string","default":"x"}}}`, `breaks stored objects: v1 spec.a: objects without the field get the default "x": a rule of spec reads it
changes behaviour: v1 spec.b: objects without the field get the default "x"
`},
		{"default and maxProperties", `{"type":"object","maxProperties":1,"properties":{"a":{"type":"string"}}}`, `{"type":"object","maxProperties":1,"properties":{"a":{"type":"string"},"b":{"type":"string","default":"x"}}}`, `breaks stored objects: v1 spec.b: the field is new, and its default "x" is in every object: maxProperties counts it
`},
		{"default in a key", `{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a","b"],"items":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}}`, `{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a","b"],"items":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string","default":"x"}}}}`, `breaks stored objects: v1 spec[].b: objects without the field get the default "x": keys of elements of the list may become equal
`},
		{"default with a rule within", `{"type":"object","properties":{"a":{"type":"object","x-kubernetes-validations":[{"rule":"!has(self.b)"}],"properties":{"b":{"type":"string","default":"x"}}}}}`, `{"type":"object","properties":{"a":{"type":"object","default":{},"x-kubernetes-validations":[{"rule":"!has(self.b)"}],"properties":{"b":{"type":"string","default":"x"}}}}}`, `breaks stored objects: v1 spec.a: objects without the field get the default {}: values within it get defaults, and a rule there reads them
`},
		{"default and oneOf", `{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, `{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{"type":"string"},"b":{"type":"string","default":"x"}}}`, `breaks stored objects: v1 spec.b: objects without the field get the default "x": a rule of spec reads it
`},
		{"enum", `{"type":"string","enum":["a","b"]}`, `{"type":"string","enum":["b","c"]}`, `breaks stored objects: v1 spec: values are no longer accepted: "a"
changes behaviour: v1 spec: more values are accepted, which clients may not know: "c"
`},
		{"enum is new", `{"type":"string"}`, `{"type":"string","enum":["b"]}`, `breaks stored objects: v1 spec: only the values of an enum are accepted
`},
		{"enum is gone", `{"type":"string","enum":["b"]}`, `{"type":"string"}`, `changes behaviour: v1 spec: all values are accepted: clients may read values that they do not know
`},
		{"upper bounds", `{"type":"integer","maximum":5}`, `{"type":"integer","maximum":4}`, `breaks stored objects: v1 spec: the API server may reject values that it accepted: maximum was 5, is 4
`},
		{"lower bounds", `{"type":"integer","minimum":5}`, `{"type":"integer","minimum":4}`, `safe: v1 spec: minimum was 5, is 4
`},
		{"exclusive bound", `{"type":"integer","minimum":5}`, `{"type":"integer","minimum":5,"exclusiveMinimum":true}`, `breaks stored objects: v1 spec: the API server may reject values that it accepted: exclusiveMinimum is true
`},
		{"bound is new", `{"type":"array","items":{"type":"string"}}`, `{"type":"array","maxItems":4,"minItems":0,"items":{"type":"string"}}`, `breaks stored objects: v1 spec: the API server may reject values that it accepted: maxItems is 4
`},
		{"bound is gone", `{"type":"string","maxLength":4}`, `{"type":"string"}`, `safe: v1 spec: maxLength was 4, and is gone
`},
		{"multipleOf", `{"type":"integer","multipleOf":4}`, `{"type":"integer","multipleOf":2}`, `safe: v1 spec: multipleOf accepts more numbers
`},
		{"multipleOf is narrower", `{"type":"integer","multipleOf":2}`, `{"type":"integer","multipleOf":4}`, `breaks stored objects: v1 spec: the API server may reject values that it accepted: multipleOf is 4
`},
		{"pattern", `{"type":"string","pattern":"^a"}`, `{"type":"string","pattern":"^b"}`, `breaks stored objects: v1 spec: the API server may reject values that it accepted: pattern is "^b"
`},
		{"format", `{"type":"string"}`, `{"type":"string","format":"uuid"}`, `breaks stored objects: v1 spec: the API server may reject values that it accepted: format was "", is "uuid"
`},
		{"format of integers", `{"type":"integer","format":"int32"}`, `{"type":"integer","format":"int64"}`, `safe: v1 spec: format was "int32", is "int64"
`},
		{"null", `{"type":"string","nullable":true}`, `{"type":"string"}`, `breaks stored objects: v1 spec: null is no longer accepted: the API server drops it, replaces it with the default, or rejects the object
`},
		{"null is new", `{"type":"string"}`, `{"type":"string","nullable":true}`, `safe: v1 spec: null is accepted
`},
		{"embedded resource", `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`, `{"type":"object","x-kubernetes-preserve-unknown-fields":true,"x-kubernetes-embedded-resource":true}`, `breaks stored objects: v1 spec: the value must be a resource with apiVersion, kind and metadata
`},
		{"list became set", `{"type":"array","items":{"type":"string"}}`, `{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}`, `breaks stored objects: v1 spec: the list was atomic, is set: the API server rejects equal elements, and field managers own other parts
`},
		{"set became list", `{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}`, `{"type":"array","items":{"type":"string"}}`, `breaks clients: v1 spec: the list was set, is atomic: server-side apply replaces the elements of other field managers
`},
		{"keys", `{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a","b"],"items":{"type":"object"}}`, `{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a"],"items":{"type":"object"}}`, `breaks stored objects: v1 spec: the keys of elements were a, b, are a: the API server rejects elements with equal keys
`},
		{"more keys", `{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a"],"items":{"type":"object"}}`, `{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a","b"],"items":{"type":"object"}}`, `breaks clients: v1 spec: the keys of elements were a, are a, b: server-side apply takes elements for others
`},
		{"map type", `{"type":"object"}`, `{"type":"object","x-kubernetes-map-type":"atomic"}`, `changes behaviour: v1 spec: the object was granular, is atomic: field managers own other parts of it
`},
		{"rule", `{"type":"object"}`, `{"type":"object","x-kubernetes-validations":[{"rule":"has(self.a)"}]}`, `breaks stored objects: v1 spec: the API server may reject objects that it accepted: a rule is new: has(self.a)
`},
		{"rule about updates", `{"type":"string"}`, `{"type":"string","x-kubernetes-validations":[{"rule":"self == oldSelf"}]}`, `breaks clients: v1 spec: the API server may reject updates that it accepted: a rule is new: self == oldSelf
`},
		{"rule about a new field", `{"type":"object"}`, `{"type":"object","x-kubernetes-validations":[{"rule":"!has(self.a) || self.a > 3"}],"properties":{"a":{"type":"integer"}}}`, `safe: v1 spec: a rule about a new field is new: !has(self.a) || self.a > 3
safe: v1 spec.a: the field is new
`},
		{"rule that only begins with a new field", `{"type":"object","properties":{"b":{"type":"integer"}}}`, `{"type":"object","x-kubernetes-validations":[{"rule":"!has(self.a) || true ? has(self.b) : true"}],"properties":{"a":{"type":"integer"},"b":{"type":"integer"}}}`, `breaks stored objects: v1 spec: the API server may reject objects that it accepted: a rule is new: !has(self.a) || true ? has(self.b) : true
safe: v1 spec.a: the field is new
`},
		{"rule is gone", `{"type":"string","x-kubernetes-validations":[{"rule":"self == oldSelf"}]}`, `{"type":"string"}`, `safe: v1 spec: a rule is gone: self == oldSelf
`},
		{"anyOf with more branches", `{"type":"object","anyOf":[{"required":["a"]}]}`, `{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}`, `safe: v1 spec: anyOf accepts more
`},
		{"allOf with more parts", `{"type":"object","allOf":[{"required":["a"]}]}`, `{"type":"object","allOf":[{"required":["a"]},{"required":["b"]}]}`, `breaks stored objects: v1 spec: the API server may reject objects that it accepted: allOf is new or different
`},
		{"not", `{"type":"object"}`, `{"type":"object","not":{"required":["a"]}}`, `breaks stored objects: v1 spec: the API server may reject objects that it accepted: not is new or different
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := func(spec string) *crd {
				return thing(parsed[props](t, `{"type":"object","properties":{"spec":`+spec+`}}`))
			}
			changes, err := Compare(context.Background(), root(c.old), root(c.new))
			if err != nil {
				t.Fatal(err)
			}
			for _, change := range changes {
				if Rules()[change.Rule] == "" {
					t.Errorf("%s has no description", change.Rule)
				}
				if change.Breaks() && change.Fix == "" {
					t.Errorf("%s: there is no fix", change.Text)
				}
			}
			if got := lines(changes); got != c.want {
				t.Errorf("got:\n%swant:\n%s", got, c.want)
			}
		})
	}
}

const twoVersions = `{"metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Thing","plural":"things","shortNames":["t"]},"versions":[
	{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}}}}}},
	{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"b":{"type":"string"}}}}}}}]}}`

// TestDefinitions changes the parts of a definition outside of its schemas.
func TestDefinitions(t *testing.T) {
	webhook := func(c *crd) { c.Spec.Conversion = parsed[conversion](t, `{"strategy":"Webhook"}`) }
	for _, c := range []struct {
		name   string
		change func(old, new *crd)
		want   string
	}{
		{"nothing", func(_, _ *crd) {}, ``},
		{"group", func(_, new *crd) { new.Spec.Group = "example.org" }, `breaks stored objects: group: "example.com" became "example.org"
`},
		{"kind", func(_, new *crd) { new.Spec.Names.Kind = "Other" }, `breaks clients: names.listKind: "ThingList" became "OtherList"
changes behaviour: names.singular: "thing" became "other"
`},
		{"list kind", func(_, new *crd) { new.Spec.Names.ListKind = "Other" }, `breaks clients: names.listKind: "ThingList" became "Other"
`},
		{"short name", func(_, new *crd) { new.Spec.Names.ShortNames = nil }, `changes behaviour: names.shortNames: "t" is gone
`},
		{"version gone", func(_, new *crd) { new.Spec.Versions = new.Spec.Versions[:1] }, `breaks stored objects: v2: the version is gone, and objects may be stored at it
breaks clients: v2: requests for the version fail: it is gone
`},
		{"version gone that nothing is stored at", func(old, new *crd) {
			old.Status.StoredVersions = []string{"v1"}
			new.Spec.Versions = new.Spec.Versions[:1]
		}, `breaks clients: v2: requests for the version fail: it is gone
`},
		{"version gone that nobody uses", func(old, new *crd) {
			old.Status.StoredVersions = []string{"v1"}
			old.Spec.Versions[1].Served = false
			new.Spec.Versions = new.Spec.Versions[:1]
		}, `safe: v2: the version is gone; it was not served, and status.storedVersions does not have it
`},
		{"version gone that objects are stored at", func(old, new *crd) {
			old.Status.StoredVersions = []string{"v1", "v2"}
			old.Spec.Versions[1].Deprecated = true
			new.Spec.Versions = new.Spec.Versions[:1]
		}, `breaks stored objects: v2: the version is gone, and objects may be stored at it
breaks clients: v2: requests for the version fail: it is gone
`},
		{"version not served", func(_, new *crd) { new.Spec.Versions[1].Served = false }, `breaks clients: v2: the version is no longer served
`},
		{"version deprecated", func(_, new *crd) { new.Spec.Versions[1].Deprecated = true }, `changes behaviour: v2: the version is deprecated: API servers warn its clients
`},
		{"version added", func(old, _ *crd) { old.Spec.Versions = old.Spec.Versions[:1] }, `safe: v2: the version is new
`},
		{"storage", func(_, new *crd) { new.Spec.Versions[0].Storage, new.Spec.Versions[1].Storage = false, true }, `breaks stored objects: v1: objects are stored at v2, no longer at v1, and nothing converts them: spec.a: the field is gone: the API server drops its value
`},
		{"storage with a webhook", func(old, new *crd) {
			webhook(old)
			webhook(new)
			new.Spec.Versions[0].Storage, new.Spec.Versions[1].Storage = false, true
		}, `changes behaviour: v1: objects are stored at v2, no longer at v1
`},
		{"storage of equal versions", func(old, new *crd) {
			old.Spec.Versions[1].Schema = old.Spec.Versions[0].Schema
			new.Spec.Versions[1].Schema = new.Spec.Versions[0].Schema
			new.Spec.Versions[0].Storage, new.Spec.Versions[1].Storage = false, true
		}, `changes behaviour: v1: objects are stored at v2, no longer at v1
`},
		{"webhook gone", func(old, _ *crd) { webhook(old) }, `breaks stored objects: v2: spec.conversion no longer names a webhook, and v2 and v1 differ: spec.b: the field is gone: the API server drops its value
`},
		{"webhook new", func(_, new *crd) { webhook(new) }, `changes behaviour: a webhook converts between versions: while it is unavailable, requests for other versions fail
`},
		{"field of a version that nobody sees", func(old, new *crd) {
			old.Status.StoredVersions = []string{"v1"}
			old.Spec.Versions[1].Served = false
			new.Spec.Versions[1].Served = false
			new.Spec.Versions[1].Schema = new.Spec.Versions[0].Schema
		}, ``},
		{"field of a version that nothing is stored at", func(old, new *crd) {
			old.Status.StoredVersions = []string{"v1"}
			new.Spec.Versions[1].Schema = new.Spec.Versions[0].Schema
		}, `breaks clients: v2 spec.b: the field is gone: the API server drops its value
safe: v2 spec.a: the field is new
`},
		{"schema with all fields", func(old, _ *crd) { old.Spec.PreserveUnknownFields = true }, `breaks stored objects: v1: unknown fields are no longer kept: the API server drops them
breaks stored objects: v2: unknown fields are no longer kept: the API server drops them
`},
		{"no schema before", func(old, _ *crd) { old.Spec.Versions[0].Schema = nil }, `breaks stored objects: v1 spec: an object may have any value there: now the API server rejects values of another form, and drops fields that the schema does not have
breaks stored objects: v1: unknown fields are no longer kept: the API server drops them
`},
		{"status gone", func(old, _ *crd) { old.Spec.Versions[0].Subresources = parsed[subresources](t, `{"status":{}}`) }, `breaks clients: v1 status: the subresource status is gone: requests for it fail, and writes of the object change the status
`},
		{"status new", func(_, new *crd) { new.Spec.Versions[0].Subresources = parsed[subresources](t, `{"status":{}}`) }, `breaks clients: v1 status: the subresource status is new: writes of the object no longer change the status
`},
		{"scale gone", func(old, _ *crd) {
			old.Spec.Versions[0].Subresources = parsed[subresources](t, `{"scale":{"specReplicasPath":".spec.a","statusReplicasPath":".status.b"}}`)
		}, `breaks clients: v1: the subresource scale is gone: requests for it fail
`},
		{"scale new", func(_, new *crd) {
			new.Spec.Versions[0].Subresources = parsed[subresources](t, `{"scale":{"specReplicasPath":".spec.a","statusReplicasPath":".status.b"}}`)
		}, `breaks stored objects: v1 spec.a: the subresource scale uses the field: the API server rejects values below 0 or of more than 32 bits
safe: v1: the subresource scale is new
`},
		{"scale of a field of 32 bits", func(old, new *crd) {
			for _, c := range []*crd{old, new} {
				c.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = *parsed[props](t, `{"type":"object","properties":{"a":{"type":"integer","format":"int32","minimum":0}}}`)
			}
			new.Spec.Versions[0].Subresources = parsed[subresources](t, `{"scale":{"specReplicasPath":".spec.a","statusReplicasPath":".status.b"}}`)
		}, "safe: v1: the subresource scale is new\n"},
		{"scale of a field that fits 32 bits", func(old, new *crd) {
			for _, c := range []*crd{old, new} {
				c.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = *parsed[props](t, `{"type":"object","properties":{"a":{"type":"integer","maximum":2147483647,"minimum":0}}}`)
			}
			new.Spec.Versions[0].Subresources = parsed[subresources](t, `{"scale":{"specReplicasPath":".spec.a","statusReplicasPath":".status.b"}}`)
		}, "safe: v1: the subresource scale is new\n"},
		{"selectable field and columns", func(old, new *crd) {
			old.Spec.Versions[0].SelectableFields = []apiextensionsv1.SelectableField{{JSONPath: ".spec.a"}}
			new.Spec.Versions[0].AdditionalPrinterColumns = []apiextensionsv1.CustomResourceColumnDefinition{{Name: "a"}}
		}, `breaks clients: v1 spec.a: the field is not in selectableFields: requests that select by it fail
changes behaviour: v1: kubectl get prints other columns
`},
		{"metadata", func(_, new *crd) {
			new.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["metadata"] = *parsed[props](t, `{"type":"object","properties":{"name":{"type":"string","maxLength":20}}}`)
		}, `breaks stored objects: v1 metadata.name: the API server may reject values that it accepted: maxLength is 20
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, new := parsed[crd](t, twoVersions), parsed[crd](t, twoVersions)
			c.change(old, new)
			changes, err := Compare(context.Background(), old, new)
			if err != nil {
				t.Fatal(err)
			}
			for _, change := range changes {
				if Rules()[change.Rule] == "" {
					t.Errorf("%s has no description", change.Rule)
				}
				if change.Breaks() && change.Fix == "" {
					t.Errorf("%s: there is no fix", change.Text)
				}
			}
			if got := lines(changes); got != c.want {
				t.Errorf("got:\n%swant:\n%s", got, c.want)
			}
		})
	}
}

// TestSeveralDefinitions compares files with several definitions.
func TestSeveralDefinitions(t *testing.T) {
	kinds := func(names ...string) (list []definition.Definition) {
		for _, name := range names {
			c := parsed[crd](t, twoVersions)
			c.Spec.Names.Kind, c.Spec.Names.Plural, c.Spec.Names.Singular, c.Spec.Names.ListKind = name, name, "s", "l"
			c.Name = Name(c)
			list = append(list, definition.Definition{CRD: c})
		}
		return list
	}
	changes, err := Definitions(context.Background(), kinds("a", "b", "c"), kinds("c", "d"))
	const gone = "breaks stored objects: the definition is gone: deleting it deletes all its objects\n"
	if got := lines(changes); err != nil || got != gone+gone || changes[0].Definition != "a.example.com" {
		t.Errorf("%s, %v", got, err)
	}
	changes, err = Definitions(context.Background(), kinds("a", "b"), kinds("b", "d"))
	const renamed = "breaks stored objects: names.plural: \"a\" became \"d\"\n"
	if got := lines(changes); err != nil || got != renamed {
		t.Errorf("%s, %v", got, err)
	}
}

// TestCompareEnds tests that a comparison stops with its context.
func TestCompareEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Compare(ctx, parsed[crd](t, twoVersions), parsed[crd](t, twoVersions)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestBoundOfSearch tests that a value counts as read by a rule once the search took too long.
func TestBoundOfSearch(t *testing.T) {
	w := surroundings{work: maxWork, frames: []frame{{&props{}, "a"}}}
	if w.observed(&props{}, true) == "" || !w.below(&props{}, ruled) || !w.branchSees(&props{AllOf: []props{{}}}, "a") {
		t.Error("the search goes on")
	}
}
