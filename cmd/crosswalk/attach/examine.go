package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/plural"
)

// sampleSize is the number of stored objects that a test of the way converts. crosswalk test --live
// converts all.
const sampleSize = 20

// examineTime bounds a test of a gateway: one that answers takes seconds for ten replicas, and a
// webhook that takes almost 30 s for each answer would take hours.
const examineTime = 5 * time.Minute

// examiner tests a gateway as an API server would use it.
type examiner struct {
	reader

	// Direct is for a pod of the cluster with few rights: tests of the gateway dial the Service's
	// own name, as API servers do, and read no stored objects. Otherwise they go through the API
	// server's port forwarding to each pod.
	Direct bool
}

// Examine follows the way of a conversion with the given stanza, from the review version to the
// modules, and reports each step. Every ready endpoint converts an object without fields, and some
// stored objects, between all versions that are served or stored. It changes nothing.
func (c *examiner) Examine(ctx context.Context, t *Target, conversion *apiextensions.CustomResourceConversion) Checks {
	return c.examine(ctx, t, conversion, sampleSize)
}

// examine converts as many stored objects as samples says.
func (c *examiner) examine(ctx context.Context, t *Target, conversion *apiextensions.CustomResourceConversion, samples int64) Checks {
	var checks Checks
	for _, crd := range t.Definitions {
		checks.pass("versions", "%s: served %s; stored %s", label(crd), strings.Join(served(crd), ", "), strings.Join(stored(crd), ", "))
	}
	client, review := c.examineStanza(ctx, t, conversion, &checks)
	if client == nil {
		return checks
	}
	ctx, cancel := context.WithTimeout(ctx, examineTime)
	defer cancel()
	endpoints := c.endpoints(ctx, client, &checks)
	objects := map[*apiextensions.CustomResourceDefinition][]unstructured.Unstructured{}
	for _, crd := range t.Definitions {
		if len(endpoints) > 0 && !c.Direct && samples > 0 {
			objects[crd] = c.sample(ctx, crd, samples, &checks)
		}
	}
	for _, e := range endpoints {
		if ctx.Err() != nil {
			checks.fail("time", "see why it answers slowly", "the test of %s ended before %s: %v", plural.Count(len(endpoints), "endpoint"), e.name, ctx.Err())
			break
		}
		if p := newProbe(ctx, e, client, review, &checks); p != nil {
			for _, crd := range t.Definitions {
				p.pairs(ctx, e.name, crd, objects[crd], &checks)
			}
			p.close()
		}
	}
	return checks
}

// examineStanza checks the stanza itself. It returns nil if conversions never reach a webhook.
func (c *examiner) examineStanza(ctx context.Context, t *Target, conversion *apiextensions.CustomResourceConversion, checks *Checks) (*apiextensions.WebhookClientConfig, string) {
	switch {
	case conversion == nil || conversion.Strategy != apiextensions.WebhookConverter:
		for _, crd := range t.Definitions {
			if why := needed(ctx, crd); why != "" {
				checks.fail("stanza", "crosswalk attach "+t.Name, "spec.conversion.strategy is not Webhook: the API server changes apiVersion and nothing else, so objects keep the fields of another version (%s)", why)
				return nil, ""
			}
		}
		checks.pass("stanza", "spec.conversion.strategy is None, and no version in use needs a conversion")
		return nil, ""
	case conversion.Webhook == nil || conversion.Webhook.ClientConfig == nil:
		checks.fail("stanza", "crosswalk attach "+t.Name, "spec.conversion.webhook has no clientConfig")
		return nil, ""
	}
	review := ""
	for _, v := range conversion.Webhook.ConversionReviewVersions {
		if v == "v1" || v == "v1beta1" {
			review = v
			break
		}
	}
	if review == "" {
		checks.fail("review versions", "set conversionReviewVersions: [v1]", "API servers know v1 and v1beta1, and the stanza offers %s", strings.Join(conversion.Webhook.ConversionReviewVersions, ", "))
		return nil, ""
	}
	checks.pass("stanza", "strategy Webhook, review version %s", review)
	client := conversion.Webhook.ClientConfig
	if _, err := pool(client.CABundle); err != nil {
		checks.fail("caBundle", "put the CA of the gateway's certificate there (crosswalk attach does)", "%v", err)
		return nil, ""
	}
	return client, review
}

// stored returns the versions that objects in etcd can have.
func stored(crd *apiextensions.CustomResourceDefinition) []string {
	versions := slices.Clone(crd.Status.StoredVersions)
	if s := storage(crd); !slices.Contains(versions, s) {
		versions = append(versions, s)
	}
	return versions
}

// sample reads some stored objects at the storage version. With strategy None their fields can be
// another version's; those of the storage version itself are right.
func (c *examiner) sample(ctx context.Context, crd *apiextensions.CustomResourceDefinition, limit int64, checks *Checks) []unstructured.Unstructured {
	version := storage(crd)
	if !slices.Contains(served(crd), version) {
		return nil // nobody can read it
	}
	list, err := c.objects(crd, version).List(ctx, metav1.ListOptions{Limit: limit})
	if err != nil {
		text, remedy := evidence(requested(crd, err, "listing "+crd.Name+" at "+version))
		checks.warn("stored objects", remedy, "%s", text)
		return nil
	}
	return list.Items
}

// bare is an object without fields. Modules must convert it, since server-side apply has partial
// objects converted.
func bare(crd *apiextensions.CustomResourceDefinition, version string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(crd.Spec.Group + "/" + version)
	o.SetKind(crd.Spec.Names.Kind)
	o.SetName("crosswalk-self-test")
	o.SetUID(types.UID("00000000-0000-4000-8000-000000000000"))
	if crd.Spec.Scope == apiextensions.NamespaceScoped {
		o.SetNamespace("default")
	}
	return o
}

// pairs converts between every two used versions of a definition, and reports on all in one check
// for each kind of problem.
func (p *probe) pairs(ctx context.Context, endpoint string, crd *apiextensions.CustomResourceDefinition, samples []unstructured.Unstructured, checks *Checks) {
	versions := used(crd)
	p.unused(ctx, endpoint, crd, checks)
	name := "conversion at " + endpoint
	var done []string
	failed, objects := false, 0
	for _, from := range versions {
		for _, to := range versions {
			if from == to {
				continue
			}
			_, err := p.convert(ctx, bare(crd, from), crd.Spec.Group+"/"+to)
			switch {
			case err == nil:
			case refusedByModule(err):
				checks.warn(name, "the module must accept partial objects: server-side apply sends them", "%s %s→%s: an object without fields: %v", label(crd), from, to, err)
			default:
				failed = true
				checks.fail(name, remedy(err), "%s %s→%s: %v", label(crd), from, to, err)
				if ctx.Err() != nil { // the others would fail for the same reason
					return
				}
				continue
			}
			done = append(done, from+"→"+to)
		}
	}
	if failed {
		return // for samples the errors are the same
	}
	for i := range samples {
		if err := thereAndBack(ctx, &samples[i], crd.Spec.Group, versions, p.convert); err != nil {
			checks.fail(name, "correct the object or the module: while one object fails, every list at that version fails", "%s %s: %v", label(crd), title(&samples[i]), err)
			failed = true
			break
		}
		objects++
	}
	if failed {
		return
	}
	if len(done) == 0 {
		checks.pass(name, "%s is served and stored in one version, so nothing is converted yet", label(crd))
		return
	}
	text := fmt.Sprintf("%s %s", label(crd), strings.Join(done, ", "))
	if objects > 0 {
		text += "; " + plural.Count(objects, "stored object") + " there and back"
	}
	checks.pass(name, "%s", text)
}

// unused warns of versions that the definition lists, and that would fail as soon as they are
// served. It is how a new version is tested before it is served.
func (p *probe) unused(ctx context.Context, endpoint string, crd *apiextensions.CustomResourceDefinition, checks *Checks) {
	versions := used(crd)
	for _, v := range crd.Spec.Versions {
		if slices.Contains(versions, v.Name) {
			continue
		}
		failed := false
		for _, other := range versions {
			for _, pair := range [][2]string{{v.Name, other}, {other, v.Name}} {
				if _, err := p.convert(ctx, bare(crd, pair[0]), crd.Spec.Group+"/"+pair[1]); err != nil && !refusedByModule(err) {
					if failed = true; ctx.Err() != nil {
						return
					}
					checks.warn("unserved version at "+endpoint, "install a module before you serve "+v.Name, "%s %s→%s: %v", label(crd), pair[0], pair[1], err)
				}
			}
		}
		if !failed {
			checks.pass("unserved version at "+endpoint, "%s %s can be served: it is converted from and to %s", label(crd), v.Name, strings.Join(versions, ", "))
		}
	}
}

// thereAndBack converts an object to each of some versions of its group and back. The error wraps
// that of convert.
func thereAndBack(ctx context.Context, o *unstructured.Unstructured, group string, versions []string,
	convert func(ctx context.Context, o *unstructured.Unstructured, to string) (*unstructured.Unstructured, error)) error {
	home := o.GetAPIVersion()
	for _, v := range versions {
		there := group + "/" + v
		if there == home {
			continue
		}
		converted, err := convert(ctx, o, there)
		if err != nil {
			return fmt.Errorf("to %s: %w", v, err)
		}
		if _, err := convert(ctx, converted, home); err != nil {
			return fmt.Errorf("from %s back: %w", v, err)
		}
	}
	return nil
}

func title(o *unstructured.Unstructured) string {
	if o.GetNamespace() == "" {
		return o.GetName()
	}
	return o.GetNamespace() + "/" + o.GetName()
}

// refusedByModule recognizes a refusal of the gateway by a module, which shows that a module and a
// route exist.
func refusedByModule(err error) bool {
	var r refused
	return errors.As(err, &r) && r.reason == reasonRefused
}

// remedy names the remedy for a failed conversion of an object without fields.
func remedy(err error) string {
	var r refused
	switch {
	case errors.As(err, &r) && r.reason == "no_route":
		return "install a module for these versions, or stop serving one of them"
	case errors.As(err, &r):
		return "see the gateway's log and its /modules page"
	case strings.Contains(err.Error(), "HTTP status 503"):
		return "see the gateway's /readyz page"
	}
	return ""
}
