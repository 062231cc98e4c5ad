package propose

import (
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

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
