package generate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// maxValues is how many values a random object has, about.
const maxValues = 120

// maker makes one object.
type maker struct {
	*source
	chooser
	allowance
	density int // how many of 8 optional fields are set
	wide    wide
}

func newMaker(s *source, random *rand.Rand, goal *goal) *maker {
	m := &maker{source: s, chooser: chooser{rand: random, goal: goal}, allowance: allowance{budget: maxValues, work: maxWork}, wide: wide{source: s, rand: random}}
	if goal != nil {
		m.way = map[*node]bool{}
		for n := goal.node; n != nil; n = n.up {
			m.way[n] = true
		}
	}
	return m
}

// value makes a value. ok is false if no value keeps the rules, as far as the maker sees.
func (m *maker) value(n *node, r *rules) (value any, ok bool) {
	m.budget--
	if !m.charge(max(n.work, 1)) {
		return nil, false
	}
	if g := m.forced(n); g != nil && g.fixed {
		return g.value, m.charge(weigh(g.value))
	}
	if values, limited := r.enum(); limited {
		if len(values) == 0 {
			return nil, false
		}
		value = values[m.rand.IntN(len(values))]
		if !m.charge(weigh(value)) {
			return nil, false
		}
		return deepCopy(value), true
	}
	if n.s.Nullable && !m.on && m.rand.IntN(8) == 0 {
		return nil, true
	}
	switch {
	case n.s.XIntOrString:
		if g := m.forced(n); g != nil && g.text {
			return m.text(n, r)
		}
		if m.rand.IntN(2) == 0 {
			return m.number(n, r, true)
		}
		return m.text(n, r)
	case n.s.Type == "object":
		return m.object(n, r)
	case n.s.Type == "array":
		return m.list(n, r)
	case n.s.Type == "string":
		return m.text(n, r)
	case n.s.Type == "integer", n.s.Type == "number":
		return m.number(n, r, n.s.Type == "integer")
	case n.s.Type == "boolean":
		return m.rand.IntN(2) == 0, true
	}
	return m.anything(6), true // x-kubernetes-preserve-unknown-fields without a type
}

func (m *maker) object(n *node, r *rules) (any, bool) {
	made := map[string]any{}
	least, most := r.bounds(properties)
	if !m.holds(least) {
		return nil, false
	}
	g := m.forced(n)
	if n.s.XEmbeddedResource {
		made["apiVersion"], made["kind"] = "v1", "ConfigMap"
		made["metadata"] = map[string]any{"name": "embedded"}
	}
	var spare []*node // optional fields that are left out
	for _, f := range n.fields {
		if n.s.XEmbeddedResource && made[f.name] != nil {
			continue
		}
		needed := slices.Contains(r.required, f.name)
		wanted := m.on && m.way[f]
		switch {
		case g != nil && g.empty && !needed, !needed && slices.Contains(r.forbidden, f.name),
			wanted && m.goal.node == f && m.goal.absent:
			continue
		case needed, wanted:
		case m.budget <= 0 || m.rand.IntN(8) >= m.density || len(made) >= most:
			spare = append(spare, f)
			continue
		}
		if !m.field(made, r, f) && needed {
			return nil, false
		}
	}
	for len(made) < least && len(spare) > 0 {
		i := m.rand.IntN(len(spare))
		m.field(made, r, spare[i])
		spare = slices.Delete(spare, i, i+1)
	}
	if n.values != nil {
		m.members(made, n, r, least, most, g)
	}
	if n.s.XPreserveUnknownFields && len(made) < most && (g == nil || !g.empty) && m.rand.IntN(2) == 0 {
		made[m.unknownName(n)] = m.anything(5) // deeper than converters name
	}
	return made, len(made) >= least
}

// field makes a field of an object.
func (m *maker) field(made map[string]any, r *rules, f *node) (ok bool) {
	m.within(f, true, func() {
		var value any
		if value, ok = m.value(f, m.below(r, f, propertyOf(f.name))); ok {
			made[f.name] = value
		}
	})
	return ok
}

// keys are the names of map members: short, with the characters that paths and pointers quote,
// other alphabets, names that sort differently from how they are written here.
var keys = []string{"b", "a", "app.kubernetes.io/name", "Z", "with~tilde", "10", "9", "a b", "ключ", `q"uote`, "x.y[0]", "c", "d"}

// members makes the members of a map.
func (m *maker) members(made map[string]any, n *node, r *rules, least, most int, g *goal) {
	count := len(made) + m.wideCount(m.size(m.rand.IntN(4)))
	switch {
	case g != nil && g.sized:
		count = g.length
	case m.on && m.way[n.values]:
		count = max(count, len(made)+1)
	}
	count = max(least, min(count, most))
	start := m.rand.IntN(len(keys))
	for i := 0; len(made) < count && i < 4*count+8 && m.work > 0; i++ {
		key := keys[(start+i)%len(keys)]
		if i >= len(keys) {
			key = fmt.Sprintf("key%d", i)
		}
		if wide, ok := m.wide.key(); ok {
			key = wide
		}
		if len(m.keysAt[n]) > 0 && m.rand.IntN(2) == 0 {
			key = m.keysAt[n][m.rand.IntN(len(m.keysAt[n]))]
		}
		if _, there := made[key]; there || n.byName[key] != nil {
			continue
		}
		m.within(n.values, i == 0, func() {
			if value, ok := m.value(n.values, m.below(r, n.values, valuesOf)); ok {
				made[key] = value
			}
		})
	}
}

// size is a number of optional elements: none when the budget is used up.
func (m *maker) size(n int) int {
	if m.budget <= 0 || m.density == 0 {
		return 0
	}
	return n
}

func (m *maker) list(n *node, r *rules) (any, bool) {
	least, most := r.bounds(counts)
	count := m.wideCount(m.size(m.rand.IntN(4)))
	g := m.forced(n)
	switch {
	case g != nil && g.sized:
		count = g.length
	case g != nil, m.on && n.items != nil && m.way[n.items]:
		count = max(count, 1)
	}
	count = max(least, min(count, most))
	if !m.holds(count) {
		return nil, false
	}
	made := []any{}
	if n.items == nil {
		return made, true
	}
	taken := map[string]bool{}
	for tries := 0; len(made) < count && tries < 8*count+8 && m.work > 0; tries++ {
		m.within(n.items, len(made) == 0, func() {
			value, ok := m.value(n.items, m.below(r, n.items, itemsOf))
			if !ok {
				return
			}
			if id, unique := identity(n.s, value); unique {
				if taken[id] {
					if id, ok = m.distinguish(n, value, taken); !ok {
						return
					}
				}
				taken[id] = true
			}
			made = append(made, value)
		})
	}
	return made, len(made) >= least
}

// identity returns the text that must be unique among the elements of a set or an associative list.
func identity(s *schema.Structural, value any) (id string, unique bool) {
	switch {
	case s.XListType == nil:
		return "", false
	case *s.XListType == "set":
		return encode(value), true
	case *s.XListType == "map":
		object, _ := value.(map[string]any)
		var b strings.Builder
		for _, key := range s.XListMapKeys {
			b.WriteString(encode(object[key]) + ",")
		}
		return b.String(), true
	}
	return "", false
}

// distinguish changes a key of an element of an associative list, if the element is not unique.
func (m *maker) distinguish(n *node, value any, taken map[string]bool) (id string, ok bool) {
	object, isObject := value.(map[string]any)
	if !isObject || *n.s.XListType != "map" {
		return "", false
	}
	for range 8 {
		for _, key := range n.s.XListMapKeys {
			f := n.items.byName[key]
			if f == nil {
				return "", false
			}
			m.within(f, false, func() {
				if v, ok := m.value(f, m.below(&rules{}, f, propertyOf(key))); ok {
					object[key] = v
				}
			})
		}
		if id, _ := identity(n.s, value); !taken[id] {
			return id, true
		}
	}
	return "", false
}

// unknownName returns a name for a field that a schema does not name.
func (m *maker) unknownName(n *node) string {
	if len(n.others) > 0 && m.rand.IntN(2) == 0 {
		return n.others[m.rand.IntN(len(n.others))]
	}
	return "unknownField"
}

// freeKeys are names in values that no schema describes, such as the values of a chart or a patch.
var freeKeys = []string{"a", "b", "enabled", "image", "replicas", "app.kubernetes.io/name", "$patch", "0", "env", "value", "A", "", "log-level"}

// anything makes a value that no schema describes.
func (m *maker) anything(depth int) any {
	switch k := m.rand.IntN(12); {
	case k <= 1 && depth > 0:
		list := []any{}
		for range m.rand.IntN(4) {
			list = append(list, m.anything(depth-1))
		}
		return list
	case k <= 4 && depth > 0:
		object := map[string]any{}
		for range m.rand.IntN(4) {
			object[freeKeys[m.rand.IntN(len(freeKeys))]] = m.anything(depth - 1)
		}
		return object
	case k <= 6:
		return integers[m.rand.IntN(len(integers))]
	case k == 7:
		return m.rand.IntN(2) == 0
	case k == 8:
		return fractions[m.rand.IntN(len(fractions))]
	case k == 9:
		return []any{nil, nil, "", wideTexts[m.rand.IntN(len(wideTexts))]}[m.rand.IntN(4)]
	}
	return texts[m.rand.IntN(len(texts))]
}
