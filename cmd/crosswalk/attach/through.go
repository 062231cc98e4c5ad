package attach

import (
	"context"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/plural"
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
		text, remedy := evidence(requested(crd, err, "listing "+label(crd)+" at "+from))
		checks.fail(name, remedy, "%s", text)
		return
	case len(list.Items) == 0:
		checks.pass(name, "no %s is stored, so the API server converts nothing yet", label(crd))
		return
	}
	o := &list.Items[0]
	var read []string
	for _, v := range versions {
		if _, err := c.objects(crd, v).Namespace(o.GetNamespace()).Get(ctx, o.GetName(), metav1.GetOptions{}); err != nil {
			text, remedy := evidence(requested(crd, err, "reading "+label(crd)+" "+title(o)+" at "+v))
			checks.fail(name, remedy, "%s", text)
			return
		}
		read = append(read, v)
	}
	checks.pass(name, "read %s %s at %s", label(crd), title(o), strings.Join(read, ", "))
}

// Lists lists all objects at every served version, as informers do: one object that does not convert
// fails the LIST of its version for everybody, and no sample finds it.
func Lists(ctx context.Context, c *Cluster, t *Target) Checks {
	const name = "lists"
	var checks Checks
	ctx, cancel := context.WithTimeout(ctx, examineTime)
	defer cancel()
	for _, crd := range t.Definitions {
		for _, v := range served(crd) {
			l, _, err := listerAt(&c.reader, crd, once, "", v)
			if err != nil {
				checks.fail(name, "", "%v", err)
				return checks
			}
			objects := 0
			var page *metav1.PartialObjectMetadataList
			for page, err = range l.all(ctx) {
				if err == nil {
					objects += len(page.Items)
				}
			}
			if err != nil {
				text, remedy := evidence(requested(crd, err, "listing "+label(crd)+" at "+v))
				checks.fail(name, remedy, "%s", text)
				continue
			}
			checks.pass(name, "%s of %s at %s", plural.Count(objects, "object"), label(crd), v)
		}
	}
	return checks
}

// ManagedFields counts the entries of metadata.managedFields of all objects, by version and manager.
func (c *examiner) ManagedFields(ctx context.Context, t *Target) Checks {
	const name = "managedFields"
	var checks Checks
	for _, crd := range t.Definitions {
		all, err := c.Survey(ctx, crd)
		if err != nil {
			text, remedy := evidence(err)
			checks.warn(name, remedy, "%s", text)
			continue
		}
		var lines []string
		gone, stale := false, len(Stale(crd, all.Writers)) > 0
		for _, w := range all.Writers {
			lines = append(lines, w.String())
			gone = gone || !slices.ContainsFunc(crd.Spec.Versions, func(v apiextensions.CustomResourceDefinitionVersion) bool { return v.Name == w.Version })
		}
		if line := all.Note(); line != "" {
			lines = append(lines, line)
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
