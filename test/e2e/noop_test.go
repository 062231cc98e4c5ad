package e2e

import (
	"fmt"
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// TestNoop is upstream's noop-converter case: only the apiVersion changes, for any object.
func TestNoop(t *testing.T) {
	for _, reviews := range []string{"v1", "v1beta1"} {
		t.Run(reviews, func(t *testing.T) {
			v1, v2, _ := puppets(t, reviews)
			o := object(t, `
				apiVersion: puppet.example.com/v1
				kind: Puppet
				metadata: {name: noop, annotations: {text: "<b> & \u2028 \"quoted\" \\ größer"}}
				spec:
				  beyondFloat64: 9007199254740993
				  least: -9223372036854775808
				  beyondInt64: 100000000000000000000
				  twoTo64: -18446744073709551616
				  fraction: 0.1
				  nothing: {}
				  empty: ""
				  list: [1, "two", [3], {four: 4}]
				  text: "<b> & \u2028 \"quoted\" \\ größer \U0001F600"
				`)
			create(t, v1, o)
			before, after := get(t, v1, "noop"), get(t, v2, "noop")
			after.SetAPIVersion(before.GetAPIVersion())
			same(t, "the object at v2", after, before)

			o.SetAPIVersion(puppetGroup + "/v2")
			o.SetName("noop-2")
			create(t, v2, o)
			before, after = get(t, v2, "noop-2"), get(t, v1, "noop-2")
			after.SetAPIVersion(before.GetAPIVersion())
			same(t, "the object at v1", after, before)

			before.Object["status"] = map[string]any{"observed": int64(9007199254740993)}
			if _, err := v2.UpdateStatus(deadline(t), before, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			same(t, "the status at v1", get(t, v1, "noop-2").Object["status"], before.Object["status"])
		})
	}
}

// TestMixedStorage: objects that are stored at different versions read alike at every version, and
// in the order of their names. This is upstream's mixed-storage case and the "non homogeneous list"
// of the conformance tests.
func TestMixedStorage(t *testing.T) {
	p := readyGateway(t, modules(t, map[string][]byte{puppetFile: guest(t, "puppet")}))
	crd := openCRD(puppetGroup, "Puppet", "v1", "v2")
	install(t, shared.uncached, crd, p.URL(), p.CA)
	ctx := deadline(t)
	clients := map[string]dynamic.ResourceInterface{"v1": shared.uncached.Resource(crd, "v1"), "v2": shared.uncached.Resource(crd, "v2")}

	// Written as if the storage version had been changed again and again: each object is in etcd at
	// the version it was made at.
	const count = 40
	for n := range count {
		version := []string{"v1", "v2", "v2"}[n%3]
		o := puppet(version, fmt.Sprintf("o-%02d", n), "")
		o.SetUID(types.UID(fmt.Sprintf("uid-%02d", n)))
		o.SetCreationTimestamp(metav1.Now())
		o.Object["spec"] = map[string]any{"n": int64(n)}
		if err := shared.uncached.Store(ctx, crd, o); err != nil {
			t.Fatal(err)
		}
	}
	for version, client := range clients {
		list, err := client.List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Items) != count {
			t.Errorf("%d objects at %s", len(list.Items), version)
		}
		for n, o := range list.Items {
			number, _, _ := unstructured.NestedInt64(o.Object, "spec", "n")
			if o.GetName() != fmt.Sprintf("o-%02d", n) || number != int64(n) || o.GetAPIVersion() != puppetGroup+"/"+version || o.GetLabels()["keep"] != "me" {
				t.Errorf("object %d at %s is\n%s", n, version, show(o))
			}
		}
	}
}

// TestStorageVersion is upstream's storage-version case: the stored version changes, and objects
// stored before and after the change can be read.
func TestStorageVersion(t *testing.T) {
	p := readyGateway(t, modules(t, map[string][]byte{puppetFile: guest(t, "puppet")}))
	crd := openCRD(puppetGroup, "Puppet", "v1", "v2")
	install(t, shared.server, crd, p.URL(), p.CA)
	ctx := deadline(t)
	v1, v2 := shared.server.Resource(crd, "v1"), shared.server.Resource(crd, "v2")
	for n, stored := range []string{"v1", "v2", "v1"} {
		err := shared.server.Update(ctx, crd.Name, func(crd *apiextensions.CustomResourceDefinition) {
			for i := range crd.Spec.Versions {
				crd.Spec.Versions[i].Storage = crd.Spec.Versions[i].Name == stored
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		// The API server follows a moment later: until then it stores new objects at the old
		// version.
		try := 0
		eventually.Succeeds(t, "new objects at "+stored, func() error {
			name := fmt.Sprintf("o-%d-%d", n, try)
			try++
			o := puppet("v2", name, "")
			o.Object["spec"] = map[string]any{"n": int64(n)}
			create(t, v2, o)
			inEtcd, err := shared.server.Stored(ctx, crd, name)
			if err != nil {
				t.Fatal(err)
			}
			if at := inEtcd.GetAPIVersion(); at != puppetGroup+"/"+stored {
				return fmt.Errorf("%s is stored at %s", name, at)
			}
			return nil
		})
	}
	all, err := v1.List(ctx, metav1.ListOptions{})
	if err != nil || len(all.Items) < 3 {
		t.Fatalf("%d objects at v1, %v", len(all.Items), err)
	}
	for i := range all.Items {
		before := &all.Items[i]
		after := get(t, v2, before.GetName())
		after.SetAPIVersion(before.GetAPIVersion())
		same(t, before.GetName()+" at v2", after, before)
	}
}

// TestJudgeLists: a review may hold many objects, in several versions, though API servers of today
// send one at a time.
func TestJudgeLists(t *testing.T) {
	for name, j := range judges(t) {
		t.Run(strings.ReplaceAll(name, "/", ""), func(t *testing.T) {
			list := puppetList(1000)
			got, err := j.ConvertList(list, "v2")
			if err != nil {
				t.Fatal(err)
			}
			for n := range list.Items {
				list.Items[n].SetAPIVersion(puppetGroup + "/v2")
			}
			if !equality.Semantic.DeepEqual(got, list) {
				t.Error("the list came back different")
			}

			// One object that is refused fails them all, and is named: the 250th of those that are
			// sent, which are the ones at v1.
			list = puppetList(1000)
			list.Items[500] = *puppet("v1", "bad", script('1', "not this one"))
			_, err = j.ConvertList(list, "v2")
			want := "conversion webhook for puppet.example.com/v2, Kind=PuppetList failed: cannot convert object 250 (default/bad) of " +
				"Puppet.puppet.example.com from v1 to v2: not this one [refused by module " + signed(puppetFile, guest(t, "puppet")) + "]"
			if err == nil || err.Error() != want {
				t.Errorf("the user reads\n\t%v\nand not\n\t%s", err, want)
			}
		})
	}
}

// puppetList returns objects that are at v1 and v2 in turn.
func puppetList(count int) *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": puppetGroup + "/v2", "kind": "PuppetList"}}
	for n := range count {
		o := puppet([]string{"v1", "v2"}[n%2], fmt.Sprintf("o-%d", n), "")
		o.Object["spec"] = map[string]any{"n": int64(n)}
		list.Items = append(list.Items, *o)
	}
	return list
}
