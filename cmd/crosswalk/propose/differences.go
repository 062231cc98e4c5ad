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
		if g := b.find(object); g != nil && g.Type == a.find(object).Type && b.find(f.Path) == nil && len(b.below(object)) > 0 {
			all = append(all, schema.Field{Path: object, Type: g.Type + ", a map in one version only,"})
		}
	}
	return all
}
