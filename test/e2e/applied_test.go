package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
	"github.com/crosswalk-gateway/crosswalk/test/internal/apiserver"
	"github.com/crosswalk-gateway/crosswalk/test/internal/artifacts"
	"github.com/crosswalk-gateway/crosswalk/test/internal/gateway"
	"github.com/crosswalk-gateway/crosswalk/test/internal/native"
)

// recorder passes reviews to a gateway and keeps them, with their answers.
type recorder struct {
	url    string
	client *http.Client

	mu      sync.Mutex
	reviews []recorded // guarded by mu
}

// recorded is one conversion.
type recorded struct {
	object, converted *unstructured.Unstructured
}

// startRecorder starts a recorder, and returns the URL for API servers.
func startRecorder(t *testing.T, p *gateway.Process) (*recorder, string) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(p.CA)
	r := &recorder{url: p.URL(), client: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}}
	server, err := native.Start(shared.authority, r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return r, server.URL
}

// ServeHTTP passes a review on.
func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	passed, err := r.client.Post(r.url+"?"+request.URL.RawQuery, "application/json", bytes.NewReader(body))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer passed.Body.Close()
	answer, _ := io.ReadAll(passed.Body)
	var asked struct {
		Request struct{ Objects []map[string]any }
	}
	var answered struct {
		Response struct{ ConvertedObjects []map[string]any }
	}
	_ = json.Unmarshal(body, &asked)
	_ = json.Unmarshal(answer, &answered)
	r.mu.Lock()
	for i, o := range answered.Response.ConvertedObjects {
		r.reviews = append(r.reviews, recorded{&unstructured.Unstructured{Object: asked.Request.Objects[i]}, &unstructured.Unstructured{Object: o}})
	}
	r.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(passed.StatusCode)
	_, _ = w.Write(answer)
}

// take returns the conversions since the last call.
func (r *recorder) take() []recorded {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.reviews
	r.reviews = nil
	return taken
}

// ruleGateway starts a gateway with a module of rules.
func ruleGateway(t *testing.T, text string) *gateway.Process {
	t.Helper()
	file, err := rules.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	wasm, err := file.Module()
	if err != nil {
		t.Fatal(err)
	}
	return readyGateway(t, modules(t, map[string][]byte{fmt.Sprintf("%s.%s_v1_v2.wasm", file.Kind, file.Group): wasm}))
}

// marked reports whether a value has marks for field managers (docs/spec/leaves.md).
func marked(value any) bool { return strings.Contains(show(value), "/applied") }

// noMarks checks that nothing that a client or etcd has of an object has marks.
func noMarks(t *testing.T, server *apiserver.Server, crd *apiextensions.CustomResourceDefinition, name string) {
	t.Helper()
	stored, err := server.Stored(deadline(t), crd, name)
	if err != nil || marked(stored) {
		t.Errorf("etcd has %s, %v", show(stored), err)
	}
	for _, version := range []string{"v1", "v2"} {
		at := server.Resource(crd, version)
		got := get(t, at, name)
		list, err := at.List(deadline(t), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if marked(got) || marked(list) {
			t.Errorf("a client of %s sees %s and %s", version, show(got), show(list))
		}
	}
}

// cronTabRules returns the definition of CronTab with a version stored, and the rules of the example.
func cronTabRules(t *testing.T, stored string) (*apiextensions.CustomResourceDefinition, string) {
	t.Helper()
	text, err := artifacts.Read("plugins", "crontab", "rules", "rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	crd := pluginCRD(t, "crontab")
	replicas := &apiextensions.CustomResourceSubresourceScale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"}
	for i := range crd.Spec.Versions {
		crd.Spec.Versions[i].Storage = crd.Spec.Versions[i].Name == stored
		crd.Spec.Versions[i].Subresources.Scale = replicas
	}
	return crd, string(text)
}

// TestFieldManagerConversions records the conversions of every verb: those of an object with a
// resourceVersion are the field manager's and admission's, so only they are answered with marks, and
// no mark reaches a client or etcd.
func TestFieldManagerConversions(t *testing.T) {
	for _, stored := range []string{"v1", "v2"} {
		t.Run("stored in "+stored, func(t *testing.T) {
			crd, text := cronTabRules(t, stored)
			r, url := startRecorder(t, ruleGateway(t, text))
			install(t, shared.server, crd, url, shared.authority.PEM)
			for _, version := range []string{"v1", "v2"} {
				at, other := shared.server.Resource(crd, version), shared.server.Resource(crd, map[string]string{"v1": "v2", "v2": "v1"}[version])
				spec := map[string]string{"v1": `{cronSpec: 0 1 2 3 4, image: i, replicas: 1}`, "v2": `{min: "0", hour: "1", dayOfMonth: "2", month: "3", dayOfWeek: "4", image: i, replicas: 1}`}
				ask := func(v, name string) *unstructured.Unstructured {
					return object(t, fmt.Sprintf("{apiVersion: stable.example.com/%s, kind: CronTab, metadata: {name: %s}, spec: %s}", v, name, spec[v]))
				}
				elsewhere := map[string]string{"v1": "v2", "v2": "v1"}[version]
				events, err := at.Watch(t.Context(), metav1.ListOptions{})
				if err != nil {
					t.Fatal(err)
				}
				defer events.Stop()
				apply := func(client dynamic.ResourceInterface, v string, dry ...string) func(context.Context) (any, error) {
					return func(ctx context.Context) (any, error) {
						return client.Apply(ctx, "a", ask(v, "a"), metav1.ApplyOptions{FieldManager: "gitops-" + v, Force: true, DryRun: dry})
					}
				}
				patch := func(kind types.PatchType, text string, subresources ...string) func(context.Context) (any, error) {
					return func(ctx context.Context) (any, error) {
						return at.Patch(ctx, "a", kind, []byte(text), metav1.PatchOptions{FieldManager: "kubectl"}, subresources...)
					}
				}
				update := func(dry ...string) func(context.Context) (any, error) {
					return func(ctx context.Context) (any, error) {
						o, err := at.Get(ctx, "a", metav1.GetOptions{})
						if err != nil {
							return nil, err
						}
						r.take()
						o.SetLabels(map[string]string{"updated": "at-" + version})
						return at.Update(ctx, o, metav1.UpdateOptions{FieldManager: "kubectl", DryRun: dry})
					}
				}
				for _, verb := range []struct {
					name    string
					manages bool // a field manager or admission may convert
					do      func(context.Context) (any, error)
				}{
					{"create at the other version", false, func(ctx context.Context) (any, error) {
						return other.Create(ctx, ask(elsewhere, "a"), metav1.CreateOptions{FieldManager: "kubectl"})
					}},
					{"create", false, func(ctx context.Context) (any, error) {
						return at.Create(ctx, ask(version, "b"), metav1.CreateOptions{FieldManager: "kubectl"})
					}},
					{"apply at the other version", true, apply(other, elsewhere)},
					{"apply", true, apply(at, version)},
					{"apply again", true, apply(at, version)},
					{"apply, dry run", true, apply(at, version, "All")},
					{"get", false, func(ctx context.Context) (any, error) { return at.Get(ctx, "a", metav1.GetOptions{}) }},
					{"list", false, func(ctx context.Context) (any, error) { return at.List(ctx, metav1.ListOptions{}) }},
					{"list from the cache", false, func(ctx context.Context) (any, error) {
						return at.List(ctx, metav1.ListOptions{ResourceVersion: "0"})
					}},
					{"update with a resourceVersion", true, update()},
					{"update, dry run", true, update("All")},
					{"update with another apiVersion", true, func(ctx context.Context) (any, error) {
						o, err := other.Get(ctx, "a", metav1.GetOptions{})
						if err != nil {
							return nil, err
						}
						r.take()
						if _, err = at.Update(ctx, o, metav1.UpdateOptions{}); err == nil {
							return nil, fmt.Errorf("it succeeded")
						}
						return nil, nil
					}},
					{"merge patch", true, patch(types.MergePatchType, `{"metadata":{"labels":{"a":"merged"}}}`)},
					{"JSON patch", true, patch(types.JSONPatchType, `[{"op":"add","path":"/metadata/labels/b","value":"added"}]`)},
					{"patch of the status", true, patch(types.MergePatchType, `{"status":{"replicas":2}}`, "status")},
					{"update of the status", true, func(ctx context.Context) (any, error) {
						o, err := at.Get(ctx, "a", metav1.GetOptions{}, "status")
						if err != nil {
							return nil, err
						}
						r.take()
						o.Object["status"] = map[string]any{"replicas": int64(3)}
						return at.UpdateStatus(ctx, o, metav1.UpdateOptions{FieldManager: "controller"})
					}},
					{"get of the scale", false, func(ctx context.Context) (any, error) { return at.Get(ctx, "a", metav1.GetOptions{}, "scale") }},
					{"patch of the scale", true, patch(types.MergePatchType, `{"spec":{"replicas":4}}`, "scale")},
					{"delete", false, func(ctx context.Context) (any, error) { return nil, at.Delete(ctx, "b", metav1.DeleteOptions{}) }},
				} {
					r.take()
					got, err := verb.do(deadline(t))
					if err != nil {
						t.Fatalf("%s at %s: %v", verb.name, version, err)
					}
					if marked(got) {
						t.Errorf("the answer to %s at %s has marks: %s", verb.name, version, show(got))
					}
					with, marks, all := 0, 0, r.take()
					for _, c := range all {
						if c.object.GetResourceVersion() != "" {
							with++
						}
						if marked(c.converted) {
							marks++
							if c.object.GetResourceVersion() == "" {
								t.Errorf("%s at %s: an object without a resourceVersion got marks: %s", verb.name, version, show(c.converted))
							}
						}
					}
					t.Logf("%s at %s: %d of %d conversions have a resourceVersion, %d answers have marks", verb.name, version, with, len(all), marks)
					if with > 0 && !verb.manages {
						t.Errorf("%s at %s: %d of %d conversions have a resourceVersion", verb.name, version, with, len(all))
					}
					noMarks(t, shared.server, crd, "a")
				}
				if err := at.DeleteCollection(deadline(t), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
					t.Fatal(err)
				}
				for _, c := range r.take() {
					if c.object.GetResourceVersion() != "" && marked(c.converted) {
						t.Errorf("deletecollection at %s: %s", version, show(c.converted))
					}
				}
				for deleted := false; !deleted; {
					event := <-events.ResultChan()
					if marked(event.Object) {
						t.Errorf("a watch at %s sees %s", version, show(event.Object))
					}
					o, _ := event.Object.(*unstructured.Unstructured)
					deleted = event.Type == "DELETED" && o.GetName() == "a"
				}
			}
		})
	}
}

// TestWithdrawnParts: a manager applies at v2, somebody writes a label at v1, and the manager applies
// without one value, and then without another. Each goes, and no other does, whatever v1 has in their
// place, and whichever version is stored.
func TestWithdrawnParts(t *testing.T) {
	const text = "{type: string}"
	for _, tc := range []struct {
		name, v1, v2, rules string
		specs               []string // at v2, each without a value of the last one
	}{
		{"a text of parts", "s: " + text, "a: {type: string}, b: {type: string}, c: {type: string}", "{split: spec.s, to: [spec.a, spec.b, spec.c], separator: ':'}",
			[]string{`{"a":"x","b":"y","c":"z"}`, `{"a":"x","b":"y"}`, `{"a":"x"}`}},
		{"an object in a list", "l: {type: array, items: {type: object, properties: {max: {type: string}, kind: {type: string}, size: {type: string}}}}", "o: {type: object, properties: {max: {type: string}, kind: {type: string}, size: {type: string}}}", "{unwrap: spec.l, to: spec.o}",
			[]string{`{"o":{"max":"x","kind":"y","size":"z"}}`, `{"o":{"kind":"y","size":"z"}}`, `{"o":{"size":"z"}}`}},
		{"a set from a text", "l: " + text, "l: {type: array, x-kubernetes-list-type: set, items: {type: string}}", "{splitList: spec.l, separator: ','}",
			[]string{`{"l":["x","y","z"]}`, `{"l":["x","z"]}`, `{"l":["z"]}`}},
		{"a map from a list", "m: {type: array, items: {type: object, properties: {k: {type: string}, v: {type: string}}}}", "m: {type: object, additionalProperties: {type: string}}", "{mapFromList: spec.m, key: k, value: v}",
			[]string{`{"m":{"a":"x","b":"y","c":"z"}}`, `{"m":{"b":"y","c":"z"}}`, `{"m":{"b":"y"}}`}},
		{"kept values that depend on the spec", "name: " + text, "name: {type: string}, o: {type: object, properties: {a: {type: string}, b: {type: string}}}", "{drop: spec.o, in: v2, for: [spec.name]}",
			[]string{`{"name":"z","o":{"a":"x","b":"y"}}`, `{"name":"z","o":{"a":"x"}}`, `{"o":{"a":"x"}}`}},
		{"a kept set", "name: " + text, "name: {type: string}, l: {type: array, x-kubernetes-list-type: set, items: {type: string}}", "{drop: spec.l, in: v2}",
			[]string{`{"name":"z","l":["x","y"]}`, `{"name":"z","l":["y"]}`, `{"name":"z"}`}},
	} {
		for _, stored := range []string{"v1", "v2"} {
			t.Run(tc.name+" stored in "+stored, func(t *testing.T) {
				p := ruleGateway(t, "kind: Tmpl\ngroup: field.example.com\nconversions: [{from: v1, to: v2, rules: ["+tc.rules+"]}]\n")
				crd := &apiextensions.CustomResourceDefinition{}
				crd.Name, crd.Spec.Group, crd.Spec.Scope = "tmpls.field.example.com", "field.example.com", apiextensions.NamespaceScoped
				crd.Spec.Names = apiextensions.CustomResourceDefinitionNames{Kind: "Tmpl", ListKind: "TmplList", Plural: "tmpls", Singular: "tmpl"}
				for _, v := range [][2]string{{"v1", tc.v1}, {"v2", tc.v2}} {
					schema := &apiextensions.JSONSchemaProps{}
					asJSON, err := json.Marshal(object(t, "{type: object, properties: {spec: {type: object, properties: {"+v[1]+"}}}}").Object)
					if err == nil {
						err = json.Unmarshal(asJSON, schema)
					}
					if err != nil {
						t.Fatal(err)
					}
					crd.Spec.Versions = append(crd.Spec.Versions, apiextensions.CustomResourceDefinitionVersion{
						Name: v[0], Served: true, Storage: v[0] == stored, Schema: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: schema},
					})
				}
				install(t, shared.uncached, crd, p.URL(), p.CA)
				withdraw(t, shared.uncached, crd, "a", tc.specs)
			})
		}
	}
}

// TestWithdrawnSchedule is TestWithdrawnParts for each of the five parts of the schedule in the example.
func TestWithdrawnSchedule(t *testing.T) {
	fields := []string{"min", "hour", "dayOfMonth", "month", "dayOfWeek"}
	for _, stored := range []string{"v1", "v2"} {
		t.Run("stored in "+stored, func(t *testing.T) {
			crd, text := cronTabRules(t, stored)
			p := ruleGateway(t, text)
			install(t, shared.server, crd, p.URL(), p.CA)
			for i, field := range fields {
				spec := map[string]any{"image": "i"}
				for n, f := range fields {
					spec[f] = fmt.Sprint(n)
				}
				var specs []string
				for _, left := range []string{"", field, fields[(i+2)%len(fields)]} {
					delete(spec, left)
					asJSON, _ := json.Marshal(spec)
					specs = append(specs, string(asJSON))
				}
				withdraw(t, shared.server, crd, strings.ToLower(field), specs)
			}
		})
	}
}

// withdraw applies the specs at v2, with a label at v1 after the first.
func withdraw(t *testing.T, server *apiserver.Server, crd *apiextensions.CustomResourceDefinition, name string, specs []string) {
	t.Helper()
	for i, text := range specs {
		o := object(t, fmt.Sprintf("{apiVersion: %s/v2, kind: %s, metadata: {name: %s}, spec: %s}", crd.Spec.Group, crd.Spec.Names.Kind, name, text))
		want := o.Object["spec"]
		got, err := server.Resource(crd, "v2").Apply(deadline(t), name, o, metav1.ApplyOptions{FieldManager: "gitops"})
		if err != nil {
			t.Fatalf("%s: applying %s: %v", name, text, err)
		}
		if !reflect.DeepEqual(got.Object["spec"], want) || marked(got) {
			t.Errorf("%s: after applying %s it is\n%s", name, text, show(got))
		}
		noMarks(t, server, crd, name)
		if i == 0 {
			if _, err := server.Resource(crd, "v1").Patch(deadline(t), name, types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{FieldManager: "kubectl-edit"}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
