package attach

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// poolSchema is the schema of the kind Pool at both versions but for the name of one field.
const poolSchema = `
type: object
properties:
  spec:
    type: object
    properties:
      %s: {type: string}
      mode: {type: string}
      ports:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [name]
        items:
          type: object
          properties: {name: {type: string}, %s: {type: integer}}
      tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
      args: {type: array, x-kubernetes-list-type: atomic, items: {type: string}}
      limits: {type: object, additionalProperties: {type: string}}
`

func pools(t *testing.T) *apiextensions.CustomResourceDefinition {
	t.Helper()
	crd := &apiextensions.CustomResourceDefinition{}
	crd.Name, crd.Spec.Group, crd.Spec.Names.Kind = "pools.example.com", "example.com", "Pool"
	for i, names := range [][2]string{{"address", "number"}, {"host", "port"}} {
		schema := &apiextensions.JSONSchemaProps{}
		if err := yaml.Unmarshal([]byte(fmt.Sprintf(poolSchema, names[0], names[1])), schema); err != nil {
			t.Fatal(err)
		}
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensions.CustomResourceDefinitionVersion{
			Name: fmt.Sprintf("v%d", i+1), Served: i == 1, Storage: i == 1, Schema: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: schema},
		})
	}
	return crd
}

// convertPool renames address to host and number to port, and back. On the way to v2 it sets mode if
// it is absent, and refuses the address "bad".
func convertPool(o *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
	o = o.DeepCopy()
	from, into := [2]string{"address", "number"}, [2]string{"host", "port"}
	if to == "v1" {
		from, into = into, from
	}
	o.SetAPIVersion("example.com/" + to)
	spec, _, _ := unstructured.NestedMap(o.Object, "spec")
	if spec == nil {
		spec = map[string]any{}
	}
	if spec["address"] == "bad" {
		return nil, refused{"cannot convert: bad address [refused by module x]", reasonRefused}
	}
	if v, ok := spec[from[0]]; ok {
		spec[into[0]] = v
		delete(spec, from[0])
	}
	ports, _, _ := unstructured.NestedSlice(spec, "ports")
	for _, p := range ports {
		p := p.(map[string]any)
		if v, ok := p[from[1]]; ok {
			p[into[1]] = v
			delete(p, from[1])
		}
	}
	if ports != nil {
		spec["ports"] = ports
	}
	if _, ok := spec["mode"]; !ok && to == "v2" {
		spec["mode"] = "fast"
	}
	o.Object["spec"] = spec
	return o, nil
}

const livePool = `
apiVersion: example.com/v2
kind: Pool
metadata: {name: a, namespace: default, labels: {app: x}, finalizers: [example.com/keep]}
spec:
  host: h
  mode: fast
  ports: [{name: web, port: 80}, {name: admin, port: 81}]
  tags: [red, blue]
  args: [one, two]
  limits: {cpu: "1", memory: "2"}
`

func TestCarry(t *testing.T) {
	for _, test := range []struct {
		name    string
		version string // default: v1
		fields  string
		live    string // instead of livePool
		want    string
		dropped string
	}{
		{name: "a renamed field", fields: `{"f:spec":{"f:address":{}}}`, want: `{"f:spec":{"f:host":{}}}`},
		{
			name: "an item of a list by key", fields: `{"f:spec":{"f:ports":{"k:{\"name\":\"web\"}":{".":{},"f:name":{},"f:number":{}}}}}`,
			want: `{"f:spec":{"f:ports":{"k:{\"name\":\"web\"}":{".":{},"f:name":{},"f:port":{}}}}}`,
		},
		{
			name: "a field of an item without its key", fields: `{"f:spec":{"f:ports":{"k:{\"name\":\"admin\"}":{"f:number":{}}}}}`,
			want: `{"f:spec":{"f:ports":{"k:{\"name\":\"admin\"}":{".":{},"f:name":{},"f:port":{}}}}}`,
		},
		{
			name: "a set, a list and a map", fields: `{"f:spec":{"f:args":{},"f:limits":{".":{},"f:cpu":{}},"f:tags":{"v:\"red\"":{}}}}`,
			want: `{"f:spec":{"f:args":{},"f:limits":{".":{},"f:cpu":{}},"f:tags":{"v:\"red\"":{}}}}`,
		},
		{
			name: "metadata", fields: `{"f:metadata":{"f:finalizers":{".":{},"v:\"example.com/keep\"":{}},"f:labels":{".":{},"f:app":{},"f:gone":{}}}}`,
			want: `{"f:metadata":{"f:finalizers":{".":{},"v:\"example.com/keep\"":{}},"f:labels":{".":{},"f:app":{}}}}`,
		},
		{
			// The conversion sets mode in a fragment without it; the manager of the address does not
			// own it.
			name: "a field that the conversion sets", fields: `{"f:spec":{"f:address":{},"f:limits":{"f:cpu":{}}}}`,
			want: `{"f:spec":{"f:host":{},"f:limits":{"f:cpu":{}}}}`, dropped: "",
		},
		{name: "the same field, owned", fields: `{"f:spec":{"f:mode":{}}}`, want: `{"f:spec":{"f:mode":{}}}`},
		{
			name: "a value that the conversion makes otherwise of the fragment", fields: `{"f:spec":{"f:address":{}}}`,
			live: strings.Replace(livePool, "mode: fast", "mode: slow", 1), want: `{"f:spec":{"f:host":{}}}`,
		},
		{name: "a field that has gone", fields: `{"f:spec":{"f:address":{},"f:limits":{"f:disk":{}}}}`, want: `{"f:spec":{"f:host":{}}}`},
		{
			name: "a fragment that is refused", fields: `{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:address":{},"f:tags":{"v:\"red\"":{}}}}`,
			live: strings.Replace(livePool, "host: h", "host: bad", 1), want: `{"f:metadata":{"f:labels":{"f:app":{}}}}`,
			dropped: "default/a: m (Apply) at v1: dropped all: cannot convert: bad address [refused by module x]",
		},
		{
			name: "a version that is gone", version: "v1alpha1", fields: `{"f:spec":{"f:address":{},"f:mode":{}}}`,
			want: `{"f:spec":{"f:mode":{}}}`, dropped: "default/a: m (Apply) at v1alpha1: dropped spec.address: the definition does not name v1alpha1, and the object has no such field",
		},
		{name: "an entry that cannot be read", fields: `{"f:spec":1}`, want: "none", dropped: "default/a: m (Apply) at v1: dropped all: the entry cannot be read: "},
		{name: "an empty entry", fields: `{}`, want: "none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := newCarrier(pools(t), "v2", convertPool)
			if err != nil {
				t.Fatal(err)
			}
			o := &unstructured.Unstructured{}
			if test.live == "" {
				test.live = livePool
			}
			if err := yaml.Unmarshal([]byte(test.live), &o.Object); err != nil {
				t.Fatal(err)
			}
			if test.version == "" {
				test.version = "v1"
			}
			o.SetManagedFields([]metav1.ManagedFieldsEntry{entry("m", test.version, test.fields)})
			entries, dropped, err := c.carry(o, func(version string) bool { return version != "v2" })
			if err != nil {
				t.Fatal(err)
			}
			var words []string
			for _, d := range dropped {
				words = append(words, d.String())
			}
			if got := strings.Join(words, "\n"); got != test.dropped && (test.dropped == "" || !strings.HasSuffix(test.dropped, ": ") || !strings.HasPrefix(got, test.dropped)) {
				t.Errorf("dropped:\n%s\nwant:\n%s", got, test.dropped)
			}
			if test.want == "none" {
				test.want = `{"f:metadata":{"f:name":{}}}`
			}
			if len(entries) != 1 || entries[0].APIVersion != "example.com/v2" || entries[0].FieldsV1.GetRawString() != test.want {
				t.Errorf("the entries are\n%+v, want one of v2 with\n%s", entries, test.want)
			}
		})
	}
}

func entry(manager, version, fields string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: "example.com/" + version, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields)}
}

// TestCarryMergesEntries: a manager that wrote at both versions has one entry afterwards, because an
// API server would take the last of two.
func TestCarryMergesEntries(t *testing.T) {
	c, err := newCarrier(pools(t), "v2", convertPool)
	if err != nil {
		t.Fatal(err)
	}
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(livePool), &o.Object); err != nil {
		t.Fatal(err)
	}
	update := func(e metav1.ManagedFieldsEntry, subresource string) metav1.ManagedFieldsEntry {
		e.Operation, e.Subresource = metav1.ManagedFieldsOperationUpdate, subresource
		return e
	}
	o.SetManagedFields([]metav1.ManagedFieldsEntry{
		update(entry("m", "v1", `{"f:spec":{"f:address":{}}}`), ""),
		update(entry("m", "v2", `{"f:spec":{"f:mode":{}}}`), ""),
		update(entry("m", "v1", `{"f:spec":{"f:args":{}}}`), "status"),
		entry("m", "v1", `{"f:spec":{"f:tags":{"v:\"red\"":{}}}}`),
	})
	entries, dropped, err := c.carry(o, func(version string) bool { return version == "v1" })
	if err != nil || len(dropped) > 0 {
		t.Fatal(dropped, err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%s %s %s %s", e.Operation, e.APIVersion, e.Subresource, e.FieldsV1.GetRawString()))
	}
	want := []string{
		`Update example.com/v2  {"f:spec":{"f:host":{},"f:mode":{}}}`,
		`Update example.com/v2 status {"f:spec":{"f:args":{}}}`,
		`Apply example.com/v2  {"f:spec":{"f:tags":{"v:\"red\"":{}}}}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("the entries are\n%s", strings.Join(got, "\n"))
	}
}

// TestCarryLeavesObjectAlone: an error that is not the entry's own changes nothing.
func TestCarryLeavesObjectAlone(t *testing.T) {
	c, err := newCarrier(pools(t), "v2", func(*unstructured.Unstructured, string) (*unstructured.Unstructured, error) {
		return nil, errors.New("connection refused")
	})
	if err != nil {
		t.Fatal(err)
	}
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(livePool), &o.Object); err != nil {
		t.Fatal(err)
	}
	o.SetManagedFields([]metav1.ManagedFieldsEntry{entry("m", "v1", `{"f:spec":{"f:address":{}}}`)})
	if entries, _, err := c.carry(o, func(string) bool { return true }); err == nil || entries != nil {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestRefusal: an entry is dropped only for an answer that stays the same.
func TestRefusal(t *testing.T) {
	for reason, want := range map[string]bool{
		reasonRefused: true, "contract": true, "schema": true, "invalid": true,
		"":         true, // of another webhook
		"no_route": false,
	} {
		if got := refusal(fmt.Errorf("to v2: %w", refused{"text", reason})); got != want {
			t.Errorf("%s: %t, want %t", reason, got, want)
		}
	}
	if why := remedy(refused{"text", "no_route"}); !strings.HasPrefix(why, "install a module ") {
		t.Errorf("a missing module: %s", why)
	}
	for _, fault := range faults.All() {
		if refusal(refused{"text", fault}) {
			t.Errorf("%s: another attempt can succeed", fault)
		}
	}
	if refusal(errors.New("HTTP status 503")) || refusal(nil) {
		t.Error("an error of the connection is taken for an answer")
	}
}
