package e2e

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"github.com/crosswalk-gateway/crosswalk/test/internal/apiserver"
	"github.com/crosswalk-gateway/crosswalk/test/internal/native"
)

// example is a CRD and one object of it as it looks at each of two versions, before and after
// changes.
type example struct {
	dir       string // below plugins
	file      string
	was, now  string // the versions; was is stored
	first     pair
	patch     string // a merge patch at now …
	patched   pair   // … that makes this of first
	fragments pair   // the fragments of two appliers: one at was, one at now, without a common field
	together  pair   // the fragments merged
	refused   string // at was: an object that cannot be converted …
	words     string // … and the module's message
}

// pair is the same content at two versions, as YAML of everything but apiVersion, kind and
// metadata.
type pair struct{ was, now string }

var examples = []example{
	{
		dir: "crontab", file: crontabFile, was: "v1", now: "v2",
		first: pair{
			"spec: {cronSpec: 0 3 * * 1-5, image: a}",
			"spec: {min: '0', hour: '3', dayOfMonth: '*', month: '*', dayOfWeek: 1-5, image: a}",
		},
		patch: `{"spec":{"hour":"4"}}`,
		patched: pair{
			"spec: {cronSpec: 0 4 * * 1-5, image: a}",
			"spec: {min: '0', hour: '4', dayOfMonth: '*', month: '*', dayOfWeek: 1-5, image: a}",
		},
		fragments: pair{"spec: {cronSpec: 1 2 3 4 5}", "spec: {image: b}"},
		together: pair{
			"spec: {cronSpec: 1 2 3 4 5, image: b}",
			"spec: {min: '1', hour: '2', dayOfMonth: '3', month: '4', dayOfWeek: '5', image: b}",
		},
		refused: "spec: {cronSpec: '@daily'}",
		words:   `.spec.cronSpec must have five fields separated by spaces, but "@daily" has 1`,
	},
	{
		dir: "hostport", file: hostportFile, was: "v1beta1", now: "v1",
		first:     pair{"hostPort: localhost:8080", "{host: localhost, port: '8080'}"},
		patch:     `{"port":"9090"}`,
		patched:   pair{"hostPort: localhost:9090", "{host: localhost, port: '9090'}"},
		fragments: pair{"hostPort: example.com:443", "{}"},
		together:  pair{"hostPort: example.com:443", "{host: example.com, port: '443'}"},
		refused:   "hostPort: localhost",
		words:     `.hostPort must be "host:port" or "[IPv6 address]:port", but is "localhost"`,
	},
}

// TestExamples does with the example converters of each language, and with a native webhook to
// compare with, all that users do with custom resources, at both versions and with both versions of
// reviews.
func TestExamples(t *testing.T) {
	for _, language := range append(languages(t), "native") {
		t.Run(language, func(t *testing.T) {
			var url string
			if language == "native" {
				server, err := native.Start(shared.authority, native.Handler(native.Examples))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(server.Close)
				url = server.URL
			} else {
				url = pluginGateway(t, language).URL()
			}
			for _, example := range examples {
				for _, reviews := range []string{"v1", "v1beta1"} {
					t.Run(example.dir+" by "+reviews, func(t *testing.T) {
						if language != "native" {
							pluginModule(t, language, example.file)
						}
						crd := pluginCRD(t, example.dir)
						apiserver.WithoutPatterns(crd)
						install(t, shared.server, crd, url, shared.authority.PEM, reviews)
						s := &story{example: example, crd: crd, was: shared.server.Resource(crd, example.was), now: shared.server.Resource(crd, example.now)}
						s.tell(t)
					})
				}
			}
		})
	}
}

// story is the life of the objects of one CRD.
type story struct {
	example
	crd      *apiextensions.CustomResourceDefinition
	was, now dynamic.ResourceInterface
}

// tell runs the story. Each part goes on where the one before ended.
func (s *story) tell(t *testing.T) {
	events, err := s.now.Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()

	s.create(t)
	s.expectEvent(t, events, watch.Added, "a", s.first.now)
	s.expectEvent(t, events, watch.Added, "b", s.first.now)
	s.update(t)
	s.expectEvent(t, events, watch.Modified, "a", s.patched.now)
	s.expectEvent(t, events, watch.Modified, "b", s.patched.now)
	s.list(t)
	s.status(t)
	s.apply(t)
	s.remove(t)
	s.refuse(t) // last: a watch cache that meets an object it cannot convert starts over, which takes seconds
}

// at returns an object with a content at a version.
func (s *story) at(t *testing.T, version, name, content string) *unstructured.Unstructured {
	t.Helper()
	o := object(t, content)
	o.SetAPIVersion(s.crd.Spec.Group + "/" + version)
	o.SetKind(s.crd.Spec.Names.Kind)
	o.SetName(name)
	return o
}

// expect reads an object at both versions and compares contents, and that its metadata is the same,
// managedFields included.
func (s *story) expect(t *testing.T, name string, want pair) {
	t.Helper()
	was, now := get(t, s.was, name), get(t, s.now, name)
	same(t, name+" at "+s.crd.Spec.Group+"/"+s.example.was, content(was), object(t, want.was).Object)
	same(t, name+" at "+s.crd.Spec.Group+"/"+s.example.now, content(now), object(t, want.now).Object)
	same(t, "the metadata of "+name, metadata(now), metadata(was))
	if created := now.GetCreationTimestamp(); now.GetUID() == "" || len(now.GetManagedFields()) == 0 || created.IsZero() {
		t.Errorf("metadata is missing of\n%s", show(now))
	}
}

// content returns an object without the members that every object has, and without its status.
func content(o *unstructured.Unstructured) map[string]any {
	rest := o.DeepCopy().Object
	for _, name := range []string{"apiVersion", "kind", "metadata", "status"} {
		delete(rest, name)
	}
	return rest
}

func (s *story) create(t *testing.T) {
	a, b := s.at(t, s.example.was, "a", s.first.was), s.at(t, s.example.now, "b", s.first.now)
	for _, o := range []*unstructured.Unstructured{a, b} {
		o.SetLabels(map[string]string{"app.kubernetes.io/name": o.GetName()})
		o.SetAnnotations(map[string]string{"example.com/note": "größer <&> \u2028"})
		o.SetFinalizers([]string{"example.com/later"})
	}
	create(t, s.was, a)
	create(t, s.now, b)
	for _, name := range []string{"a", "b"} {
		s.expect(t, name, s.first)
		stored, err := shared.server.Stored(deadline(t), s.crd, name)
		if err != nil {
			t.Fatal(err)
		}
		same(t, name+" in etcd", content(stored), object(t, s.first.was).Object)
		if stored.GetAPIVersion() != s.crd.Spec.Group+"/"+s.example.was {
			t.Errorf("%s is stored at %s", name, stored.GetAPIVersion())
		}
	}
}

// update changes a by a patch and b by an update, both at the version that is not stored.
func (s *story) update(t *testing.T) {
	if _, err := s.now.Patch(deadline(t), "a", types.MergePatchType, []byte(s.patch), metav1.PatchOptions{}); err != nil {
		t.Fatalf("patching: %v", err)
	}
	s.expect(t, "a", s.patched)

	b := get(t, s.now, "b")
	for name, value := range object(t, s.patched.now).Object {
		b.Object[name] = value
	}
	if _, err := s.now.Update(deadline(t), b, metav1.UpdateOptions{}); err != nil {
		t.Fatalf("updating: %v", err)
	}
	s.expect(t, "b", s.patched)
}

func (s *story) list(t *testing.T) {
	create(t, s.was, s.at(t, s.example.was, "0", s.first.was))
	for version, client := range map[string]dynamic.ResourceInterface{s.example.was: s.was, s.example.now: s.now} {
		list, err := client.List(deadline(t), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, o := range list.Items {
			names = append(names, o.GetName())
			if o.GetAPIVersion() != s.crd.Spec.Group+"/"+version {
				t.Errorf("%s is listed at %s", o.GetName(), o.GetAPIVersion())
			}
		}
		same(t, "the list at "+version, names, []string{"0", "a", "b"})
	}
}

// status writes the status at the version that is not stored, if the CRD has one.
func (s *story) status(t *testing.T) {
	if sub := s.crd.Spec.Versions[0].Subresources; sub == nil || sub.Status == nil {
		return
	}
	a := get(t, s.now, "a")
	a.Object["status"] = map[string]any{"replicas": int64(3)}
	if _, err := s.now.UpdateStatus(deadline(t), a, metav1.UpdateOptions{}); err != nil {
		t.Fatalf("updating the status: %v", err)
	}
	s.expect(t, "a", s.patched)
	for _, client := range []dynamic.ResourceInterface{s.was, s.now} {
		same(t, "the status", get(t, client, "a").Object["status"], a.Object["status"])
	}
}

// apply lets two field managers apply parts of an object at different versions: the API server then
// converts fragments.
func (s *story) apply(t *testing.T) {
	byWas, byNow := metav1.ApplyOptions{FieldManager: "was"}, metav1.ApplyOptions{FieldManager: "now"}
	apply := func(client dynamic.ResourceInterface, version, content string, options metav1.ApplyOptions) {
		t.Helper()
		if _, err := client.Apply(deadline(t), "applied", s.at(t, version, "applied", content), options); err != nil {
			t.Fatalf("applying at %s: %v", version, err)
		}
	}
	apply(s.was, s.example.was, s.fragments.was, byWas)
	apply(s.now, s.example.now, s.fragments.now, byNow)
	s.expect(t, "applied", s.together)
	apply(s.now, s.example.now, s.fragments.now, byNow) // again: nothing changes
	s.expect(t, "applied", s.together)

	// If a manager gives up fields that it alone owned, they disappear at both versions.
	apply(s.now, s.example.now, "{}", byNow)
	applied := get(t, s.was, "applied")
	same(t, "what is left", content(applied), object(t, s.fragments.was).Object)
}

// refuse checks that the user reads the module's own words.
func (s *story) refuse(t *testing.T) {
	create(t, s.was, s.at(t, s.example.was, "refused", s.refused))
	_, err := s.now.Get(deadline(t), "refused", metav1.GetOptions{})
	if err == nil || !strings.Contains(err.Error(), s.words) {
		t.Errorf("the user reads\n\t%v\nwhich should contain\n\t%s", err, s.words)
	}
	if err := s.was.Delete(deadline(t), "refused", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}

// remove deletes at the version that is not stored. Finalizers hold a and b back until they are
// taken away, at that version too.
func (s *story) remove(t *testing.T) {
	ctx := deadline(t)
	if err := s.now.Delete(ctx, "applied", metav1.DeleteOptions{}); err != nil {
		t.Errorf("deleting: %v", err)
	}
	if err := s.now.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Errorf("deleting all: %v", err)
	}
	for _, name := range []string{"a", "b"} {
		o := get(t, s.now, name)
		if o.GetDeletionTimestamp() == nil {
			t.Errorf("%s is not being deleted", name)
		}
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"finalizers": nil, "resourceVersion": o.GetResourceVersion()}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.now.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Errorf("taking the finalizer of %s away: %v", name, err)
		}
	}
	list, err := s.was.List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 0 {
		t.Errorf("%d objects are left, %v", len(list.Items), err)
	}
}

// expectEvent waits for an event about an object and compares.
func (s *story) expectEvent(t *testing.T, events watch.Interface, kind watch.EventType, name, want string) {
	t.Helper()
	ctx := deadline(t)
	for {
		select {
		case event, open := <-events.ResultChan():
			if !open {
				t.Fatal("the watch ended")
			}
			o, is := event.Object.(*unstructured.Unstructured)
			if !is {
				t.Fatalf("the watch sent %s %v", event.Type, event.Object)
			}
			if event.Type == kind && o.GetName() == name {
				same(t, string(kind)+" "+name, content(o), object(t, want).Object)
				return
			}
		case <-ctx.Done():
			t.Fatalf("no %s for %s: %v", kind, name, context.Cause(ctx))
		}
	}
}
