package attach

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/plural"
)

// Writer is a field manager that wrote objects at a version, as metadata.managedFields has it.
type Writer struct {
	Version   string    `json:"version"`
	Manager   string    `json:"manager"`
	Operation string    `json:"operation"` // Apply or Update
	Objects   int       `json:"objects"`   // that have an entry of it
	Last      time.Time `json:"last"`      // its last write that changed a field
	Object    string    `json:"object"`    // that it wrote then
}

// String is the writer in words.
func (w Writer) String() string {
	return fmt.Sprintf("%s (%s) at %s: %s, last written %s (%s)", w.Manager, w.Operation, w.Version, plural.Count(w.Objects, "object"), w.Last.UTC().Format(time.RFC3339), w.Object)
}

// Survey is the metadata of all objects of a definition in numbers.
type Survey struct {
	Objects int
	Writers []Writer // sorted by version, and the last one of a version comes first
	Mixed   int      // objects with entries at several versions
	Lists   []string // fields that not each version has as a list with keys
}

// Note says what can happen to the objects with managers at several versions, "" if nothing can.
func (s Survey) Note() string {
	if s.Mixed == 0 || len(s.Lists) == 0 {
		return ""
	}
	return plural.Count(s.Mixed, "object") + " with managers at several versions: a value of " + strings.Join(s.Lists, ", ") + " can stay when it leaves Git, for another version lacks the member, or the keys of the list (crosswalk docs apply); let all write at one version"
}

// lists returns the fields that a version has as a list of objects with keys, or as a member of its elements,
// and another version has not: no list of objects has the limit applied without one (crosswalk prove).
func lists(crd *apiextensions.CustomResourceDefinition) []string {
	in := map[string]int{}
	for _, v := range crd.Spec.Versions {
		if v.Schema != nil {
			addLists(in, "", v.Schema.OpenAPIV3Schema)
		}
	}
	maps.DeleteFunc(in, func(_ string, versions int) bool { return versions == len(crd.Spec.Versions) })
	maps.DeleteFunc(in, func(field string, _ int) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(in)), func(whole string) bool {
			return strings.HasPrefix(field, whole+"[].") || strings.HasPrefix(field, whole+".")
		})
	})
	return slices.Sorted(maps.Keys(in))
}

func addLists(in map[string]int, at string, s *apiextensions.JSONSchemaProps) {
	keyed := s.Items != nil && s.Items.Schema != nil && s.Items.Schema.Type == "object" && s.XListType != nil && *s.XListType != "atomic"
	if keyed || strings.Contains(at, "[].") {
		in[at]++
	}
	if keyed {
		addLists(in, at+"[]", s.Items.Schema)
	}
	for name, property := range s.Properties {
		if s.XMapType == nil || *s.XMapType == "granular" {
			addLists(in, strings.TrimPrefix(at+"."+name, "."), &property)
		}
	}
}

// Survey reads the managedFields of all objects of a definition.
func (c *reader) Survey(ctx context.Context, crd *apiextensions.CustomResourceDefinition) (Survey, error) {
	return c.survey(ctx, crd, &progress{})
}

func (c *reader) survey(ctx context.Context, crd *apiextensions.CustomResourceDefinition, lines *progress) (s Survey, err error) {
	l, _, err := c.lister(crd, "")
	if err != nil {
		return s, err
	}
	s.Lists = lists(crd)
	found := map[string]*Writer{}
	for page, err := range l.all(ctx) {
		if err != nil {
			return Survey{}, requested(crd, err, "listing "+crd.Name)
		}
		s.Objects += len(page.Items)
		for i := range page.Items {
			if addWriters(found, &page.Items[i]) {
				s.Mixed++
			}
		}
		lines.line(func() Progress {
			return Progress{Text: fmt.Sprintf("managedFields of %s read%s", plural.Count(s.Objects, "object"), left(page, "left"))}
		})
	}
	for _, w := range found {
		s.Writers = append(s.Writers, *w)
	}
	slices.SortFunc(s.Writers, func(a, b Writer) int {
		return cmp.Or(strings.Compare(a.Version, b.Version), b.Last.Compare(a.Last), strings.Compare(a.Manager, b.Manager), strings.Compare(a.Operation, b.Operation))
	})
	return s, nil
}

// addWriters adds the writers of an object, and reports whether they wrote at several versions.
func addWriters(found map[string]*Writer, o *metav1.PartialObjectMetadata) (mixed bool) {
	seen := map[*Writer]bool{} // a manager can have one entry for each subresource
	for _, e := range o.ManagedFields {
		version := entryVersion(e)
		mixed = mixed || version != entryVersion(o.ManagedFields[0])
		key := version + "\x00" + e.Manager + "\x00" + string(e.Operation)
		w := found[key]
		if w == nil {
			w = &Writer{Version: version, Manager: e.Manager, Operation: string(e.Operation)}
			found[key] = w
		}
		if !seen[w] {
			seen[w] = true
			w.Objects++
		}
		if w.Object == "" || e.Time != nil && e.Time.After(w.Last) {
			w.Object = strings.TrimPrefix(o.Namespace+"/"+o.Name, "/")
			if e.Time != nil {
				w.Last = e.Time.Time
			}
		}
	}
	return mixed
}

// entryVersion returns the version of an entry, without the group.
func entryVersion(e metav1.ManagedFieldsEntry) string {
	return e.APIVersion[strings.LastIndexByte(e.APIVersion, '/')+1:]
}

// Stale returns the writers at versions that are not served. Their entries are of no use to an API
// server that serves the version no longer, and make every server-side apply fail as soon as the
// definition does not name the version.
func Stale(crd *apiextensions.CustomResourceDefinition, writers []Writer) []Writer {
	return slices.DeleteFunc(slices.Clone(writers), func(w Writer) bool { return slices.Contains(served(crd), w.Version) })
}

// lister returns the pages of the metadata of all objects of a definition, from the token of a page, at
// its storage version if that is served and can list them. at has the objects at that version. The pace of
// both is the caller's.
func (c *reader) lister(crd *apiextensions.CustomResourceDefinition, from string) (l *pages[*metav1.PartialObjectMetadataList], at metadata.Getter, err error) {
	versions, err := readableVersions(crd)
	if err != nil {
		return nil, nil, err
	}
	return listerAt(c, crd, patient, from, versions...)
}

func listerAt(c *reader, crd *apiextensions.CustomResourceDefinition, e effort, from string, versions ...string) (l *pages[*metav1.PartialObjectMetadataList], at metadata.Getter, err error) {
	config := rest.CopyConfig(c.config)
	config.QPS = -1
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, nil, err
	}
	l = &pages[*metav1.PartialObjectMetadataList]{next: from, limit: metadataPage, effort: e}
	for _, version := range versions {
		l.at = append(l.at, client.Resource(objectsResource(crd, version)).List)
	}
	return l, client.Resource(objectsResource(crd, versions[0])), nil
}

// current reads a definition again. It is an error if the definition is another one by now.
func (c *reader) current(ctx context.Context, crd *apiextensions.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	now, err := read[apiextensions.CustomResourceDefinition](ctx, c.dynamic, crdResource, "", crd.Name)
	switch {
	case apierrors.IsNotFound(err):
		return nil, gone(crd.Name + " was deleted meanwhile")
	case err != nil:
		return nil, err
	case now.UID != crd.UID:
		return nil, gone(crd.Name + " was deleted and created again meanwhile")
	case now.DeletionTimestamp != nil:
		return nil, errDeleting(now)
	}
	return now, nil
}

// gone is the error of work at a definition that is not there any more. All other errors follow from it.
type gone string

func (g gone) Error() string { return string(g) }

func errDeleting(crd *apiextensions.CustomResourceDefinition) error {
	return gone(crd.Name + " is being deleted")
}
