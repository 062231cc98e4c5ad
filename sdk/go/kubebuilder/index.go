package kubebuilder

import crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"

// manyMembers is the number of look-ups in an object after which a table of its members costs less.
const manyMembers = 24

// index looks up members of a value, which may be absent. A search in the text would make walks
// through two large objects quadratic.
type index struct {
	of    crosswalk.Value
	found int
	all   map[string]crosswalk.Value // nil: not yet
}

func indexOf(v crosswalk.Value) *index { return &index{of: v} }

// get returns a member; an absent value if there is none. A null is there.
func (x *index) get(name string) crosswalk.Value {
	if x.found++; x.found <= manyMembers || x.of.Type() != crosswalk.TypeObject {
		v, _ := x.of.Get(name)
		return v
	}
	if x.all == nil {
		x.all = map[string]crosswalk.Value{}
		for name, member := range x.of.Members() {
			if _, ok := x.all[name]; !ok {
				x.all[name] = member
			}
		}
	}
	return x.all[name]
}
