package e2e

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

// before is a transport that does something before the first request of a kind.
type before struct {
	next  http.RoundTripper
	match func(*http.Request) bool
	do    func()
	once  sync.Once
}

func (b *before) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.match(r) {
		b.once.Do(b.do)
	}
	return b.next.RoundTrip(r)
}

// TestDefinitionDeletedMeanwhile: somebody deletes a definition, or deletes it and creates it again,
// before the first write of each command. The command says so; it neither creates nor changes a
// definition.
func TestDefinitionDeletedMeanwhile(t *testing.T) {
	c := newCronTabs(t)
	name := c.crd.Name
	gateway := attach.Gateway{URL: *c.crd.Spec.Conversion.Webhook.ClientConfig.URL, CA: shared.authority.PEM}
	plain := c.crd.DeepCopy() // without a stanza, and with one version in use
	plain.Spec.Conversion = nil
	plain.Spec.Versions[1].Served = false
	single := plain.DeepCopy()
	single.Spec.Conversion = c.crd.Spec.Conversion
	for _, command := range []struct {
		name string
		crd  *apiextensions.CustomResourceDefinition
		run  func(context.Context, *attach.Cluster, *attach.Target) error
	}{
		{"attach", plain, func(ctx context.Context, c *attach.Cluster, t *attach.Target) error {
			_, err := c.Attach(ctx, t, gateway, false)
			return err
		}},
		{"detach", single, func(ctx context.Context, c *attach.Cluster, t *attach.Target) error {
			_, err := c.Detach(ctx, t, false)
			return err
		}},
		{"annotate", plain, func(ctx context.Context, c *attach.Cluster, t *attach.Target) error {
			return c.Annotate(ctx, t, attach.Annotation, "true")
		}},
		{"migrate-storage", c.crd, func(ctx context.Context, c *attach.Cluster, t *attach.Target) error {
			crd := t.Definitions[0].DeepCopy() // as it is after a change of the storage version
			crd.Spec.Versions[0].Storage, crd.Spec.Versions[1].Storage = false, true
			crd.Status.StoredVersions = []string{"v1", "v2"}
			return c.MigrateStorage(ctx, crd, attach.Migration{Rate: 1e6})
		}},
		{"retire", c.crd, func(ctx context.Context, c *attach.Cluster, t *attach.Target) error {
			_, err := c.Retire(ctx, t, attach.Goal{Remove: "v1"}, attach.Retirement{
				Migration: attach.Migration{Rate: 1e6, Report: func(attach.Progress) {}},
				Confirm:   func(attach.Step) error { return nil },
				Step:      func(int, attach.Step) {},
			})
			return err
		}},
	} {
		for _, again := range []bool{false, true} {
			t.Run(command.name+map[bool]string{false: "/deleted", true: "/created again"}[again], func(t *testing.T) {
				install := func() {
					crd := command.crd.DeepCopy()
					crd.ResourceVersion, crd.UID = "", types.UID("")
					if err := shared.uncached.Install(deadline(t), crd); err != nil {
						t.Fatal(err)
					}
				}
				remove := func() {
					if err := shared.uncached.Remove(deadline(t), c.crd); err != nil {
						t.Error(err)
					}
				}
				remove()
				install()
				c.mustApply(t, "v1", "old", "a", "spec: {cronSpec: 0 7 * * *, image: one}")
				created := ""
				config := rest.CopyConfig(shared.uncached.REST)
				config.Wrap(func(next http.RoundTripper) http.RoundTripper {
					return &before{next: next, match: func(r *http.Request) bool { return r.Method != http.MethodGet }, do: func() {
						remove()
						if again {
							install()
							created = definition(t, name).ResourceVersion
						}
					}}
				})
				cluster, err := attach.NewCluster(config)
				if err != nil {
					t.Fatal(err)
				}
				err = command.run(deadline(t), cluster, find(t, c.cluster, name))
				t.Log(err)
				if err == nil || !strings.Contains(err.Error(), "meanwhile") {
					t.Errorf("%s ended with %v", command.name, err)
				}
				now, err := shared.uncached.CRDs.ApiextensionsV1().CustomResourceDefinitions().Get(deadline(t), name, metav1.GetOptions{})
				switch {
				case !again && !apierrors.IsNotFound(err):
					t.Errorf("%s created the definition again: %v", command.name, err)
				case again && (err != nil || now.ResourceVersion != created):
					t.Errorf("%s changed another definition: %v\n%s", command.name, err, show(now))
				}
			})
		}
	}
	installAgain := c.crd.DeepCopy() // for the end of the test, which removes it
	installAgain.ResourceVersion, installAgain.UID = "", types.UID("")
	_ = shared.uncached.Install(deadline(t), installAgain)
}

// TestTwoPeopleAttachAndDetach: several people attach and detach the same definition at once. Each
// ends with a sentence or with success, and the definition has a whole stanza or none.
func TestTwoPeopleAttachAndDetach(t *testing.T) {
	crd, p, cluster := detached(t, "v1")
	g := attach.Gateway{URL: p.URL(), CA: p.CA}
	var wait sync.WaitGroup
	for range 2 {
		for _, work := range []func(*attach.Target) (attach.Outcome, error){
			func(target *attach.Target) (attach.Outcome, error) {
				return cluster.Attach(deadline(t), target, g, false)
			},
			func(target *attach.Target) (attach.Outcome, error) {
				return cluster.Detach(deadline(t), target, false)
			},
		} {
			wait.Go(func() {
				outcome, err := work(find(t, cluster, crd.Name))
				t.Logf("%s: %s, %v", outcome.Action, outcome.Message, err)
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
	wait.Wait()
	now := definition(t, crd.Name).Spec.Conversion
	if now.Strategy != apiextensions.NoneConverter && show(now) != show(g.Stanza()) {
		t.Errorf("the definition has the stanza\n%s", show(now))
	}
	if _, err := cluster.Attach(deadline(t), find(t, cluster, crd.Name), g, false); err != nil {
		t.Error(err)
	}
	same(t, "the stanza", definition(t, crd.Name).Spec.Conversion, g.Stanza())
}
