package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/schema"
)

// proposeDepth is the number of levels of the schemas to compare.
const proposeDepth = 8

// Propose returns rules for the differences between the schemas of neighbouring versions, as a file
// to complete. It converts without loss in any case: a field without a counterpart is kept in the
// stash.
func Propose(crd *schema.CRD, versions []string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `# yaml-language-server: $schema=rules.schema.json
# Rules of %[1]s.%[2]s, proposed from the differences of its schemas. Schemas do not say which fields mean the same:
# check every rule, and write rules for the fields that are dropped although the other version has them in another form.
# All rules: https://github.com/crosswalk-gateway/crosswalk/blob/main/docs/author/rules.md. Compile them with: crosswalk compile rules.yaml
kind: %[1]s
group: %[2]s
conversions:
`, crd.Kind, crd.Group)
	for i := 0; i+1 < len(versions); i++ {
		p := &proposal{from: versions[i], to: versions[i+1], text: &b, a: fieldsOf(crd, versions[i]), b: fieldsOf(crd, versions[i+1])}
		p.write()
	}
	return []byte(b.String())
}

// fieldsOf returns the fields of a version, by path without the leading dot.
func fieldsOf(crd *schema.CRD, version string) []schema.Field {
	for i := range crd.Versions {
		if v := &crd.Versions[i]; v.Name == version {
			all := v.Fields(proposeDepth)
			for j := range all {
				all[j].Path = strings.TrimPrefix(all[j].Path, ".")
			}
			return all
		}
	}
	return nil
}

// proposal is the rules between two versions.
type proposal struct {
	from, to string
	a, b     []schema.Field // of the versions
	text     *strings.Builder
	rules    int
	shared   []string // objects that both versions have, around fields that move
}

// rule writes a rule and the reason for it.
func (p *proposal) rule(comment, format string, args ...any) {
	p.rules++
	fmt.Fprintf(p.text, "  # %s\n  - {%s}\n", comment, fmt.Sprintf(format, args...))
}

func (p *proposal) write() {
	fmt.Fprintf(p.text, "- from: %s\n  to: %s\n  rules:", p.from, p.to)
	at := p.text.Len()
	p.text.WriteByte('\n')
	start := p.text.Len()
	gone, changed := differing(p.a, p.b)
	new, _ := differing(p.b, p.a)
	for _, f := range changed {
		p.changed(f, *find(p.b, f.Path))
	}
	for _, f := range p.a {
		if g := find(p.b, f.Path); g != nil {
			if values := translation(f.Enum, g.Enum); values != "" {
				p.rule(fmt.Sprintf("the values of %s are spelt in another way in %s", f.Path, p.to), "translate: %s, values: %s", quoted(f.Path), values)
			}
		}
	}
	gone = p.corresponding(gone, &new)
	p.offer(gone, new)
	for _, f := range gone {
		p.rule(fmt.Sprintf("%s (%s) is in %s only", f.Path, f.Type, p.from), "drop: %s, in: %s", quoted(f.Path), p.from)
	}
	for _, f := range new {
		p.rule(fmt.Sprintf("%s (%s) is in %s only", f.Path, f.Type, p.to), "drop: %s, in: %s", quoted(f.Path), p.to)
	}
	if p.rules == 0 {
		text := p.text.String()
		p.text.Reset()
		p.text.WriteString(text[:at] + " [] # the schemas name the same fields\n")
	}
	if len(p.shared) > 0 {
		text := p.text.String()
		p.text.Reset()
		p.text.WriteString(strings.TrimSuffix(text[:at], "rules:") + "shared: [" + strings.Join(p.shared, ", ") + "]\n  rules:\n" + text[start:])
	}
}

// share notes the objects around a moved field that both versions have.
func (p *proposal) share(a, b path) {
	for _, one := range []path{a, b} {
		for n := max(a.common(b), 1) + 1; n < len(one); n++ {
			if object := one[:n].String(); find(p.a, object) != nil && find(p.b, object) != nil && !slices.Contains(p.shared, quoted(object)) {
				p.shared = append(p.shared, quoted(object))
			}
		}
	}
}

// changed writes a rule for a field that has another type in the newer version.
func (p *proposal) changed(f, g schema.Field) {
	comment := fmt.Sprintf("%s is %s in %s and %s in %s", f.Path, f.Type, p.from, g.Type, p.to)
	types := map[string]string{"a string": "string", "an integer": "integer", "a number": "number", "a boolean": "boolean"}
	element := func(fields []schema.Field, name string) bool {
		return find(fields, f.Path+everyElement+"."+name) != nil
	}
	switch s, t := types[f.Type], types[g.Type]; {
	case p.nested(f, p.a, p.b, "nest", p.to) || p.nested(f, p.b, p.a, "unnest", p.from):
	case s == "string" && t != "" && t != "string" || t == "string" && s != "" && s != "string":
		p.rule(comment, "convert: %s, as: [%s, %s]", quoted(f.Path), s, t)
	case find(p.a, f.Path+"."+everyMember) != nil && element(p.b, "name"):
		p.rule(comment, "listFromMap: %s, key: name%s", quoted(f.Path), p.valueMember(p.a, p.b, f.Path))
	case find(p.b, f.Path+"."+everyMember) != nil && element(p.a, "name"):
		p.rule(comment, "mapFromList: %s, key: name%s", quoted(f.Path), p.valueMember(p.b, p.a, f.Path))
	default:
		p.rule(comment+": write a rule that converts it instead of these two", "drop: %s, in: %s", quoted(f.Path), p.from)
		p.rule("and back", "drop: %s, in: %s", quoted(f.Path), p.to)
	}
}

// nested writes rules for a list of strings that is a list of objects with a name in the other
// version; false if it is something else.
func (p *proposal) nested(f schema.Field, scalars, objects []schema.Field, verb, in string) bool {
	element, name := find(scalars, f.Path+everyElement), find(objects, f.Path+everyElement+".name")
	if element == nil || name == nil || element.Type != "a string" || name.Type != "a string" {
		return false
	}
	p.rule(fmt.Sprintf("the elements of %s are strings in one version and objects in %s", f.Path, in), "%s: %s, key: name, type: string", verb, quoted(f.Path+everyElement))
	for _, other := range objects {
		member, ok := strings.CutPrefix(other.Path, f.Path+everyElement+".")
		if ok && member != "name" && !strings.ContainsAny(member, ".[*") {
			p.rule(fmt.Sprintf("%s (%s) is in %s only", other.Path, other.Type, in), "drop: %s, in: %s", quoted(other.Path), in)
		}
	}
	return true
}

// valueMember returns the member value of a rule between a map and a list, if the map's values are
// not objects.
func (p *proposal) valueMember(maps, lists []schema.Field, at string) string {
	if v := find(maps, at+"."+everyMember); v.Type != "an object" && find(lists, at+everyElement+".value") != nil {
		return ", value: value"
	}
	return ""
}

// corresponding writes rules for pairs of fields of which one vanished and one appeared. It returns
// the others.
func (p *proposal) corresponding(gone []schema.Field, new *[]schema.Field) (rest []schema.Field) {
	// The most similar fields first: those that remain are then fewer, and perhaps the only ones of their type.
	return p.pair(p.pair(p.pair(gone, new, elsewhere), new, onlyOne), new, 0)
}

// pair is corresponding for pairs whose likeness is more than above.
func (p *proposal) pair(gone []schema.Field, new *[]schema.Field, above int) (rest []schema.Field) {
	for i, f := range gone {
		best, score := -1, above
		left := append(slices.Clone(rest), gone[i:]...) // without those that have a counterpart
		for j, g := range *new {
			if s := p.likeness(f, g, left, *new); s > score {
				best, score = j, s
			}
		}
		if best < 0 {
			rest = append(rest, f)
			continue
		}
		g := (*new)[best]
		*new = slices.Delete(slices.Clone(*new), best, best+1)
		comment := fmt.Sprintf("%s is in %s only, and %s in %s only, with the same type: do they mean the same?", f.Path, p.from, g.Path, p.to)
		a, _ := parsePath(f.Path)
		b, _ := parsePath(g.Path)
		switch unit := unitOf(a.last(), b.last()); {
		case f.Type != g.Type:
			p.rule(fmt.Sprintf("%s (%s) is in %s only, and %s (%s) in %s only", f.Path, f.Type, p.from, g.Path, g.Type, p.to), "convert: %s, to: %s, as: [%s]", quoted(f.Path), quoted(g.Path), unit)
		case translation(f.Enum, g.Enum) != "":
			p.share(a, b)
			p.rule(comment, "translate: %s, to: %s, values: %s", quoted(f.Path), quoted(g.Path), translation(f.Enum, g.Enum))
		case a.parent().equal(b.parent()):
			p.rule(comment, "rename: %s, to: %s", quoted(f.Path), quoted(g.Path))
		default:
			p.share(a, b)
			p.rule(comment, "move: %s, to: %s", quoted(f.Path), quoted(g.Path))
		}
	}
	return rest
}

// likeness returns how probable it is that two fields mean the same; 0: they are not proposed.
func (p *proposal) likeness(f, g schema.Field, gone, new []schema.Field) int {
	a, errA := parsePath(f.Path)
	b, errB := parsePath(g.Path)
	if errA != nil || errB != nil || isEvery(a.last()) || isEvery(b.last()) || a.within(b) || b.within(a) {
		return 0
	}
	// Both must be in the same elements, because a rule cannot move a field out of a list.
	every := func(p path) path { return p[:lastEvery(p)+1] }
	if !every(a).equal(every(b)) {
		return 0
	}
	if f.Type != g.Type {
		if unitOf(a.last(), b.last()) != "" && f.Type == "a string" && g.Type == "an integer" {
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
	case a.last() == b.last():
		return 5
	case alike(a.last(), b.last()) && a.parent().equal(b.parent()):
		return elsewhere + 1
	case alike(a.last(), b.last()):
		return elsewhere
	case f.Type != "an object" && same(gone) == 1 && same(new) == 1 && a.parent().equal(b.parent()):
		return onlyOne
	}
	return 0
}

// akin reports whether two objects may be the same: they have a member in common, or no members.
func (p *proposal) akin(f, g schema.Field) bool {
	names := func(all []schema.Field, at string) (names []string) {
		for _, h := range all {
			if name, ok := strings.CutPrefix(h.Path, at+"."); ok && !strings.ContainsAny(name, ".[") {
				names = append(names, name)
			}
		}
		return names
	}
	a, b := names(p.a, f.Path), names(p.b, g.Path)
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
}

// elsewhere is the likeness of two fields with similar names in different objects.
const elsewhere = 3

// onlyOne is the likeness of two fields that are the only ones of their type in an object, and whose
// names differ.
const onlyOne = 1

// translation returns the pairs of values of two enums that differ in their spelling only, as in
// rsa and RSA; "" if the enums are equal, or if a value of the first has no counterpart.
func translation(from, to []string) string {
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(s)) }
	var pairs, partners []string
	for _, v := range from {
		i := slices.IndexFunc(to, func(w string) bool { return plain(v) == plain(w) })
		if i < 0 || slices.Contains(partners, to[i]) { // two values with one partner cannot be told apart on the way back
			return ""
		}
		partners = append(partners, to[i])
		if v != to[i] {
			pairs = append(pairs, fmt.Sprintf("[%q, %q]", v, to[i]))
		}
	}
	if len(pairs) == 0 {
		return ""
	}
	return "[" + strings.Join(pairs, ", ") + "]"
}

// lastEvery returns the index of the last step to every element or member; -1 if there is none.
func lastEvery(p path) int {
	for i := len(p) - 1; i >= 0; i-- {
		if isEvery(p[i]) {
			return i
		}
	}
	return -1
}

// unitOf returns the types of a text and of a number whose name is that of the text with a unit:
// timeout and timeoutSeconds.
func unitOf(text, number string) string {
	unit, ok := strings.CutPrefix(number, text)
	if !ok {
		return ""
	}
	return map[string]string{
		"Seconds": "duration, s", "Minutes": "duration, min", "Hours": "duration, h", "Milliseconds": "duration, ms", "Millis": "duration, ms",
		"Bytes": "quantity, bytes", "MiB": "quantity, Mi", "Mi": "quantity, Mi", "GiB": "quantity, Gi", "Gi": "quantity, Gi",
	}[unit]
}

// alike reports whether two names differ in a few letters, or one begins or ends with the other.
func alike(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) >= 4 && (strings.HasPrefix(b, a) || strings.HasSuffix(b, a)) {
		return true
	}
	return len(a) >= 4 && distance(a, b) <= len(b)/4
}

// distance returns the number of letters to insert, delete or replace that make a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			before, row[j+1] = row[j+1], min(before+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// offer writes, as a comment, rules that may be right instead of those that follow.
func (p *proposal) offer(gone, new []schema.Field) {
	for _, f := range gone {
		var parts []string
		for _, g := range new {
			if f.Type == "a string" && g.Type == "a string" && !strings.ContainsAny(f.Path+g.Path, "*[") && parentOf(f.Path) == parentOf(g.Path) {
				parts = append(parts, g.Path)
			}
		}
		rivals := slices.ContainsFunc(gone, func(other schema.Field) bool {
			return other.Path != f.Path && other.Type == f.Type && parentOf(other.Path) == parentOf(f.Path)
		})
		switch {
		case rivals: // which of them is a guess
		case len(parts) > 1 && len(parts) <= maxParts:
			fmt.Fprintf(p.text, "  # Perhaps, instead of dropping these fields:\n  # - {split: %s, to: [%s], words: true} # or separator: \":\"\n", f.Path, strings.Join(parts, ", "))
		case len(parts) == 1:
			fmt.Fprintf(p.text, "  # Perhaps, instead of dropping both:\n  # - {rename: %s, to: %s}\n", f.Path, parts[0])
		}
	}
}

func parentOf(text string) string { return text[:max(0, strings.LastIndexByte(text, '.'))] }

// differing returns the outermost fields that only a has, and those that b has with another type.
func differing(a, b []schema.Field) (only, changed []schema.Field) {
	var listed []path
	for _, f := range a {
		p, err := parsePath(f.Path)
		if err != nil || slices.ContainsFunc(listed, p.within) {
			continue
		}
		switch g := find(b, f.Path); {
		case g != nil && g.Type != f.Type && isEvery(p.last()): // the elements are something else
			changed, listed = append(changed, schema.Field{Path: p.parent().String(), Type: f.Type + " in each element"}), append(listed, p.parent())
		case g == nil && isEvery(p.last()):
			listed = append(listed, p) // what is above differs in its type, or declares no elements
		case g == nil:
			only, listed = append(only, f), append(listed, p)
		case g.Type != f.Type:
			changed, listed = append(changed, f), append(listed, p)
		}
	}
	return only, changed
}

func find(fields []schema.Field, at string) *schema.Field {
	for i := range fields {
		if fields[i].Path == at {
			return &fields[i]
		}
	}
	return nil
}

// quoted returns a path as YAML in braces.
func quoted(text string) string {
	if strings.ContainsAny(text, "[]*'\"$") {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	}
	return text
}
