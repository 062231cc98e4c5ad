package prove

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// chain is the rest of a file with more than two versions: the rules of the other pairs of versions,
// and all schemas. Its conversions lead from version to version without an API server in between, so
// the lemmas for each pair hold for all, if no pair keeps a value or looks at one that another pair
// changes.
type chain struct {
	rules   [][]placed // of the other pairs
	schemas []*schema.Structural
}

// chainOf returns the chain of a pair, which is one of all. Only changing ones have rules that matter.
func chainOf(all []rules.Statements, changing []int, own int, d *apiserver.Definition) (c chain) {
	for _, i := range changing {
		if i != own {
			c.rules = append(c.rules, expand(all[i].Rules, nil))
		}
	}
	seen := map[string]bool{}
	for _, s := range all {
		for _, name := range []string{s.From, s.To} {
			if v := d.Version(name); v != nil && !seen[name] {
				seen[name] = true
				c.schemas = append(c.schemas, v.Schema)
			}
		}
	}
	return c
}

// untouched reports whether no rule of another pair is about a path, its inside, or a value around.
func (c *chain) untouched(at path) bool {
	for _, all := range c.rules {
		for _, r := range all {
			for side := range r.at {
				if r.about(side) && slices.ContainsFunc(r.fields(side), at.Related) {
					return false
				}
			}
		}
	}
	return true
}

// everywhere reports whether each other pair has a rule about fields of both versions within a member
// at the top: whichever version a client deletes it in, no kept value brings it back.
func (c *chain) everywhere(member string) bool {
	return !slices.ContainsFunc(c.rules, func(all []placed) bool {
		return slices.ContainsFunc(all, leaves) || !slices.ContainsFunc(all, func(r placed) bool {
			return r.Verb != "drop" && len(r.at[0]) > 1 && len(r.at[1]) > 1 && r.at[0][0] == member && r.at[1][0] == member
		})
	})
}

// leaves reports whether a rule leads to another member at the top: the compiler then takes none for
// one that both versions have.
func leaves(r placed) bool {
	for _, here := range r.fields(0) {
		for _, there := range r.fields(1) {
			if here[0] != there[0] {
				return true
			}
		}
	}
	return false
}

// values returns the texts or booleans that a field can have if the object comes from any version.
// all is false if there may be others.
func (c *chain) values(at path, f *schema.Structural) (values []any, all bool) {
	values, all = valuesOf(f)
	for _, s := range c.schemas {
		if other := lookup(s, at); other != nil {
			more, known := valuesOf(other)
			values, all = append(values, more...), all && known && other.Type == f.Type
		}
	}
	return values, all
}
