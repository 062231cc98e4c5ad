package attach

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
)

// Through reads a stored object at every served version through the API server, which has it
// converted over the way that no test from outside covers: its own network. It checks the stanza
// in force, not a planned one.
func (c *examiner) Through(ctx context.Context, t *Target) Checks {
	var checks Checks
	if c.Direct {
		return nil
	}
	for _, crd := range t.Definitions {
		c.through(ctx, crd, &checks)
	}
	return checks
}

func (c *examiner) through(ctx context.Context, crd *apiextensions.CustomResourceDefinition, checks *Checks) {
	const name = "API server"
	versions := served(crd)
	if len(versions) == 0 {
		return
	}
	// A list of metadata is converted as well, so it is asked for at the storage version if that is
	// served.
	from := versions[0]
	if s := storage(crd); slices.Contains(versions, s) {
		from = s
	}
	list, err := c.objects(crd, from).List(ctx, metav1.ListOptions{Limit: 1})
	switch {
	case err != nil:
		checks.fail(name, throughRemedy(err), "listing %s at %s: %v", label(crd), from, err)
		return
	case len(list.Items) == 0:
		checks.pass(name, "no %s is stored, so the API server converts nothing yet", label(crd))
		return
	}
	o := &list.Items[0]
	var read []string
	for _, v := range versions {
		var client dynamic.ResourceInterface = c.objects(crd, v)
		if o.GetNamespace() != "" {
			client = c.objects(crd, v).Namespace(o.GetNamespace())
		}
		if _, err := client.Get(ctx, o.GetName(), metav1.GetOptions{}); err != nil {
			checks.fail(name, throughRemedy(err), "reading %s %s at %s: %v", label(crd), title(o), v, err)
			return
		}
		read = append(read, v)
	}
	checks.pass(name, "read %s %s at %s", label(crd), title(o), strings.Join(read, ", "))
}

// webhookFailed recognizes the API server's words for a failed call of a conversion webhook.
func webhookFailed(text string) bool { return strings.Contains(text, "conversion webhook for ") }

// throughRemedy names the remedy for an error that only the API server gets.
func throughRemedy(err error) string {
	text := err.Error()
	switch {
	case Forbidden(err):
		return "ask for the right to read these objects"
	case !webhookFailed(text):
		return ""
	case strings.Contains(text, "no such host"):
		return "the API server does not find the Service: see whether it exists, and which name servers the control plane uses"
	case strings.Contains(text, "x509:"):
		return "correct caBundle or the certificate"
	case strings.Contains(text, "connection refused"), strings.Contains(text, "i/o timeout"), strings.Contains(text, "deadline exceeded"), strings.Contains(text, "no route to host"):
		return "if the gateway answers above, a firewall or NetworkPolicy is between the API server and the gateway's pods"
	case strings.Contains(text, "no endpoints available"):
		return "start the gateway"
	}
	return fmt.Sprintf("the text after %q is the webhook's own", "failed:")
}

// ManagedFields counts the entries of metadata.managedFields of all objects, by version and manager.
func (c *examiner) ManagedFields(ctx context.Context, t *Target) Checks {
	const name = "managedFields"
	var checks Checks
	for _, crd := range t.Definitions {
		writers, err := c.Writers(ctx, crd)
		if err != nil {
			checks.warn(name, throughRemedy(err), "%v", err)
			continue
		}
		var lines []string
		gone, stale := false, len(Stale(crd, writers)) > 0
		for _, w := range writers {
			lines = append(lines, w.String())
			gone = gone || !slices.ContainsFunc(crd.Spec.Versions, func(v apiextensions.CustomResourceDefinitionVersion) bool { return v.Name == w.Version })
		}
		text := strings.Join(lines, "\n")
		remedy := "crosswalk migrate-storage " + crd.Name
		switch {
		case gone:
			checks.fail(name, remedy, "%s has objects with managedFields at a version that it does not name: every server-side apply of such an object fails\n%s", label(crd), text)
		case stale:
			checks.warn(name, remedy, "%s has objects with managedFields at a version that is not served: every server-side apply of such an object fails when the version is removed\n%s", label(crd), text)
		case len(lines) == 0:
			checks.pass(name, "no %s has any", label(crd))
		default:
			checks.pass(name, "%s", text)
		}
	}
	return checks
}
