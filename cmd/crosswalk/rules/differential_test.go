package rules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
)

// TestRulesAgainstReference makes rules and objects at random, and compares the answers of the
// interpreter with those of a second implementation, in both directions. Converted back, an object
// must be what it was, although an API server sorts the members in between. RULES_SEEDS sets the number of files.
func TestRulesAgainstReference(t *testing.T) {
	seeds, refused, converted := 60, 0, 0
	if n, err := strconv.Atoi(os.Getenv("RULES_SEEDS")); err == nil {
		seeds = n
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		m := &maker{Rand: r}
		rules := m.rules(1+r.IntN(6), "spec.", 2)
		f, err := Parse([]byte(inFile(text2(rules))))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text2(rules))
		}
		g := newGuest(t, f)
		for range 12 {
			side := r.IntN(2)
			o := members{"spec": m.object(rules, side)}
			want, wantErr := apply(rules, side, o)
			input := complete(t, version(side), encoded(t, o))
			got, ok := g.convert("example.com/"+version(1-side), input)
			if !ok || wantErr != nil {
				refused++
				if ok || wantErr == nil {
					t.Fatalf("seed %d: %s\n%s\nof %s became %s\nwant %v, %v", seed, text2(rules), input, version(side), got, encoded(t, want), wantErr)
				}
				continue
			}
			converted++
			if !equalSpec(t, got, encoded(t, want), true) {
				t.Fatalf("seed %d: %s\n%s\nof %s became\n%s\nwant %s", seed, text2(rules), input, version(side), got, encoded(t, want))
			}
			back, ok := g.convert("example.com/"+version(side), sorted(t, got))
			if !ok || !equalSpec(t, back, encoded(t, clone(o).(members)), false) {
				t.Fatalf("seed %d: %s\n%s\nof %s became\n%s\nand came back as\n%s", seed, text2(rules), input, version(side), got, back)
			}
		}
	}
	if refused < seeds || converted < 5*seeds {
		t.Errorf("only %d objects were refused and %d converted", refused, converted)
	}
}

// sorted returns an object with the members of all objects sorted by their names.
func sorted(t *testing.T, text string) string {
	t.Helper()
	var o members
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return encoded(t, o)
}

func version(side int) string { return []string{"v1", "v2"}[side] }

func encoded(t *testing.T, o members) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(o); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// equalSpec compares the spec of two objects, without null members, and without empty objects and
// constants in them if they do not count: the reference does not say which of them stay.
func equalSpec(t *testing.T, a, b string, full bool) bool {
	t.Helper()
	decode := func(text string) any {
		var o members
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&o); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return content(o["spec"], full)
	}
	return reflect.DeepEqual(decode(a), decode(b))
}

// maker makes rules and objects.
type maker struct {
	*rand.Rand
	names int
}

func text2(rules []*model) string {
	var b strings.Builder
	for _, m := range rules {
		b.WriteString("- " + strings.ReplaceAll(m.yaml, "\n", "\n  ") + "\n")
	}
	return b.String()
}

func pick[T any](m *maker, from ...T) T { return from[m.IntN(len(from))] }

// field returns the path of a new field: at the top, or in an object that one side or both have.
func (m *maker) field(prefix string, side int) fieldpath.Path {
	m.names++
	name := fmt.Sprintf(pick(m, "f%d", "f%d", "f-%d", "f.%d/~x", "f'%d\"\\", "ü %d"), m.names)
	p := fieldpath.Path{}
	if prefix != "" {
		p = append(p, strings.TrimSuffix(prefix, "."))
	}
	switch m.IntN(4) {
	case 0:
		p = append(p, fmt.Sprintf("box%d", side))
	case 1:
		p = append(p, "both", "deep")
	}
	return append(p, name)
}

func quote(p fieldpath.Path) string { return strconv.Quote(p.String()) }

// rules makes rules for fields of their own; some of them for elements.
func (m *maker) rules(n int, prefix string, depth int) (all []*model) {
	for range n {
		one := m.rule(prefix)
		if depth > 0 && m.IntN(6) == 0 {
			p := m.field(prefix, 0)
			p = append(p[:len(p):len(p)][:min(1, len(prefix))], p.Last())
			inner := m.rules(1+m.IntN(3), "", depth-1)
			one = &model{yaml: fmt.Sprintf("each: %s\nrules:\n%s", quote(p), text2(inner)), paths: [2][]fieldpath.Path{{p}, {p}}, only: -1, inner: inner}
		}
		if m.IntN(6) == 0 && one.inner == nil {
			one.when = pick(m, "on", "x y", "ü")
			one.yaml += fmt.Sprintf("\nwhen: {path: %smode, equals: %q}", prefix, one.when)
			if m.IntN(2) == 0 {
				one.rest = pick(m, "true", "false")
				one.yaml = strings.Replace(one.yaml, "\nwhen: ", "\nwhen:\n- ", 1) + fmt.Sprintf("\n- {path: %srest, exists: %s}", prefix, one.rest)
			}
		}
		all = append(all, one)
	}
	if prefix == "" || len(all) < 2 {
		return all
	}
	return m.chained(all, prefix)
}

// chained adds fields that take each other's places.
func (m *maker) chained(all []*model, prefix string) []*model {
	if m.IntN(3) > 0 {
		return all
	}
	var ps []fieldpath.Path
	for range 2 + m.IntN(3) {
		ps = append(ps, m.field(prefix, 2))
	}
	circle := m.IntN(2)
	for _, i := range m.Perm(len(ps) - 1 + circle) {
		a, b := ps[i], ps[(i+1)%len(ps)]
		one := m.moved(a, b)
		all = append(all, one)
	}
	return all
}

func (m *maker) moved(a, b fieldpath.Path) *model {
	verb := "move"
	if a.Parent().Equal(b.Parent()) {
		verb = "rename"
	}
	return &model{yaml: fmt.Sprintf("%s: %s\nto: %s", verb, quote(a), quote(b)), paths: [2][]fieldpath.Path{{a}, {b}}, only: -1,
		turn: [2]func([]any) ([]any, error){same, same}, make: [2]func(*rand.Rand) []any{m.any, m.any}}
}

func (m *maker) any(*rand.Rand) []any { return []any{m.value(2)} }

// value makes any value but null.
func (m *maker) value(depth int) any {
	switch m.IntN(7) {
	case 0:
		return m.IntN(2) == 0
	case 1, 2:
		return json.Number(pick(m, "0", "1", "-1", "9223372036854775807", "-9223372036854775808", "1.0", "1e3", "0.1", "18446744073709551616", "-0", "1e-7"))
	case 3:
		if depth > 0 {
			return []any{m.value(depth - 1), m.value(depth - 1)}
		}
	case 4:
		if depth > 0 {
			return members{"a": m.value(depth - 1), "b/c~": m.value(0)}
		}
	}
	return m.string()
}

func (m *maker) string() any {
	return pick[any](m, "", "a", "b", "x", "a,b", "a:b", "a:b:c", ":", "ü€😀", "\"\\\n\t\x01", "1", "007", " 1", "90m", "1h30m0s", strings.Repeat("long ", 50))
}

// object makes an object with values for the rules.
func (m *maker) object(rules []*model, side int) members {
	o := members{"rest": m.value(2)}
	if m.IntN(2) == 0 {
		o["mode"] = pick(m, "on", "x y", "ü", "off")
	}
	for _, box := range []fieldpath.Path{{fmt.Sprintf("box%d", side)}, {"both"}, {"both", "deep"}} {
		if m.IntN(4) == 0 {
			_ = set(o, box, members{})
		}
	}
	for _, one := range rules {
		if one.fixed != nil || one.only >= 0 && one.only != side || m.IntN(4) == 0 {
			continue
		}
		p := one.paths[side]
		if one.inner != nil {
			list := []any{}
			for range m.IntN(4) {
				list = append(list, m.object(one.inner, side))
			}
			_ = set(o, relative(p[0]), list)
			continue
		}
		for i, v := range one.make[side](m.Rand) {
			if v != nil {
				_ = set(o, relative(p[i]), v)
			}
		}
	}
	for _, one := range rules { // an object has its constants
		if one.only != side || one.fixed == nil {
			continue
		}
		p := relative(one.paths[side][0])
		if _, ok := at(o, p.Parent()).(members); ok {
			_ = set(o, p, one.make[side](m.Rand)[0])
		}
	}
	return o
}

func relative(p fieldpath.Path) fieldpath.Path {
	if p[0] == "spec" {
		return p[1:]
	}
	return p
}
