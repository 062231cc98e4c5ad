package e2e

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// TestWithdrawnFieldsGo: a manager applies at the newer version, somebody writes a label at the older
// one, and the manager applies again without one field. That field goes, and no other, also if the
// stash keeps it: as if nobody had written at the older version.
func TestWithdrawnFieldsGo(t *testing.T) {
	const whole = `{"engine":"postgres","version":"16","replicas":3,"storage":{"size":"20Gi","class":"fast"},
		"tls":{"minVersion":"1.3","certificateRef":{"name":"c"}},"maintenance":{"window":"sun","duration":"2h"},"users":[{"name":"a","roles":["r"]}]}`
	for _, language := range languages(t) {
		t.Run(language, func(t *testing.T) {
			p := pluginGateway(t, language)
			pluginModule(t, language, pluginFiles(t)["database"])
			crd := pluginCRD(t, "database")
			install(t, shared.uncached, crd, p.URL(), shared.authority.PEM)
			v1, old := shared.uncached.Resource(crd, "v1"), shared.uncached.Resource(crd, "v1beta1")
			specWithout := func(path ...string) map[string]any {
				var spec map[string]any
				if err := json.Unmarshal([]byte(whole), &spec); err != nil {
					t.Fatal(err)
				}
				spec["replicas"] = int64(3)
				unstructured.RemoveNestedField(spec, path...)
				for len(path) > 1 { // the API server leaves no empty object either
					path = path[:len(path)-1]
					if left, _, _ := unstructured.NestedMap(spec, path...); len(left) == 0 {
						unstructured.RemoveNestedField(spec, path...)
					}
				}
				return spec
			}
			apply := func(name string, spec map[string]any) *unstructured.Unstructured {
				t.Helper()
				o := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
				o.SetAPIVersion("db.example.com/v1")
				o.SetKind("Database")
				o.SetName(name)
				o, err := v1.Apply(deadline(t), name, o, metav1.ApplyOptions{FieldManager: "gitops"})
				if err != nil {
					t.Fatal(err)
				}
				return o
			}
			for _, field := range []string{"storage.class", "tls.minVersion", "tls.certificateRef.name", "tls", "maintenance.window", "maintenance"} {
				path := strings.Split(field, ".")
				name := strings.ToLower(strings.Join(path, "-"))
				apply(name, specWithout("nothing"))
				edited, err := old.Patch(deadline(t), name, types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{FieldManager: "kubectl-edit"})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.ContainsFunc(edited.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool { return e.APIVersion == "db.example.com/v1beta1" }) {
					t.Fatalf("nobody has an entry at the older version: %v", edited.GetManagedFields())
				}
				if got, want := apply(name, specWithout(path...)).Object["spec"], any(specWithout(path...)); !reflect.DeepEqual(got, want) {
					t.Errorf("without %s the spec is\n\t%v\nnot\n\t%v", field, got, want)
				}
			}
		})
	}
}

// gatherStash puts the leaves of a stash back into its one annotation, as docs/spec/leaves.md says.
func gatherStash(annotations map[string]any) {
	for key, value := range annotations {
		if !strings.HasPrefix(key, "conversion.") || !strings.HasSuffix(key, "/stash") {
			continue
		}
		var layers map[string]any
		text, _ := value.(string)
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if decoder.Decode(&layers) != nil {
			continue
		}
		for version, layer := range layers {
			layer, _ := layer.(map[string]any)
			kept, _ := layer["kept"].([]any)
			for _, parcel := range kept {
				parcel, _ := parcel.(map[string]any)
				if parts, ok := parcel["parts"].(map[string]any); ok {
					for pointer, value := range parts {
						parts[pointer] = leavesOf(annotations, key+"."+version, pointer, value)
					}
					parcel["set"] = parts
					delete(parcel, "parts")
				}
			}
		}
		for leaf := range annotations {
			if strings.HasPrefix(leaf, key+".") {
				delete(annotations, leaf)
			}
		}
		back, _ := json.Marshal(layers)
		annotations[key] = string(back)
	}
}

func leavesOf(annotations map[string]any, prefix, pointer string, value any) any {
	switch value := value.(type) {
	case []any:
		return value[0]
	case map[string]any:
		for key, inner := range value {
			value[key] = leavesOf(annotations, prefix, pointer+"/"+key, inner)
		}
		return value
	}
	text, _ := annotations[prefix+strings.ReplaceAll(pointer, "/", ".")].(string)
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var leaf any
	_ = decoder.Decode(&leaf)
	return leaf
}
