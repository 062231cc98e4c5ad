package propose

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/nearest"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/propose/values"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// likeness returns how probable it is that two fields mean the same; 0: they are not proposed.
func (p *proposal) likeness(f, g candidate) int {
	a, b := f.path, g.path
	if f.inner && g.inner || a.Within(b) || b.Within(a) || !a[:lastEvery(a)+1].Equal(b[:lastEvery(b)+1]) {
		return 0 // a rule cannot move a field out of a list
	}
	outer := a[:min(len(a), len(b))-1]
	beside := outer.Equal(b[:len(outer)]) // one is in the object around the other
	same, inner := a.Parent().Equal(b.Parent()), f.inner || g.inner
	short, long := f.words, g.words
	if beside {
		skip := len(wordsOf(outer))
		short, long = short[skip:], long[skip:]
	}
	switch {
	case !p.akin(f.Field, g.Field):
		return 0
	case f.Type != g.Type && beside && values.TypesOf(a.Last(), b.Last()) != "" && f.Type == "a string" && g.Type == "an integer":
		return 4
	case f.Type != g.Type && (p.listing(f.Field, g.Field) == "" || inner || !same || !alike(a.Last(), b.Last())):
		return 0
	case beside && slices.Equal(short, long): // storageSize and storage.size
		return 6
	case a.Last() == b.Last() && (!inner || beside):
		return 5
	case beside && inner:
		if len(short) > len(long) {
			short, long = long, short
		}
		named := len(short)+1 == len(long)-1 && long[len(long)-1] == "name" && slices.Equal(short, long[:len(short)]) // class and classRef.name
		members := len(short)+1 == len(long) && len(short) > 1 && short[0] == long[0] && short[len(short)-1] == long[len(long)-1]
		switch {
		case named || members:
			return 4
		case len(short) < len(long) && slices.Equal(short, long[len(long)-len(short):]):
			return 3
		}
	case inner:
	case same && slices.EqualFunc(short, long, func(a, b string) bool { return strings.TrimSuffix(a, "s") == strings.TrimSuffix(b, "s") }):
		return 5
	case alike(a.Last(), b.Last()) && same:
		return 4
	case alike(a.Last(), b.Last()):
		return 3
	case same && slices.ContainsFunc(f.words, func(word string) bool {
		return len(word) > 2 && slices.Contains(g.words[len(g.words)-len(wordsIn(b.Last())):], word) && slices.Contains(wordsIn(a.Last()), word)
	}):
		return 2
	}
	return 0
}

// wordsOf returns the words of a path, in lower case.
func wordsOf(p fieldpath.Path) (all []string) {
	for _, name := range p {
		all = append(all, wordsIn(name)...)
	}
	return all
}

// wordsIn returns the words of a name, in lower case: a capital begins one, unless it follows another.
func wordsIn(name string) (all []string) {
	start := 0
	for i := 1; i <= len(name); i++ {
		if i == len(name) || isCapital(name[i]) && !isCapital(name[i-1]) || strings.ContainsRune("-_", rune(name[i])) {
			if word := strings.Trim(strings.ToLower(name[start:i]), "-_"); word != "" {
				all = append(all, word)
			}
			start = i
		}
	}
	return all
}

func isCapital(c byte) bool { return c >= 'A' && c <= 'Z' }

// akin reports whether two objects, or the elements of two lists, may be the same: they have a
// member in common, or no members.
func (p *proposal) akin(f, g schema.Field) bool {
	names := func(all *fieldSet, at string) (names []string) {
		for rest := range all.below(at) {
			if !isEveryStep(rest) {
				names = append(names, rest)
			}
		}
		return names
	}
	a, b := names(p.a, f.Path), names(p.b, g.Path)
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
}

// isEveryStep reports whether a path from a list or a map names all of its elements.
func isEveryStep(rest string) bool {
	return rest == fieldpath.Elements || rest == "."+fieldpath.Members
}

// opposite is why fields of opposite names are not one.
const opposite = "their names say the opposite of each other"

// unlike says why two fields cannot mean the same for all objects; "" if they may.
func (p *proposal) unlike(f, g schema.Field) string {
	if fuzz.Opposite(strings.TrimSuffix(f.Path, "d"), strings.TrimSuffix(g.Path, "d")) || fuzz.Opposite(f.Path, g.Path) {
		return opposite
	}
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
	return ""
}

// lacking returns rules for the members that only one of two objects, or their elements, has. It says why
// there are none, if a member has another type, or is in neither of them.
func (p *proposal) lacking(f, g schema.Field) (inner []string, why string) {
	start := map[bool]string{true: fieldpath.Elements + ".", false: "."}[f.Type == "an array"]
	for side, sets := range [][2]*fieldSet{{p.a, p.b}, {p.b, p.a}} {
		in, other := [2]string{p.From, p.To}[side], [2]string{p.To, p.From}[side]
		one := [2]string{f.Path, g.Path}[side]
		there, dropped := maps.Collect(sets[1].below([2]string{f.Path, g.Path}[1-side])), map[string]bool{}
		for rest, here := range sets[0].below(one) {
			twin, ok := there[rest]
			name, member := strings.CutPrefix(rest, start)
			first, _, _ := strings.Cut(strings.SplitN(name, fieldpath.Elements, 2)[0], ".")
			switch {
			case ok && twin.Type == here.Type || member && dropped[first]:
			case ok:
				return nil, fmt.Sprintf("%s does not have %s as %s", other, one+rest, here.Type)
			case member && first == name && name != fieldpath.Members:
				dropped[name], inner = true, append(inner, fmt.Sprintf("{drop: %s, in: %s}", quoted(name), in))
			default:
				return nil, fmt.Sprintf("%s does not have %s", other, one+rest)
			}
		}
	}
	return inner, ""
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

// without returns the values of an enum that another one lacks, as text.
func without(values, other []string) string {
	return enumerate(slices.DeleteFunc(slices.Clone(values), func(v string) bool { return slices.Contains(other, v) }), maxUnseen)
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
	return len(a) >= 4 && nearest.Distance(a, b) <= len(b)/4
}
