package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/test/internal/apiserver"
)

// states returns the states of a plan's steps.
func states(t *testing.T, config string, args ...string) string {
	t.Helper()
	_, output := crosswalk(t, config, append(args, "-o", "json")...)
	var plan attach.Plan
	if err := json.Unmarshal([]byte(output), &plan); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	var words []string
	for _, s := range plan.Steps {
		words = append(words, s.Name+" "+string(s.State))
	}
	return strings.Join(words, ", ")
}

// TestRetire removes v1 by the commands plan and retire, while managers apply.
func TestRetire(t *testing.T) {
	c := newCronTabs(t)
	name, config := c.crd.Name, kubeconfig(t)
	for i := range 25 {
		object := fmt.Sprintf("cron-%d", i)
		c.mustApply(t, "v1", "old", object, "spec: {cronSpec: 0 7 * * *, image: one}")
		c.patch(t, c.v1, "updater", object, `{"spec":{"replicas":3}}`)
	}
	dir := t.TempDir()
	manifest := filepath.Join(dir, "cron.yaml")
	write := func(version string) {
		text := "apiVersion: stable.example.com/" + version + "\nkind: CronTab\nmetadata: {name: a}\n"
		if err := os.WriteFile(manifest, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("v1")

	same(t, "the plan", states(t, config, "plan", name, "--remove", "v1", "--idle", "0s"),
		"conversion DONE, objects DONE, serve DONE, store READY, migrate BLOCKED, unserve BLOCKED, managedFields BLOCKED, remove BLOCKED")
	same(t, "the plan to store v2", states(t, config, "plan", name), "conversion DONE, objects DONE, serve DONE, store READY, migrate BLOCKED")
	if code, output := crosswalk(t, config, "plan", name, "--max-samples", "1"); code != 0 || !strings.Contains(output, "1 object converted between v2, v1 and back; --max-samples leaves out the others\n") {
		t.Errorf("a plan with a sample ended with %d", code)
	}
	before := definition(t, name)
	if code, output := crosswalk(t, config, "retire", name, "v1", "--dry-run"); code != 0 || !strings.Contains(output, "READY    store new objects in v2") {
		t.Errorf("a dry run ended with %d", code)
	}
	if now := definition(t, name); now.ResourceVersion != before.ResourceVersion {
		t.Error("plan or a dry run changed the definition")
	}

	ctx, cancel := context.WithCancel(deadline(t))
	var wait sync.WaitGroup
	for _, manager := range []string{"old", "new", "new!"} {
		wait.Go(func() { // ends with the retirement
			for i := 0; ctx.Err() == nil; i++ {
				content := "metadata: {labels: {round: r" + fmt.Sprint(i) + "}}"
				if manager == "old" {
					content = "spec: {min: '0', hour: '7', dayOfMonth: '*', month: '*', dayOfWeek: '*', image: image-" + fmt.Sprint(i) + "}"
				}
				if _, err := c.apply(t, "v2", manager, fmt.Sprintf("cron-%d", i%10), content); err != nil {
					t.Errorf("%s applies at v2: %v", manager, err)
					return
				}
			}
		})
	}
	for _, step := range []struct {
		args []string
		code int
		want []string
	}{
		// Each run does the steps that are ready.
		{nil, 1, []string{"store new objects in v2", "rewrite the stored objects in v2", "BLOCKED  stop serving v1", "updater (Update) at v1: 25 objects, last written ", "or lower --idle"}},
		{[]string{"--idle", "0s", "-f", dir, "--yes"}, 1, []string{"cron.yaml:1 names v1", "remedy: move the manifests to v2"}},
		{[]string{"--idle", "0s"}, 1, []string{"stop serving v1? requests at v1 fail with 404 from then on. [y/N] ", "it was not confirmed"}},
	} {
		if code, output := crosswalk(t, config, append([]string{"retire", name, "v1"}, step.args...)...); code != step.code {
			t.Errorf("retire %q ended with %d", step.args, code)
		} else {
			for _, want := range step.want {
				if !strings.Contains(output, want) {
					t.Errorf("the output of retire %q does not contain %q", step.args, want)
				}
			}
		}
		if now := definition(t, name); len(now.Spec.Versions) != 2 || !now.Spec.Versions[0].Served {
			t.Fatalf("retire %q has unserved v1", step.args)
		}
	}
	write("v2")
	if _, output := crosswalk(t, config, "plan", name, "--remove", "v1", "--idle", "0s", "-f", dir); !strings.Contains(output, "1 manifest file read: none names v1") {
		t.Error("the plan does not say that manifests were read")
	}
	code, output := crosswalk(t, config, "retire", name, "v1", "--idle", "0s", "-f", dir, "--yes")
	cancel()
	wait.Wait()
	if code != 0 || !strings.Contains(output, "managedFields of ") || !strings.Contains(output, "8  DONE     remove v1\n              versions: v2\n              the manifest of the definition must not have v1 either: ") {
		t.Errorf("retire ended with %d", code)
	}
	now := definition(t, name)
	if len(now.Spec.Versions) != 1 || now.Spec.Versions[0].Name != "v2" || now.Spec.Conversion.Strategy != apiextensions.NoneConverter {
		t.Errorf("the definition is\n%s", show(now.Spec))
	}
	if code, _ := crosswalk(t, config, "retire", name, "v1"); code != 0 {
		t.Errorf("retire ended with %d when all was done", code)
	}
	c.mustApply(t, "v2", "old", "cron-20", "spec: {min: '0', hour: '8', dayOfMonth: '*', month: '*', dayOfWeek: '*'}")
	o := c.mustApply(t, "v2", "new", "cron-20", "spec: {image: two}")
	if replicas, _, _ := unstructured.NestedInt64(o.Object, "spec", "replicas"); replicas != 3 {
		t.Errorf("the object is\n%s", show(o.Object))
	}
}

// TestRetireStops asserts that retire changes nothing that it should not when something is wrong.
func TestRetireStops(t *testing.T) {
	c := newCronTabs(t)
	name, config := c.crd.Name, kubeconfig(t)
	c.mustApply(t, "v1", "old", "good", "spec: {cronSpec: 0 7 * * *, image: one}")
	before := definition(t, name)
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"retire", name}, 2, "name one CustomResourceDefinition and one of its versions"},
		{[]string{"retire", "none.example.com", "v1"}, 2, "kubectl get crds lists all"},
		{[]string{"retire", name, "v1", "-o", "json"}, 2, "-o json cannot ask: use --yes or --dry-run"},
		{[]string{"retire", name, "stable.example.com/v1", "--yes"}, 2, "VERSION must be the name of a version, such as v1"},
		{[]string{"retire", name, "", "--yes"}, 2, "name one CustomResourceDefinition and one of its versions"},
		{[]string{"retire", name, "v1", "--rate", "0"}, 2, "--rate must be positive"},
		{[]string{"retire", name, "v1", "-f", "none"}, 2, "none does not exist"},
		{[]string{"plan", name, "--to", "v3"}, 2, "crontabs.stable.example.com does not name the version v3, but v1, v2: add it first, unserved"},
		{[]string{"plan", name, "--remove", "v1x"}, 2, "crontabs.stable.example.com does not name the version v1x, but v1, v2, and no object has managedFields at v1x"},
		{[]string{"retire", name, "v1x", "--yes"}, 2, "either nothing is left to do, or the version is mistyped"},
		{[]string{"plan", name, "--to", "v1", "--remove", "v2"}, 2, "--to and --remove exclude each other"},
		{[]string{"plan", name, "-f", "."}, 2, "-f is for --remove"},
	} {
		if code, output := crosswalk(t, config, test.args...); code != test.code || !strings.Contains(output, test.want) {
			t.Errorf("crosswalk %q ended with %d", test.args, code)
		}
	}

	// An object that was stored before the definition had its pattern does not convert.
	bad := get(t, c.v1, "good")
	bad.SetName("bad")
	bad.SetUID("00000000-0000-4000-8000-000000000001")
	if err := unstructured.SetNestedField(bad.Object, "@daily", "spec", "cronSpec"); err != nil {
		t.Fatal(err)
	}
	if err := shared.uncached.Store(deadline(t), c.crd, bad); err != nil {
		t.Fatal(err)
	}
	code, output := crosswalk(t, config, "retire", name, "v1", "--yes", "--idle", "0s")
	if code != 1 || !strings.Contains(output, "1  DONE ") || !strings.Contains(output, "2  BLOCKED  the stored objects convert\n              default/bad: to v2: ") {
		t.Errorf("with an object that does not convert, retire ended with %d", code)
	}
	if now := definition(t, name); now.ResourceVersion != before.ResourceVersion {
		t.Error("the definition was changed")
	}
	if err := c.v1.Delete(deadline(t), "bad", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}

	// Somebody else changes the definition between each plan and the write that follows: nothing is written.
	target := find(t, c.cluster, name)
	all := quietly()
	raced, changes := all, 0
	raced.Step = func(int, attach.Step) {
		changes++
		if err := shared.uncached.Update(deadline(t), name, func(crd *apiextensions.CustomResourceDefinition) {
			crd.Spec.Names.ShortNames = []string{"ct", fmt.Sprint("x", changes)}
		}); err != nil {
			t.Error(err)
		}
	}
	const others = "store new objects in v2: somebody else goes on changing the definition, and this step wrote nothing: wait for the end of that, then run the command again"
	if _, err := c.cluster.Retire(deadline(t), target, attach.Goal{Remove: "v1"}, raced); err == nil || err.Error() != others || changes != 6 {
		t.Errorf("a definition that was changed %d times: %v", changes, err)
	}
	if now := definition(t, name); now.Spec.Versions[1].Storage {
		t.Error("the definition was changed nevertheless")
	}

	// A GitOps engine takes a change back: v2 is stored, then v1 again.
	reverting := all
	reverting.Step = func(_ int, s attach.Step) {
		if s.Name != attach.StepMigrate {
			return
		}
		if err := shared.uncached.Update(deadline(t), name, func(crd *apiextensions.CustomResourceDefinition) {
			crd.Spec.Versions[0].Storage, crd.Spec.Versions[1].Storage = true, false
		}); err != nil {
			t.Error(err)
		}
	}
	_, err := c.cluster.Retire(deadline(t), find(t, c.cluster, name), attach.Goal{Remove: "v1"}, reverting)
	if err == nil || !strings.Contains(err.Error(), "storage version of crontabs.stable.example.com changed from v2 to v1 meanwhile") {
		t.Errorf("retire ended with %v although somebody took its change back", err)
	}
	// A faster engine does so while retire waits for the change's effect.
	ctx := deadline(t)
	reverting.Step = func(int, attach.Step) {
		go func() { // ends when it has taken the change back
			for taken := false; !taken && ctx.Err() == nil; {
				_ = shared.uncached.Update(ctx, name, func(crd *apiextensions.CustomResourceDefinition) {
					taken = crd.Spec.Versions[1].Storage
					crd.Spec.Versions[0].Storage, crd.Spec.Versions[1].Storage = true, false
				})
			}
		}()
	}
	_, err = c.cluster.Retire(ctx, find(t, c.cluster, name), attach.Goal{Remove: "v1"}, reverting)
	if err == nil || !strings.Contains(err.Error(), "store new objects in v2 was done, and is undone") {
		t.Errorf("retire ended with %v although somebody took its change back", err)
	}
	if now := definition(t, name); len(now.Spec.Versions) != 2 || !now.Spec.Versions[0].Served || !slices.Contains(now.Status.StoredVersions, "v1") {
		t.Errorf("the definition is\n%s", show(now))
	}
}

// TestRetireWithoutGateway: the gateway ends between two steps. Nothing that needs it goes on, and a
// gateway that nobody needs any more holds nothing up.
func TestRetireWithoutGateway(t *testing.T) {
	p := readyGateway(t, modules(t, map[string][]byte{puppetFile: guest(t, "puppet")}))
	crd := openCRD(puppetGroup, "Puppet", "v1", "v2")
	install(t, shared.uncached, crd, p.URL(), p.CA)
	create(t, shared.uncached.Resource(crd, "v1"), puppet("v1", "one", ""))
	config := kubeconfig(t)
	retire := func(code int, wants ...string) {
		t.Helper()
		got, output := crosswalk(t, config, "retire", crd.Name, "v1", "--idle", "0s", "--yes")
		if got != code {
			t.Errorf("retire ended with %d, want %d", got, code)
		}
		for _, want := range wants {
			if !strings.Contains(output, want) {
				t.Errorf("the output does not contain %q", want)
			}
		}
	}
	unserve := func(crd *apiextensions.CustomResourceDefinition) {
		crd.Spec.Versions[0] = apiextensions.CustomResourceDefinitionVersion{Name: "v1", Schema: crd.Spec.Versions[0].Schema}
		crd.Spec.Versions[1].Storage = true
	}
	if err := shared.uncached.Update(deadline(t), crd.Name, unserve); err != nil {
		t.Fatal(err)
	}
	eventually.Succeeds(t, "the API server to follow", func() error {
		if _, err := shared.uncached.Resource(crd, "v1").List(deadline(t), metav1.ListOptions{}); err == nil {
			return errors.New("v1 is served")
		}
		return nil
	})
	if err := uncached(t).MigrateStorage(deadline(t), definition(t, crd.Name), attach.Migration{Rate: 1e6}); err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	retire(1, "1  BLOCKED  the conversion answers", "connection refused", "7  BLOCKED  carry managedFields over to v2")
	if err := uncached(t).MigrateFields(deadline(t), definition(t, crd.Name), attach.Migration{Rate: 1e6}); err == nil || !strings.Contains(err.Error(), "managedFields of 0 objects are carried over: run the command again to go on") {
		t.Errorf("carrying over without a gateway: %v", err)
	}
	if now := definition(t, crd.Name); len(now.Spec.Versions) != 2 {
		t.Fatal("v1 was removed")
	}
	heal := []byte(`{"metadata":{"managedFields":[{}]}}`)
	if _, err := shared.uncached.Resource(crd, "v2").Patch(deadline(t), "one", types.MergePatchType, heal, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	retire(0, "8  DONE     remove v1")
}

// uncached returns the API server without a watch cache.
func uncached(t *testing.T) *attach.Cluster {
	t.Helper()
	cluster, err := attach.NewCluster(shared.uncached.REST)
	if err != nil {
		t.Fatal(err)
	}
	return cluster
}

// quietly retires without a question and without a word.
func quietly() attach.Retirement {
	return attach.Retirement{
		Migration: attach.Migration{Rate: 1e6, Report: func(attach.Progress) {}},
		Confirm:   func(attach.Step) error { return nil },
		Step:      func(int, attach.Step) {},
	}
}

// TestRetireTwice: two people retire the same version at once. Both end with success, and the definition
// is right.
func TestRetireTwice(t *testing.T) {
	c := newCronTabs(t)
	for i := range 10 {
		c.mustApply(t, "v1", "old", fmt.Sprintf("cron-%d", i), "spec: {cronSpec: 0 7 * * *, image: one}")
	}
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() { // ends when v1 is removed
			plan, err := c.cluster.Retire(t.Context(), find(t, c.cluster, c.crd.Name), attach.Goal{Remove: "v1"}, quietly())
			if err != nil || plan.Next() != nil {
				t.Errorf("retire ended with %s, %v", show(plan), err)
			}
		})
	}
	wait.Wait()
	for i := range 10 {
		c.mustApply(t, "v2", "old", fmt.Sprintf("cron-%d", i), "spec: {min: '0', hour: '8', dayOfMonth: '*', month: '*', dayOfWeek: '*'}")
	}
}

// TestRetireAfterAnother: another run has done each step before the first one can, which then goes on
// with the next.
func TestRetireAfterAnother(t *testing.T) {
	c := newCronTabs(t)
	c.mustApply(t, "v1", "old", "a", "spec: {cronSpec: 0 7 * * *, image: one}")
	goal := attach.Goal{Remove: "v1"}
	var steps []string
	again := 0
	first := quietly()
	first.Report = func(p attach.Progress) {
		if p.Text == "somebody else has changed crontabs.stable.example.com meanwhile: looking again" {
			again++
		}
	}
	first.Step = func(_ int, s attach.Step) {
		steps = append(steps, s.Name)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		other := quietly()
		other.Step = func(_ int, next attach.Step) {
			if next.Name != s.Name {
				cancel() // it has done this step
			}
		}
		if _, err := c.cluster.Retire(ctx, find(t, c.cluster, c.crd.Name), goal, other); err != nil && ctx.Err() == nil {
			t.Errorf("the other run ended before %q with %v", s.Title, err)
		}
	}
	plan, err := c.cluster.Retire(t.Context(), find(t, c.cluster, c.crd.Name), goal, first)
	if err != nil || plan.Next() != nil {
		t.Errorf("retire ended with %s, %v", show(plan), err)
	}
	same(t, "the list of steps", steps, []string{"store", "migrate", "unserve", "managedFields", "remove"})
	if again != 3 { // the other steps do not change the specification
		t.Errorf("retire looked again %d times", again)
	}
	c.mustApply(t, "v2", "old", "a", "spec: {min: '0', hour: '8', dayOfMonth: '*', month: '*', dayOfWeek: '*'}")
}

// TestRetireDuringAnother: another run removes the version while the first measures its plan, which is of
// a definition that was never so. The first looks again, and finds all done.
func TestRetireDuringAnother(t *testing.T) {
	c := newCronTabs(t)
	c.mustApply(t, "v1", "old", "a", "spec: {cronSpec: 0 7 * * *, image: one}")
	goal := attach.Goal{Remove: "v1"}
	config := rest.CopyConfig(shared.uncached.REST)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &before{next: next, match: func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/v1/crontabs") }, do: func() {
			if _, err := c.cluster.Retire(t.Context(), find(t, c.cluster, c.crd.Name), goal, quietly()); err != nil {
				t.Errorf("the other run ended with %v", err)
			}
		}}
	})
	cluster, err := attach.NewCluster(config)
	if err != nil {
		t.Fatal(err)
	}
	first := quietly()
	first.Step = func(_ int, s attach.Step) { t.Errorf("retire did %q", s.Title) }
	plan, err := cluster.Retire(t.Context(), find(t, c.cluster, c.crd.Name), goal, first)
	if err != nil || plan.Next() != nil {
		t.Errorf("retire ended with %s, %v", show(plan), err)
	}
	if now := definition(t, c.crd.Name); len(now.Spec.Versions) != 1 {
		t.Errorf("the definition is\n%s", show(now.Spec))
	}
}

// TestRetireDeletedDefinition: the definition is deleted, and created again, while v1 is retired.
func TestRetireDeletedDefinition(t *testing.T) {
	c := newCronTabs(t)
	c.mustApply(t, "v1", "old", "a", "spec: {cronSpec: 0 7 * * *, image: one}")
	c.storeV2(t)
	_, err := c.cluster.Retire(deadline(t), find(t, c.cluster, c.crd.Name), attach.Goal{Remove: "v1"}, attach.Retirement{
		Migration: attach.Migration{Rate: 1e6, Report: func(attach.Progress) {}},
		Step:      func(int, attach.Step) {},
		Confirm: func(attach.Step) error {
			if err := shared.uncached.Remove(deadline(t), c.crd); err != nil {
				return err
			}
			again := c.crd.DeepCopy()
			again.ResourceVersion, again.UID = "", types.UID("")
			return shared.uncached.Install(deadline(t), again)
		},
	})
	if err == nil || !strings.Contains(err.Error(), "meanwhile") {
		t.Errorf("retire ended with %v", err)
	}
	if now := definition(t, c.crd.Name); len(now.Spec.Versions) != 2 || !now.Spec.Versions[0].Served {
		t.Errorf("the new definition was changed:\n%s", show(now.Spec))
	}
}

// TestRetireVersionsWithOneSchema: versions with one schema need no webhook, as those of Gateway API and
// Istio. No command asks for one, and retire removes the stored version. One field more asks for a webhook.
func TestRetireVersionsWithOneSchema(t *testing.T) {
	const spec, more = "host: {type: string}, subsets: {type: array, items: {type: object, properties: {name: {type: string}}}}", ", more: {type: string}"
	install := func(last string) *apiextensions.CustomResourceDefinition {
		t.Helper()
		text := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: destrules.field.example.com}\nspec:\n  group: field.example.com\n  scope: Namespaced\n  names: {kind: DestRule, plural: destrules, singular: destrule, listKind: DestRuleList}\n  versions:\n"
		for _, version := range []string{"v1alpha3", "v1beta1", "v1"} {
			fields := spec
			if version == "v1" {
				fields += last
			}
			text += fmt.Sprintf("  - {name: %s, served: true, storage: %v, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {%s}}}}}}\n", version, version == "v1alpha3", fields)
		}
		crd, err := apiserver.ParseCRD([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		installPlain(t, shared.uncached, crd)
		for _, name := range []string{"a", "b", "c"} {
			create(t, shared.uncached.Resource(crd, "v1alpha3"), object(t, "apiVersion: field.example.com/v1alpha3\nkind: DestRule\nmetadata: {name: "+name+"}\nspec: {host: h}"))
		}
		return crd
	}
	config := kubeconfig(t)
	t.Run("one field more", func(t *testing.T) {
		crd := install(more)
		if code, output := crosswalk(t, config, "plan", crd.Name, "--remove", "v1alpha3"); code != 1 || !strings.Contains(output, "1  BLOCKED  ") || !strings.Contains(output, "differ: spec.more: ") {
			t.Errorf("plan ended with %d", code)
		}
		if code, _ := crosswalk(t, config, "explain", crd.Name); code != 1 {
			t.Errorf("explain ended with %d", code)
		}
		if err := shared.uncached.Remove(deadline(t), crd); err != nil {
			t.Fatal(err)
		}
	})
	crd := install("")
	if code, output := crosswalk(t, config, "plan", crd.Name, "--remove", "v1alpha3"); strings.Contains(output, "BLOCKED  convert") || !strings.Contains(output, "1  DONE     ") || !strings.Contains(output, "have one schema") || strings.Contains(output, "crosswalk attach") {
		t.Errorf("plan ended with %d", code)
	}
	for _, command := range []string{"explain", "status"} {
		if code, output := crosswalk(t, config, command, crd.Name); code != 0 || strings.Contains(output, "FAIL") {
			t.Errorf("%s ended with %d", command, code)
		}
	}
	if code, _ := crosswalk(t, config, "retire", crd.Name, "v1alpha3", "--idle", "0s", "--yes"); code != 0 {
		t.Errorf("retire ended with %d", code)
	}
	if now := definition(t, crd.Name); len(now.Spec.Versions) != 2 || now.Spec.Conversion.Strategy != apiextensions.NoneConverter {
		t.Errorf("the definition is\n%s", show(now.Spec))
	}
	for _, name := range []string{"a", "b", "c"} {
		if o := get(t, shared.uncached.Resource(crd, "v1"), name); show(o.Object["spec"]) != "host: h\n" {
			t.Errorf("%s is\n%s", name, show(o.Object))
		}
	}
}
