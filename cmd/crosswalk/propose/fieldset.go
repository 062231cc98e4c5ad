package propose

import (
	"iter"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

const (
	// proposeDepth is the number of levels of the schemas to compare: twice the deepest known ones.
	proposeDepth = 32
	// proposeFields is the number of fields of a version to compare: the largest known definition,
	// AlertmanagerConfig, has 9,000.
	proposeFields = 20_000
)

// fieldSet is the fields of a version, by path without the leading dot.
type fieldSet struct {
	list []schema.Field
	at   map[string]int
}

func (s *fieldSet) find(path string) *schema.Field {
	if i, ok := s.at[path]; ok {
		return &s.list[i]
	}
	return nil
}

// below returns the fields within another one, with their paths from there. A field comes before those
// in it, and members come by their names.
func (s *fieldSet) below(path string) iter.Seq2[string, schema.Field] {
	return func(yield func(rest string, f schema.Field) bool) {
		for i := s.at[path] + 1; i < len(s.list) && s.list[i].Path != path && fuzz.Within(s.list[i].Path, path); i++ {
			if !yield(s.list[i].Path[len(path):], s.list[i]) {
				return
			}
		}
	}
}

// members returns fields, and those within them but not within their elements, which are inner ones.
func (s *fieldSet) members(outermost []schema.Field) iter.Seq2[schema.Field, bool] {
	return func(yield func(f schema.Field, inner bool) bool) {
		for _, f := range outermost {
			if !yield(f, false) {
				return
			}
			for rest, g := range s.below(f.Path) {
				if !strings.ContainsAny(rest, "[*") && !yield(g, true) {
					return
				}
			}
		}
	}
}

// fieldsOf returns the fields of a version, and the number of those that cannot be compared.
func fieldsOf(crd *schema.CRD, version string) (s *fieldSet, more int) {
	s = &fieldSet{at: map[string]int{}}
	for i := range crd.Versions {
		if v := &crd.Versions[i]; v.Name == version {
			s.list, more = v.FieldsUpTo(proposeDepth, proposeFields)
		}
	}
	for i := range s.list {
		f := &s.list[i]
		f.Path = strings.TrimPrefix(f.Path, ".")
		if p, err := fieldpath.Parse(f.Path); err != nil || p.String() != f.Path {
			more++ // its name has a dot, for example
		}
		if _, twice := s.at[f.Path]; !twice {
			s.at[f.Path] = i
		}
	}
	return s, more
}

// differences returns the fields that only the older or the newer version has, and those of both that
// are something else in the other one.
func differences(a, b *fieldSet) (gone, new, changed []schema.Field) {
	gone, changed = differing(a, b)
	new, _ = differing(b, a)
	for _, f := range append(mapsIn(a, b), mapsIn(b, a)...) {
		within := func(g schema.Field) bool { return strings.HasPrefix(g.Path, f.Path+".") }
		gone, new, changed = slices.DeleteFunc(gone, within), slices.DeleteFunc(new, within), append(slices.DeleteFunc(changed, within), f)
	}
	return gone, new, changed
}

// mapsIn returns the fields that are a map in a, and an object with named fields in b.
func mapsIn(a, b *fieldSet) (all []schema.Field) {
	for _, f := range a.list {
		p, err := fieldpath.Parse(f.Path)
		if err != nil || p.String() != f.Path || len(p) == 0 || p.Last() != fieldpath.Members || slices.ContainsFunc(all, func(g schema.Field) bool { return strings.HasPrefix(f.Path, g.Path+".") }) {
			continue
		}
		object := p.Parent().String()
		if g := b.find(object); g != nil && g.Type == a.find(object).Type && b.find(f.Path) == nil && !g.Leaf {
			all = append(all, schema.Field{Path: object, Type: g.Type + ", a map in one version only,"})
		}
	}
	return all
}

// differing returns the outermost fields that only a has, and those that b has with another type.
func differing(a, b *fieldSet) (only, changed []schema.Field) {
	var listed fieldpath.Path // the last one: those in it follow it
	for _, f := range a.list {
		p, err := fieldpath.Parse(f.Path)
		if err != nil || p.String() != f.Path || listed != nil && p.Within(listed) {
			continue
		}
		switch g := b.find(f.Path); {
		case g != nil && g.Type != f.Type && fieldpath.IsEvery(p.Last()): // the elements are something else
			changed, listed = append(changed, schema.Field{Path: p.Parent().String(), Type: f.Type + " in each element"}), p.Parent()
		case g == nil && fieldpath.IsEvery(p.Last()):
			listed = p // what is above differs in its type, or declares no elements
		case g == nil:
			only, listed = append(only, f), p
		case g.Type != f.Type:
			changed, listed = append(changed, f), p
		}
	}
	return only, changed
}
