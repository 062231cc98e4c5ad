package propose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/propose/values"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// likeness returns how probable it is that two fields mean the same; 0: they are not proposed.
func (p *proposal) likeness(f, g schema.Field, gone, new []schema.Field) int {
	a, errA := fieldpath.Parse(f.Path)
	b, errB := fieldpath.Parse(g.Path)
	if errA != nil || errB != nil || fieldpath.IsEvery(a.Last()) || fieldpath.IsEvery(b.Last()) || a.Within(b) || b.Within(a) {
		return 0
	}
	// Both must be in the same elements, because a rule cannot move a field out of a list.
	every := func(p fieldpath.Path) fieldpath.Path { return p[:lastEvery(p)+1] }
	if !every(a).Equal(every(b)) {
		return 0
	}
	if f.Type != g.Type {
		if values.TypesOf(a.Last(), b.Last()) != "" && f.Type == "a string" && g.Type == "an integer" {
			return 4
		}
		return 0
	}
	same := func(all []schema.Field) (n int) { // beside f
		for _, h := range all {
			if h.Type == f.Type && parentOf(h.Path) == parentOf(f.Path) {
				n++
			}
		}
		return n
	}
	switch {
	case !p.akin(f, g):
		return 0
	case a.Last() == b.Last():
		return 5
	case alike(a.Last(), b.Last()) && a.Parent().Equal(b.Parent()):
		return elsewhere + 1
	case alike(a.Last(), b.Last()):
		return elsewhere
	case f.Type != "an object" && same(gone) == 1 && same(new) == 1 && a.Parent().Equal(b.Parent()):
		return onlyOne
	}
	return 0
}

// akin reports whether two objects, or the elements of two lists, may be the same: they have a
// member in common, or no members.
func (p *proposal) akin(f, g schema.Field) bool {
	names := func(all *fieldSet, at string) (names []string) {
		for rest := range all.below(at) {
			names = append(names, rest)
		}
		return slices.DeleteFunc(names, isEveryStep)
	}
	a, b := names(p.a, f.Path), names(p.b, g.Path)
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
}

// isEveryStep reports whether a path from a list or a map names all of its elements.
func isEveryStep(rest string) bool {
	return rest == fieldpath.Elements || rest == "."+fieldpath.Members
}

// unlike says why two fields cannot mean the same for all objects; "" if they may.
func (p *proposal) unlike(f, g schema.Field) string {
	a, b := values.UnitAt(f.Path), values.UnitAt(g.Path)
	if f.Type == g.Type && a != b && f.Type != "an object" && f.Type != "a boolean" {
		return fmt.Sprintf("the names say different units, %s and %s", unitName(a), unitName(b))
	}
	if isAPIVersion(f.Path) != isAPIVersion(g.Path) {
		return "one is an apiVersion: convert makes an apiGroup of it, with the versions of the groups"
	}
	if len(f.Enum) > 0 && len(g.Enum) > 0 && disjoint(f.Enum, g.Enum) && translation(f.Enum, g.Enum) == "" {
		return "they have no value in common"
	}
	return p.lacking(f, g)
}

// lacking says which members only one of two fields has; "" if they have the same.
func (p *proposal) lacking(f, g schema.Field) string {
	for side, sets := range [][2]*fieldSet{{p.a, p.b}, {p.b, p.a}} {
		one, other := [2]string{f.Path, g.Path}[side], [2]string{f.Path, g.Path}[1-side]
		there := sets[1].below(other)
		var missing []string
		for rest, h := range sets[0].below(one) {
			if twin, ok := there[rest]; !ok {
				missing = append(missing, one+rest)
			} else if twin.Type != h.Type {
				missing = append(missing, one+rest+" as "+h.Type)
			}
		}
		if len(missing) > 0 {
			slices.Sort(missing)
			return fmt.Sprintf("%s does not have %s", [2]string{p.To, p.From}[side], enumerate(missing, 3))
		}
	}
	return ""
}

// isAPIVersion reports whether a path ends with apiVersion, a text with a group and a version.
func isAPIVersion(text string) bool { return strings.HasSuffix(text, ".apiVersion") }

func unitName(unit string) string {
	if unit == "" {
		return "none"
	}
	return unit
}

// enumerate joins at most a number of texts with commas, and counts the others.
func enumerate(all []string, most int) string {
	text := strings.Join(all[:min(len(all), most)], ", ")
	if more := len(all) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// elsewhere is the likeness of two fields with similar names in different objects.
const elsewhere = 3

// onlyOne is the likeness of two fields that are the only ones of their type in an object, and whose
// names differ.
const onlyOne = 1

// maxValues is the number of values of an enum that are compared. A table of rules has at most maxPairs of package verbs.
const maxValues = 1_000

// translation returns the pairs of values of two enums that differ in their spelling only, as in
// rsa and RSA; "" if the enums are equal or too long, or if a value of the first has no counterpart.
func translation(from, to []string) string {
	if max(len(from), len(to)) > maxValues {
		return ""
	}
	marks := strings.NewReplacer("-", "", "_", "")
	plain := func(s string) string { return strings.ToLower(marks.Replace(s)) }
	spelt := map[string]string{} // the first value of the second enum with a plain spelling
	for _, w := range slices.Backward(to) {
		spelt[plain(w)] = w
	}
	var pairs []string
	for _, v := range from {
		w, ok := spelt[plain(v)]
		if !ok { // or has a partner already: two values with one cannot be told apart on the way back
			return ""
		}
		delete(spelt, plain(v))
		if v != w {
			pairs = append(pairs, fmt.Sprintf("[%q, %q]", v, w))
		}
	}
	if len(pairs) == 0 {
		return ""
	}
	return "[" + strings.Join(pairs, ", ") + "]"
}

// disjoint reports whether two enums have no value in common.
func disjoint(a, b []string) bool {
	in := map[string]bool{}
	for _, v := range a {
		in[v] = true
	}
	return !slices.ContainsFunc(b, func(v string) bool { return in[v] })
}

// lastEvery returns the index of the last step to every element or member; -1 if there is none.
func lastEvery(p fieldpath.Path) int {
	for i := len(p) - 1; i >= 0; i-- {
		if fieldpath.IsEvery(p[i]) {
			return i
		}
	}
	return -1
}

// maxName is the longest name that is compared letter by letter.
const maxName = 100

// alike reports whether two names differ in a few letters, or one begins or ends with the other.
func alike(a, b string) bool {
	if max(len(a), len(b)) > maxName {
		return false
	}
	a, b = strings.ToLower(a), strings.ToLower(b)
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) >= 4 && (strings.HasPrefix(b, a) || strings.HasSuffix(b, a)) {
		return true
	}
	return len(a) >= 4 && syntax.Distance(a, b) <= len(b)/4
}
