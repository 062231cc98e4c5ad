package rules

import (
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
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
		for _, c := range s.Claims {
			p := c.Path
			for len(p) > 0 && fieldpath.IsEvery(p.Last()) { // a declaration ends with a field
				p = p.Parent()
			}
			if version := [2]string{s.From, s.To}[c.Side]; len(p) > 0 && !has(version, p.String()) {
				r.At(c.Rule.Node, "the schema of %s does not have %s: is it misspelt?", version, c.Path)
			}
		}
	}
	return r.Err()
}
