// Package applied merges and withdraws fields as an API server does, with its own library, and converts
// with modules of rules as a gateway does, field managers included.
package applied

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/prove"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/review"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// appliers are the managers of one object.
type appliers struct {
	t       *testing.T
	kind    schema.GroupKind
	stored  string // a version
	gateway *host.Converter
	by      map[string]*managedfields.FieldManager
	status  map[string]*managedfields.FieldManager // for writes of the status
	object  *unstructured.Unstructured             // as it is stored
}

func newAppliers(t *testing.T, d definition.Definition, stored string, set modules.Set) *appliers {
	t.Helper()
	gateway, err := host.NewConverter(host.ConverterConfig{Modules: host.Static(set.Routes()), Applied: true})
	if err != nil {
		t.Fatal(err)
	}
	a := &appliers{t: t, kind: schema.GroupKind{Group: d.CRD.Spec.Group, Kind: d.CRD.Spec.Names.Kind}, stored: stored, gateway: gateway, by: map[string]*managedfields.FieldManager{}, status: map[string]*managedfields.FieldManager{}}
	models, reset := map[string]*spec.Schema{}, map[fieldpath.APIVersion]*fieldpath.Set{}
	for _, v := range d.CRD.Spec.Versions {
		text, err := json.Marshal(v.Schema.OpenAPIV3Schema)
		if err != nil {
			t.Fatal(err)
		}
		model := &spec.Schema{}
		if err := json.Unmarshal(text, model); err != nil {
			t.Fatal(err)
		}
		model.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{"group": a.kind.Group, "version": v.Name, "kind": a.kind.Kind}})
		models[v.Name] = model
		maps.Copy(reset, statusStrategy(a.kind.WithVersion(v.Name)).GetResetFields())
	}
	types, err := managedfields.NewTypeConverter(models, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range d.CRD.Spec.Versions {
		kind := a.kind.WithVersion(v.Name)
		if a.by[v.Name], err = managedfields.NewDefaultCRDFieldManager(types, a, a, a, kind, kind.GroupVersion(), "", nil); err != nil {
			t.Fatal(err)
		}
		if a.status[v.Name], err = managedfields.NewDefaultCRDFieldManager(types, a, a, a, kind, kind.GroupVersion(), "status", fieldpath.NewExcludeFilterSetMap(reset)); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// strategy is a strategy of API servers for writes of a custom resource.
type strategy interface {
	GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set
	PrepareForUpdate(ctx context.Context, now, old apiruntime.Object)
}

func statusStrategy(kind schema.GroupVersionKind) strategy {
	return customresource.NewStatusStrategy(customresource.NewStrategy(nil, true, kind, nil, nil, nil, &apiextensions.CustomResourceSubresourceStatus{}, nil, nil))
}

// ConvertToVersion implements runtime.ObjectConvertor.
func (a *appliers) ConvertToVersion(in apiruntime.Object, to apiruntime.GroupVersioner) (apiruntime.Object, error) {
	o := in.(*unstructured.Unstructured).DeepCopy()
	kind, _ := to.KindForGroupVersionKinds([]schema.GroupVersionKind{in.GetObjectKind().GroupVersionKind()})
	if o.GroupVersionKind() == kind {
		return o, nil
	}
	text, err := json.Marshal(o.Object)
	if err != nil {
		return nil, err
	}
	answer, outcome, err := a.gateway.Review(context.Background(), review.Request(kind.GroupVersion().String(), text))
	if err != nil {
		return nil, err
	}
	if outcome.Failure != "" {
		return nil, errors.New(outcome.Message)
	}
	object, err := apiserver.Decode(review.Objects(answer)[0])
	return &unstructured.Unstructured{Object: object}, err
}

// Convert, Default, New and ConvertFieldLabel are of no use to the library here.
func (a *appliers) Convert(_, _, _ any) error { return errors.ErrUnsupported }
func (a *appliers) Default(apiruntime.Object) {}
func (a *appliers) New(schema.GroupVersionKind) (apiruntime.Object, error) {
	return &unstructured.Unstructured{}, nil
}
func (a *appliers) ConvertFieldLabel(schema.GroupVersionKind, string, string) (_, _ string, _ error) {
	return "", "", errors.ErrUnsupported
}

// at returns the object at a version.
func (a *appliers) at(version string) *unstructured.Unstructured {
	a.t.Helper()
	o, err := a.ConvertToVersion(a.object, a.kind.WithVersion(version).GroupVersion())
	if err != nil {
		a.t.Fatal(err)
	}
	return o.(*unstructured.Unstructured)
}

// store stores an object.
func (a *appliers) store(o apiruntime.Object, err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
	a.object = o.(*unstructured.Unstructured)
	a.object.SetResourceVersion("") // as an API server does
	a.object = a.at(a.stored)
}

// apply applies a spec.
func (a *appliers) apply(version, manager string, spec map[string]any) {
	a.t.Helper()
	content := map[string]any{"metadata": map[string]any{"name": "n", "namespace": "d"}, "spec": spec}
	applied := &unstructured.Unstructured{Object: apiruntime.DeepCopyJSON(content)}
	applied.SetGroupVersionKind(a.kind.WithVersion(version))
	live := applied.DeepCopy()
	if delete(live.Object, "spec"); a.object != nil {
		live = a.at(version)
	}
	live.SetUID("5a2e1f0c-0000-4000-8000-000000000001")
	live.SetResourceVersion("1")
	a.store(a.by[version].Apply(live, applied, manager, true))
}

// label writes a label.
func (a *appliers) label(version, manager string) {
	a.t.Helper()
	live, now := a.at(version), a.at(version)
	now.SetLabels(map[string]string{"by": manager})
	live.SetResourceVersion("1")
	now.SetResourceVersion("1")
	a.store(a.by[version].Update(live, now, manager))
}

// leaves returns the paths to the values in a spec that are no objects.
func leaves(value map[string]any) (all [][]string) {
	for _, key := range slices.Sorted(maps.Keys(value)) {
		inner, ok := value[key].(map[string]any)
		if !ok {
			all = append(all, []string{key})
		}
		for _, path := range leaves(inner) {
			all = append(all, append([]string{key}, path...))
		}
	}
	return all
}

// removed returns a spec without the value at a path, and without the objects around it that are empty
// then.
func removed(spec map[string]any, path []string) map[string]any {
	spec = apiruntime.DeepCopyJSON(spec)
	for ; len(path) > 0; path = path[:len(path)-1] {
		inner, _, _ := unstructured.NestedMap(spec, path...)
		if len(inner) > 0 {
			break
		}
		unstructured.RemoveNestedField(spec, path...)
	}
	return spec
}

// TestWithdrawnFields applies at the newer version, writes a label at the older one, and applies
// without one value, and then without another: each goes, and no other, as it does without the label.
func TestWithdrawnFields(t *testing.T) {
	for _, tc := range []struct {
		name, crd, rules string // files
		older, newer     string
		spec             string
	}{
		{"grants and tls of case 02", "", tmplRules,
			"v1alpha1", "v1alpha2", `{"text":"a","grants":["x"],"tls":{"min":"1.2","max":"1.3"}}`},
		{"database", "database", "", "v1beta1", "v1", `{"engine":"e","version":"16","replicas":3,"storage":{"size":"20Gi","class":"fast"},
			"tls":{"minVersion":"1.3","certificateRef":{"name":"c"}},"maintenance":{"window":"sun","duration":"2h"}}`},
		{"crontab", "crontab", "", "v1", "v2", `{"image":"i","replicas":2,"min":"0","hour":"1","dayOfMonth":"2","month":"3","dayOfWeek":"4"}`},
	} {
		for _, stored := range []string{tc.older, tc.newer} {
			t.Run(tc.name+" stored in "+stored, func(t *testing.T) {
				d := tmpl(t)
				text := []byte(tc.rules)
				if tc.crd != "" {
					all, err := definition.ReadFile(filepath.Join("..", "..", "plugins", tc.crd, "crd.yaml"), "")
					if err != nil {
						t.Fatal(err)
					}
					d = all.Definition
					if text, err = os.ReadFile(filepath.Join("..", "..", "plugins", tc.crd, "rules", "rules.yaml")); err != nil {
						t.Fatal(err)
					}
				}
				m := compiled(t, d, text, tc.older, tc.newer)
				whole, err := apiserver.Decode([]byte(tc.spec))
				if err != nil {
					t.Fatal(err)
				}
				for _, path := range leaves(whole) {
					for _, writes := range []string{tc.newer, tc.older} {
						a := newAppliers(t, d, stored, m)
						a.apply(tc.newer, "gitops", whole)
						a.label(writes, "kubectl-edit")
						want := whole
						for _, path := range [][]string{path, leaves(removed(whole, path))[0]} {
							want = removed(want, path)
							a.apply(tc.newer, "gitops", want)
							if got := a.at(tc.newer).Object["spec"]; !reflect.DeepEqual(got, any(want)) {
								t.Errorf("%v is withdrawn, after a label at %s: the spec is\n\t%v\nnot\n\t%v", path, writes, got, want)
							}
						}
					}
				}
			})
		}
	}
}

// TestOwnersAtAnotherVersion: a field of a manager at v1 stays when another withdraws it at v2. Fields
// that the manager owns besides, such as the replicas of an autoscaler, keep no others.
func TestOwnersAtAnotherVersion(t *testing.T) {
	all, err := definition.ReadFile(filepath.Join("..", "..", "plugins", "crontab", "crd.yaml"), "")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "plugins", "crontab", "rules", "rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	m := compiled(t, all.Definition, text, "v1", "v2")
	whole := map[string]any{"image": "i", "min": "0", "hour": "1", "dayOfMonth": "2", "month": "3", "dayOfWeek": "4"}
	for _, stored := range []string{"v1", "v2"} {
		for _, owned := range []map[string]any{{"replicas": int64(3)}, {"cronSpec": "0 1 2 3 4"}} {
			a := newAppliers(t, all.Definition, stored, m)
			a.apply("v2", "gitops", whole)
			a.apply("v1", "old", owned)
			spec, want := whole, a.at("v2").Object["spec"].(map[string]any)
			for _, path := range [][]string{{"month"}, {"dayOfWeek"}} {
				spec = removed(spec, path)
				a.apply("v2", "gitops", spec)
				if owned["cronSpec"] == nil {
					want = removed(want, path)
				}
				if got := a.at("v2").Object["spec"]; !reflect.DeepEqual(got, any(want)) {
					t.Errorf("stored in %s, with %v of another at v1, without %v: %v, not %v", stored, owned, path, got, want)
				}
			}
		}
	}
}

// withdrawal is a spec that a manager applies at one version of a kind, and a part of it.
type withdrawal struct{ name, v1, v2, rules, at, whole, part string }

func withdrawals() []withdrawal {
	const atomic, set = `l: {type: array, items: {type: string}}`, `l: {type: array, x-kubernetes-list-type: set, items: {type: string}}`
	return []withdrawal{
		{"rename", "a: {type: string}, b: {type: string}", "c: {type: string}, b: {type: string}", "{rename: spec.a, to: spec.c}", "v2", `{"c":"x","b":"y"}`, `{"b":"y"}`},
		{"move", "a: {type: string}, b: {type: string}", "o: {type: object, properties: {a: {type: string}, b: {type: string}}}", "{move: spec.a, to: spec.o.a}, {move: spec.b, to: spec.o.b}", "v2", `{"o":{"a":"x","b":"y"}}`, `{"o":{"b":"y"}}`},
		{"split", "s: {type: string}", "a: {type: string}, b: {type: string}, c: {type: string}", "{split: spec.s, to: [spec.a, spec.b, spec.c], separator: ':'}", "v2", `{"a":"x","b":"y","c":"z"}`, `{"a":"x","b":"y"}`},
		{"the text of a split", "s: {type: string}, n: {type: string}", "a: {type: string}, b: {type: string}, n: {type: string}", "{split: spec.s, to: [spec.a, spec.b], separator: ':'}", "v1", `{"s":"x:y","n":"z"}`, `{"n":"z"}`},
		{"split into an object", "s: {type: string}", "s: {type: object, properties: {a: {type: string}, b: {type: string}}}", "{split: spec.s, to: [spec.s.a, spec.s.b], words: true, absent: '*'}", "v2", `{"s":{"a":"x","b":"y"}}`, `{"s":{"a":"x"}}`},
		{"a list from a text", "l: {type: string}", atomic, "{splitList: spec.l, separator: ','}", "v2", `{"l":["x","y"]}`, `{"l":["x"]}`},
		{"a set from a text", "l: {type: string}", set, "{splitList: spec.l, separator: ','}", "v2", `{"l":["x","y"]}`, `{"l":["x"]}`},
		{"an object in a list", "o: {type: object, properties: {a: {type: string}, b: {type: string}}}", "l: {type: array, items: {type: object, properties: {a: {type: string}, b: {type: string}}}}", "{wrap: spec.o, to: spec.l}", "v1", `{"o":{"a":"x","b":"y"}}`, `{"o":{"a":"x"}}`},
		{"the first of a set", "a: {type: string}", set, "{wrap: spec.a, to: spec.l}", "v2", `{"l":["x","y","z"]}`, `{"l":["x","y"]}`},
		{"the first of a list", "a: {type: string}", atomic, "{wrap: spec.a, to: spec.l}", "v2", `{"l":["x","y","z"]}`, `{"l":["x","y"]}`},
		{"a map from a list", "m: {type: array, items: {type: object, properties: {k: {type: string}, v: {type: string}}}}", "m: {type: object, additionalProperties: {type: string}}", "{mapFromList: spec.m, key: k, value: v}", "v2", `{"m":{"a":"x","b":"y"}}`, `{"m":{"a":"x"}}`},
		{"a map from a list with keys", "m: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}", "m: {type: object, additionalProperties: {type: string}}", "{mapFromList: spec.m, key: k, value: v}", "v2", `{"m":{"a":"x","b":"y"}}`, `{"m":{"a":"x"}}`},
		{"a kept object", "n: {type: string}", "n: {type: string}, o: {type: object, properties: {a: {type: string}, b: {type: string}}}", "{drop: spec.o, in: v2}", "v2", `{"n":"z","o":{"a":"x","b":"y"}}`, `{"n":"z","o":{"a":"x"}}`},
		{"a kept set", "n: {type: string}", "n: {type: string}, " + set, "{drop: spec.l, in: v2}", "v2", `{"n":"z","l":["x","y"]}`, `{"n":"z","l":["x"]}`},
		{"a kept list of objects", "n: {type: string}", "n: {type: string}, l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}", "{drop: spec.l, in: v2}", "v2", `{"n":"z","l":[{"k":"a","v":"x"},{"k":"b"}]}`, `{"n":"z","l":[{"k":"a","v":"x"}]}`},
		{"the first of a list of objects", "a: {type: object, properties: {k: {type: string}, v: {type: string}}}", "l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}", "{wrap: spec.a, to: spec.l}", "v2", `{"l":[{"k":"a","v":"x"},{"k":"b"},{"k":"c"}]}`, `{"l":[{"k":"a","v":"x"},{"k":"b"}]}`},
		{"a list with keys without a rule", "a: {type: string}, l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}", "c: {type: string}, l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}", "{rename: spec.a, to: spec.c}", "v2", `{"c":"z","l":[{"k":"a","v":"x"},{"k":"b","v":"y"}]}`, `{"c":"z","l":[{"k":"a","v":"x"}]}`},
		{"a list with keys in one version", "a: {type: string}, l: {type: array, items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}", "c: {type: string}, l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}", "{rename: spec.a, to: spec.c}", "v2", `{"c":"z","l":[{"k":"a","v":"x"},{"k":"b","v":"y"}]}`, `{"c":"z","l":[{"k":"a","v":"x"}]}`},
		{"a list without keys in one version", "a: {type: string}, l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}", "c: {type: string}, l: {type: array, items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}", "{rename: spec.a, to: spec.c}", "v2", `{"c":"z","l":[{"k":"a","v":"x"},{"k":"b","v":"y"}]}`, `{"c":"z","l":[{"k":"a","v":"x"}]}`},
		{"a renamed list with keys", "m: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}", "l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}", "{rename: spec.m, to: spec.l}", "v2", `{"l":[{"k":"a","v":"x"},{"k":"b","v":"y"}]}`, `{"l":[{"k":"a","v":"x"}]}`},
		{"a renamed list that gets keys", "m: {type: array, items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}", "l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}", "{rename: spec.m, to: spec.l}", "v2", `{"l":[{"k":"a","v":"x"},{"k":"b","v":"y"}]}`, `{"l":[{"k":"a","v":"x"}]}`},
		{"an element with a kept member", "l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}}", "l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}", "{each: spec.l, rules: [{drop: v, in: v2}]}", "v2", `{"l":[{"k":"a","v":"x"},{"k":"b","v":"y"}]}`, `{"l":[{"k":"a","v":"x"}]}`},
		{"a kept member of an element", "l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}}", "l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}", "{each: spec.l, rules: [{drop: v, in: v2}]}", "v2", `{"l":[{"k":"a","v":"x"},{"k":"b","v":"y"}]}`, `{"l":[{"k":"a","v":"x"},{"k":"b"}]}`},
		{"a renamed member of an element", "l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, w: {type: string}}}}", "l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}", "{each: spec.l, rules: [{rename: w, to: v}]}", "v2", `{"l":[{"k":"a","v":"x"},{"k":"b","v":"y"}]}`, `{"l":[{"k":"a","v":"x"},{"k":"b"}]}`},
		{"a set in one version", "a: {type: string}, l: {type: array, items: {type: string}}", "c: {type: string}, l: {type: array, x-kubernetes-list-type: set, items: {type: string}}", "{rename: spec.a, to: spec.c}", "v2", `{"c":"z","l":["x","y"]}`, `{"c":"z","l":["x"]}`},
		{"a kept list without keys", "n: {type: string}", "n: {type: string}, l: {type: array, items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}", "{drop: spec.l, in: v2}", "v2", `{"n":"z","l":[{"k":"a","v":"x"},{"k":"b"}]}`, `{"n":"z","l":[{"k":"a","v":"x"}]}`},
		{"nest", "n: {type: string}", "o: {type: object, properties: {n: {type: string}, a: {type: string}}}", "{nest: spec.n, to: spec.o, key: n}", "v2", `{"o":{"n":"z","a":"x"}}`, `{"o":{"n":"z"}}`},
	}
}

// TestLimitApplied applies a spec at one version, writes a label at the other one, and applies a part of
// the spec. crosswalk prove names the limit applied if something else goes, or the rest stays.
func TestLimitApplied(t *testing.T) {
	for _, tc := range withdrawals() {
		t.Run(tc.name, func(t *testing.T) {
			d := kind(t, tc.v1, tc.v2)
			text := "kind: Tmpl\ngroup: field.example.com\nconversions: [{from: v1, to: v2, rules: [" + tc.rules + "]}]\n"
			file, err := rules.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			def, err := apiserver.New(d.CRD)
			if err != nil {
				t.Fatal(err)
			}
			named := slices.ContainsFunc(prove.Decide(file, def).Limits, func(l prove.Limit) bool { return l.Limit == "applied" && strings.Contains(l.Text, "applies at "+tc.at) })
			other := map[string]string{"v1": "v2", "v2": "v1"}[tc.at]
			m := compiled(t, d, []byte(text), "v1", "v2")
			specs := [2]map[string]any{}
			for i, spec := range []string{tc.whole, tc.part} {
				if specs[i], err = apiserver.Decode([]byte(spec)); err != nil {
					t.Fatal(err)
				}
			}
			for _, stored := range []string{"v1", "v2"} {
				a := newAppliers(t, d, stored, m)
				a.apply(tc.at, "gitops", specs[0])
				a.label(other, "kubectl-edit")
				a.apply(tc.at, "gitops", specs[1])
				if got := a.at(tc.at).Object["spec"]; reflect.DeepEqual(got, any(specs[1])) == named {
					t.Errorf("stored in %s, the spec is %v after %s, and prove names the limit: %v", stored, got, tc.part, named)
				}
			}
		})
	}
}

// TestAdmissionAtAnotherVersion: an admission webhook for the other version sees an object with marks, and
// removes one value of the spec, or none. The way back has no marks, and the spec that the module makes.
func TestAdmissionAtAnotherVersion(t *testing.T) {
	for _, tc := range []struct{ dir, older, newer, spec string }{
		{"database", "v1beta1", "v1", `{"engine":"e","version":"16","replicas":3,"storage":{"size":"20Gi","class":"fast"},"tls":{"minVersion":"1.3"},"maintenance":{"window":"sun","duration":"2h"}}`},
		{"crontab", "v1", "v2", `{"image":"i","replicas":2,"min":"0","hour":"1","dayOfMonth":"2","month":"3","dayOfWeek":"4"}`},
	} {
		all, err := definition.ReadFile(filepath.Join("..", "..", "plugins", tc.dir, "crd.yaml"), "")
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join("..", "..", "plugins", tc.dir, "rules", "rules.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		m := compiled(t, all.Definition, text, tc.older, tc.newer)
		plain, err := host.NewConverter(host.ConverterConfig{Modules: host.Static(m.Routes())})
		if err != nil {
			t.Fatal(err)
		}
		spec, err := apiserver.Decode([]byte(tc.spec))
		if err != nil {
			t.Fatal(err)
		}
		a := newAppliers(t, all.Definition, tc.newer, m)
		a.apply(tc.newer, "gitops", spec)
		a.label(tc.older, "kubectl-edit")
		for _, from := range []string{tc.newer, tc.older} {
			seen := map[string]string{tc.newer: tc.older, tc.older: tc.newer}[from]
			object := a.at(from)
			object.SetResourceVersion("2")
			convert := func(o *unstructured.Unstructured, version string) *unstructured.Unstructured {
				out, err := a.ConvertToVersion(o, a.kind.WithVersion(version).GroupVersion())
				if err != nil {
					t.Fatal(err)
				}
				return out.(*unstructured.Unstructured)
			}
			outside := convert(object, seen)
			if marks := outside.GetAnnotations()["conversion."+a.kind.Group+"/applied"]; marks == "" {
				t.Fatalf("at %s, %s has no marks: %v", seen, tc.dir, outside.GetAnnotations())
			}
			whole, _, _ := unstructured.NestedMap(outside.Object, "spec")
			for _, path := range append(leaves(whole), nil) {
				edited := outside.DeepCopy()
				if path != nil {
					edited.Object["spec"] = removed(whole, path)
				}
				got := convert(edited, from)
				with := a.gateway
				a.gateway = plain
				want := convert(convert(object, seen), from)
				if path != nil {
					without := convert(object, seen)
					without.Object["spec"] = removed(whole, path)
					want = convert(without, from)
				}
				a.gateway = with
				if !reflect.DeepEqual(got.Object, want.Object) {
					t.Errorf("%s without %v at %s comes back to %s as\n\t%v\nnot\n\t%v", tc.dir, path, seen, from, got.Object, want.Object)
				}
			}
		}
	}
}

// TestLeftoverStaysGone is ../shared/cases/01: an object of the newer version carries a layer of its own
// version, and a client of the older one writes it.
func TestLeftoverStaysGone(t *testing.T) {
	d := tmpl(t)
	a := newAppliers(t, d, "v1alpha2", compiled(t, d, []byte(tmplRules), "v1alpha1", "v1alpha2"))
	text := `{"apiVersion":"field.example.com/v1alpha2","kind":"Tmpl","metadata":{"name":"t","namespace":"d","uid":"5a2e1f0c-0000-4000-8000-000000000001","annotations":{` +
		`"conversion.field.example.com/stash":"{\"v1alpha2\":{\"in\":\"v1alpha1\",\"kept\":[{\"for\":[],\"hash\":\"82a2a958a9bece5b\",\"set\":{\"/spec/grants\":[\"admin\"]}}]}}"}},"spec":{"text":"a"}}`
	object, err := apiserver.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	a.object = &unstructured.Unstructured{Object: object}
	if older := a.at("v1alpha1"); len(older.GetAnnotations()) > 0 {
		t.Errorf("the older version has %v", older.GetAnnotations())
	}
	a.label("v1alpha1", "kubectl")
	if got := a.object.Object["spec"]; !reflect.DeepEqual(got, map[string]any{"text": "a"}) || len(a.object.GetAnnotations()) > 0 {
		t.Errorf("after a label at the older version: %v", a.object.Object)
	}
}

// TestStatusWriterPlantsNothing: a client that may write /status only sends kept values and marks of another
// spec with its status. API servers take metadata and spec from the stored object, so the other version
// has the status, and nothing else. A client that may write the object can set all of its fields.
func TestStatusWriterPlantsNothing(t *testing.T) {
	const key = "conversion.field.example.com/"
	layer := func(member, grants string) string {
		return `{"v1alpha2":{"in":"v1alpha1","kept":[{"for":[],"hash":"82a2a958a9bece5b","` + member + `":{"/spec/grants":` + grants + `}}]}}`
	}
	for _, forged := range []map[string]string{
		{key + "stash": layer("set", `["admin"]`)},
		{key + "stash": layer("parts", "0"), key + "stash.v1alpha2.spec.grants": `["admin"]`},
		{key + "applied": `{"version":"v1alpha2","resourceVersion":"1","leaves":1,"hidden":{"/spec/grants":["admin"]}}`, key + "applied.v1alpha2.spec.grants": ""},
	} {
		for _, stored := range []string{"v1alpha1", "v1alpha2"} {
			for _, whole := range []bool{false, true} {
				d := tmpl(t)
				a := newAppliers(t, d, stored, compiled(t, d, []byte(tmplRules), "v1alpha1", "v1alpha2"))
				a.apply("v1alpha2", "gitops", map[string]any{"text": "a", "tls": map[string]any{"min": "1.2"}})
				a.label("v1alpha1", "kubectl")
				before := a.at("v1alpha2")
				old, sent := a.at("v1alpha1"), a.at("v1alpha1")
				annotations := sent.GetAnnotations()
				maps.Copy(annotations, forged)
				sent.SetAnnotations(annotations)
				sent.Object["status"] = map[string]any{"ready": true}
				old.SetResourceVersion("1")
				sent.SetResourceVersion("1")
				by := a.status["v1alpha1"]
				if whole {
					by = a.by["v1alpha1"]
				}
				now, err := by.Update(old, sent, "controller")
				if err == nil && !whole {
					statusStrategy(a.kind.WithVersion("v1alpha1")).PrepareForUpdate(t.Context(), now, old)
				}
				a.store(now, err)
				got := a.at("v1alpha2")
				grants, _, _ := unstructured.NestedStringSlice(got.Object, "spec", "grants")
				if planted := slices.Equal(grants, []string{"admin"}); whole {
					if planted != (forged[key+"stash"] != "") {
						t.Errorf("stored in %s, a write of the whole object with %v: %v", stored, forged, got.Object)
					}
					continue
				}
				if !reflect.DeepEqual(got.Object["spec"], before.Object["spec"]) || !reflect.DeepEqual(got.Object["status"], sent.Object["status"]) || !maps.Equal(got.GetAnnotations(), before.GetAnnotations()) {
					t.Errorf("stored in %s, a status with %v: %v", stored, forged, got.Object)
				}
				others := slices.DeleteFunc(got.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool { return e.Manager == "controller" })
				if !reflect.DeepEqual(others, before.GetManagedFields()) {
					t.Errorf("stored in %s, a status with %v takes fields from others: %v", stored, forged, others)
				}
			}
		}
	}
}

// TestManagerMoves: a manager applies at one version, then at the other one, and withdraws a value there in
// its first or second apply. After its second, the spec is as it applied it, also if somebody writes
// a label between: nothing is lost, and nothing stays. Only a value that is one field in the other version with
// others stays if it leaves with the move, as docs/use/apply.md says: API servers compare the sets there.
func TestManagerMoves(t *testing.T) {
	stays := []string{"split into an object", "a set from a text", "an object in a list", "a map from a list"}
	stays = append(stays, "a list with keys in one version", "a renamed list that gets keys", "a set in one version")
	elements := []string{"a list with keys in one version", "a set in one version", "a kept member of an element", "a kept list of objects", "the first of a list of objects", "a renamed list that gets keys"} // the limit applied
	for _, tc := range withdrawals() {
		t.Run(tc.name, func(t *testing.T) {
			d := kind(t, tc.v1, tc.v2)
			m := compiled(t, d, []byte("kind: Tmpl\ngroup: field.example.com\nconversions: [{from: v1, to: v2, rules: ["+tc.rules+"]}]\n"), "v1", "v2")
			other := map[string]string{"v1": "v2", "v2": "v1"}[tc.at]
			specs := [2]map[string]any{}
			for i, spec := range []string{tc.whole, tc.part} {
				var err error
				if specs[i], err = apiserver.Decode([]byte(spec)); err != nil {
					t.Fatal(err)
				}
			}
			for _, stored := range []string{"v1", "v2"} {
				for _, label := range []string{"", other, tc.at} {
					for i, first := range specs {
						a := newAppliers(t, d, stored, m)
						a.apply(tc.at, "once", specs[0])
						spec, _, _ := unstructured.NestedMap(a.at(other).Object, "spec")
						a.object = nil
						a.apply(other, "gitops", spec)
						if label != "" {
							a.label(label, "kubectl-edit")
						}
						a.apply(tc.at, "gitops", first)
						if got := a.at(tc.at).Object["spec"]; i == 0 && !reflect.DeepEqual(got, any(first)) {
							t.Errorf("stored in %s, with a label at %q, after the move: the spec is %v, not %v", stored, label, got, first)
						}
						a.apply(tc.at, "gitops", specs[1])
						if tc.name == "an element with a kept member" && i == 0 && label == other {
							got, _, _ := unstructured.NestedSlice(a.at(tc.at).Object, "spec", "l")
							if want := []any{map[string]any{"k": "a"}}; !reflect.DeepEqual(got, want) {
								t.Errorf("stored in %s, the neighbour is %v, not %v", stored, got, want)
							}
							a.apply(tc.at, "gitops", specs[1]) // brings the member back
						}
						known := i == 1 && slices.Contains(stays, tc.name) || i == 0 && label == other && slices.Contains(elements, tc.name)
						if got := a.at(tc.at).Object["spec"]; reflect.DeepEqual(got, any(specs[1])) == known {
							t.Errorf("stored in %s, with a label at %q, moved with %v: the spec is %v, and applied are %v", stored, label, first, got, specs[1])
						}
					}
				}
			}
		})
	}
}

// compiled returns the module of rules.
func compiled(t *testing.T, d definition.Definition, text []byte, older, newer string) modules.Set {
	t.Helper()
	file, err := rules.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	wasm, err := file.Module()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), fmt.Sprintf("%s_%s_%s.wasm", d.Kind(), older, newer))
	if err := os.WriteFile(name, wasm, 0o644); err != nil {
		t.Fatal(err)
	}
	set, _, err := modules.OpenAll(t.Context(), []string{name}, runtime.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(set.Close)
	return set
}

const tmplRules = "kind: Tmpl\ngroup: field.example.com\nconversions:\n- {from: v1alpha1, to: v1alpha2, rules: [{drop: spec.grants, in: v1alpha2}, {drop: spec.tls, in: v1alpha2}]}\n"

// kind returns a definition of Tmpl with fields of the spec of v1 and v2.
func kind(t *testing.T, v1, v2 string) definition.Definition {
	t.Helper()
	text := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: tmpls.field.example.com}\nspec:\n  group: field.example.com\n  scope: Namespaced\n  names: {kind: Tmpl, plural: tmpls, singular: tmpl, listKind: TmplList}\n  versions:\n"
	for i, fields := range []string{v1, v2} {
		text += fmt.Sprintf("  - {name: v%d, served: true, storage: %v, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {%s}}}}}}\n", i+1, i == 0, fields)
	}
	all, err := definition.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// tmpl returns the definition of ../shared/cases/01 and 02.
func tmpl(t *testing.T) definition.Definition {
	t.Helper()
	all, err := definition.Read([]byte(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tmpls.field.example.com}
spec:
  group: field.example.com
  scope: Namespaced
  names: {kind: Tmpl, plural: tmpls, singular: tmpl, listKind: TmplList}
  versions:
  - {name: v1alpha1, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {text: {type: string}}}}}}}
  - {name: v1alpha2, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {text: {type: string}, grants: {type: array, items: {type: string}}, tls: {type: object, properties: {min: {type: string}, max: {type: string}}}}}}}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}
