package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestLive runs test --live and diff --live with the stored objects of a cluster, which are more
// than a page.
func TestLive(t *testing.T) {
	const stored = 130
	crd, p, _ := detached(t, "v1", "v2")
	config := kubeconfig(t)
	for i := 1; i < stored; i++ {
		create(t, shared.uncached.Resource(crd, "v1"), puppet("v1", fmt.Sprintf("object-%d", i), ""))
	}
	dir := modules(t, map[string][]byte{puppetFile: guest(t, "puppet")})
	code, output := crosswalk(t, config, "test", "--live", "Puppet."+puppetGroup, dir)
	if want := fmt.Sprintf("%d objects", stored); code != 0 || !strings.Contains(output, want) {
		t.Errorf("test --live ended with %d, want %q", code, want)
	}

	create(t, shared.uncached.Resource(crd, "v1"), puppet("v1", "lossy", script('0', `{"spec":{}}`)))
	code, output = crosswalk(t, config, "test", "--live", crd.Name, filepath.Join(dir, puppetFile))
	if code != 1 || !strings.Contains(output, "v1→v2→v1 spec") || !strings.Contains(output, "lost") {
		t.Errorf("test --live with an object that loses its spec ended with %d", code)
	}

	code, output = crosswalk(t, config, "diff", "--live", crd.Name, dir, dir)
	if want := fmt.Sprintf("v1→v2: 0 of %d objects differ", stored+1); code != 0 || !strings.Contains(output, want) {
		t.Errorf("diff --live of the same modules ended with %d, want %q", code, want)
	}
	if code, _ = crosswalk(t, config, "test", "--live", "nothing.example.com", dir); code != 2 {
		t.Errorf("test --live without a definition ended with %d", code)
	}

	list, err := shared.uncached.Resource(crd, "v1").List(deadline(t), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list.Items {
		if o.GetGeneration() != 1 || len(o.GetManagedFields()) != 1 {
			t.Errorf("%s was written", o.GetName())
		}
	}
	if reviews := metric(t, p, "crosswalk_reviews_total"); reviews != 0 {
		t.Errorf("the cluster's gateway converted %v times", reviews)
	}
}

// TestLiveTestsVersions: test --live calls nothing tested that it did not convert.
func TestLiveTestsVersions(t *testing.T) {
	crd := openCRD(puppetGroup, "Puppet", "v1", "v2", "v3")
	installPlain(t, shared.uncached, crd)
	config, content := kubeconfig(t), guest(t, "puppet")
	first, last := modules(t, map[string][]byte{puppetFile: content}), modules(t, map[string][]byte{"Puppet." + puppetGroup + "_v2_v3.wasm": content})
	test := func(code int, want string, args ...string) {
		t.Helper()
		if got, output := crosswalk(t, config, append([]string{"test", "--live", crd.Name}, args...)...); got != code || !strings.Contains(output, want) {
			t.Errorf("test --live ended with %d, want %d and %q", got, code, want)
		}
	}
	test(0, "skip   stored objects come back whole", first)
	create(t, shared.uncached.Resource(crd, "v1"), puppet("v1", "one", ""))
	test(0, "the modules do not convert the stored objects to v3", first)
	test(2, "the stored objects are read at v1, which the modules do not convert", last)
	if _, output := crosswalk(t, config, "test", "--live", crd.Name, first, last); strings.Contains(output, "do not convert") {
		t.Error("a chain of modules is not seen")
	}
}
