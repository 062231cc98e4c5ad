package rules

import (
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/lowering"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// Check reports the rules that name a field which the schema of its version does not have. has
// decides about a field, in the syntax of declared fields.
//
// # Errors
//
// One or more [Error], joined.
func (f *File) Check(has func(version, field string) bool) error {
	r := &syntax.Mistakes{}
	for _, s := range f.pairs {
		maps := mapsThatBecomeLists(s.Claims)
		for _, c := range s.Claims {
			p := c.Path
			for i, key := range p { // rules name the elements of the list in both versions; one has a map there
				if key == fieldpath.Elements && slices.ContainsFunc(maps[c.Side], c.Path[:i].Equal) {
					p = slices.Clone(p)
					p[i] = fieldpath.Members
				}
			}
			named := p
			for len(p) > 0 && fieldpath.IsEvery(p.Last()) { // a declaration ends with a field
				p = p.Parent()
			}
			if version := [2]string{s.From, s.To}[c.Side]; len(p) > 0 && !has(version, p.String()) {
				r.At(c.Rule.Node, "the schema of %s does not have %s: is it misspelt?", version, named)
			}
		}
	}
	return r.Err()
}

// mapsThatBecomeLists returns the paths of the maps on each side that are lists on the other.
func mapsThatBecomeLists(claims []lowering.Claim) (maps [2][]fieldpath.Path) {
	for _, c := range claims {
		if c.Rule.Verb.Name == "listFromMap" && c.Side == 0 || c.Rule.Verb.Name == "mapFromList" && c.Side == 1 {
			maps[c.Side] = append(maps[c.Side], c.Path)
		}
	}
	return maps
}
