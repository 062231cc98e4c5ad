package prove

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestAttackNesting makes rules within rules: every verb within every container, beside fields that other
// rules move into the object around the container, or drop out of it. The lemmas do not read the
// validations in CEL that may hide a loss from fuzz, so the schemas have none, and fuzz tries each object.
// Of 5,500 nestings (ATTACKS), some 1,000 are proved; make test tries 30, and make test-tool 300.
func TestAttackNesting(t *testing.T) {
	usual := 300
	if testing.Short() {
		usual = 30
	}
	attacks, first := attacksOf(usual)
	proved, drops := 0, 0
	for i := range attacks {
		a := &attack{Rand: rand.New(rand.NewPCG(first+uint64(i), 31))}
		f := a.nesting()
		file, crd, found, ok := f.decided()
		if !ok || len(found.Open) > 0 {
			continue
		}
		proved++
		if strings.Contains(f.rules, "drop:") {
			drops++
		}
		for _, text := range unstated(t, found, file, crd, 400) {
			t.Errorf("attack %d: proved, and loses: %s\n%s\n%s", first+uint64(i), text, f.text(), strings.Join(f.specs, "\n"))
		}
	}
	t.Logf("%d of %d attacks were proved, %d of them with a drop", proved, attacks, drops)
	if proved < attacks/8 || drops < attacks/15 {
		t.Errorf("only %d of %d attacks were proved, %d of them with a drop: the others test nothing", proved, attacks, drops)
	}
}

// nesting makes a definition, and rules within rules for it.
func (a *attack) nesting() fixture {
	specs := [2]schemaMap{{}, {}}
	into, prefix := specs, "spec."
	switch name := a.name(); a.IntN(4) {
	case 0: // all of it in elements
		into, prefix = [2]schemaMap{{}, {}}, "spec."+name+"[]."
		for side := range specs {
			specs[side][name] = schemaMap{"type": "array", "maxItems": 5, "items": objectSchema(into[side])}
		}
	case 1: // in members
		into, prefix = [2]schemaMap{{}, {}}, "spec."+name+".*."
		for side := range specs {
			specs[side][name] = schemaMap{"type": "object", "additionalProperties": objectSchema(into[side])}
		}
	}
	f := fixture{rules: a.nested(into, prefix, 1)}
	f.lossy = "lossy:\n- {from: v1, to: v2, path: 'spec.*', reason: x}\n- {from: v2, to: v1, path: 'spec.*', reason: x}\n"
	f.whole = true
	for side := range specs {
		whole := objectSchema(schemaMap{"spec": objectSchema(specs[side])})
		if a.IntN(6) == 0 {
			a.mutate(whole)
		}
		text, _ := json.Marshal(whole)
		f.specs = append(f.specs, string(text))
	}
	return f
}

// nested makes a rule with rules within, and their fields. The container is a list, a map or an object that
// stays, gets another name, or moves into or out of objects of one version or of both. depth is how many
// containers may be within it.
func (a *attack) nested(into [2]schemaMap, prefix string, depth int) string {
	inner := [2]schemaMap{{}, {}}
	content := a.within(inner, depth)
	value := [2]schemaMap{objectSchema(inner[0]), objectSchema(inner[1])}
	shape := choose(a, "each", "each", "map", "rules")
	for side := range value {
		switch shape {
		case "each":
			value[side] = schemaMap{"type": "array", "maxItems": 4, "items": value[side]}
		case "map":
			value[side] = schemaMap{"type": "object", "additionalProperties": value[side]}
		}
	}
	x, y, box := a.name(), a.name(), a.name()
	when := ""
	if a.IntN(24) == 0 { // where a field of both has a value
		test := a.name()
		into[0][test], into[1][test] = schemaMap{"type": "boolean"}, schemaMap{"type": "boolean"}
		when = fmt.Sprintf("  when: {path: '%s%s', equals: true}\n", prefix, test)
	}
	rule := func(verb, here, there, block string) string {
		head := fmt.Sprintf("- %s: '%s%s'\n", verb, prefix, here)
		if there != here {
			head += fmt.Sprintf("  to: '%s%s'\n", prefix, there)
		}
		return head + when + block + ":\n" + content
	}
	if shape == "map" && a.IntN(2) == 0 { // a list of the members, in one of the versions
		side := a.IntN(2)
		inner[side]["k"] = schemaMap{"type": "string"}
		value[side] = schemaMap{"type": "array", "maxItems": 4, "items": objectSchema(inner[side], "k")}
		if a.IntN(3) > 0 {
			value[side]["x-kubernetes-list-type"], value[side]["x-kubernetes-list-map-keys"] = "map", []any{"k"}
		}
		into[0][x], into[1][y] = value[0], value[1]
		return rule([]string{"mapFromList", "listFromMap"}[side], x, y, "  key: k\n"+choose(a, "", "  unfit: stash\n")+"  each")
	}
	if shape == "map" || shape == "each" && a.IntN(3) == 0 { // where it is, or with another name
		if a.IntN(2) == 0 {
			y = x
		}
		into[0][x], into[1][y] = value[0], value[1]
		if shape == "map" {
			return rule("each", x, y, "  map: true\n  rules")
		}
		return rule("each", x, y, "  rules")
	}
	block, beside := "  "+shape, ""
	switch kind := a.IntN(6); {
	case kind == 0:
		into[0][x], into[1][y] = value[0], value[1]
	case kind == 1 && shape == "each": // elements are skipped
		for side := range value {
			value[side]["items"].(schemaMap)["properties"].(schemaMap)["kk"] = schemaMap{"type": "string", "enum": []any{"a", "b"}}
		}
		into[0][x], into[1][y] = value[0], value[1]
		return rule("skip", x, y, "  in: v1\n  where: {path: kk, equals: a}\n  each")
	case kind == 2: // into an object of both
		w := a.value(0)
		into[0][x], into[0][box] = value[0], objectSchema(schemaMap{"p": w})
		into[1][box] = objectSchema(schemaMap{y: value[1], "q": w})
		return rule("move", x, box+"."+y, block) + fmt.Sprintf("- {rename: '%s%s.p', to: '%s%s.q'}\n", prefix, box, prefix, box)
	case kind == 3: // out of an object of one version into one of the other
		other := a.name()
		into[0][box], into[1][other] = objectSchema(schemaMap{x: value[0]}), objectSchema(schemaMap{y: value[1]})
		x, y = box+"."+x, other+"."+y
	default: // into an object of one version, beside other fields
		fields := schemaMap{y: value[1]}
		around, path := objectSchema(fields), box
		if a.IntN(3) == 0 {
			path = box + ".deep"
			into[1][box] = objectSchema(schemaMap{"deep": around})
		} else {
			into[1][box] = around
		}
		into[0][x] = value[0]
		if a.IntN(3) == 0 {
			fields["z"] = a.orNull(a.value(0))
			beside = fmt.Sprintf("- {drop: '%s%s.z', in: v2}\n", prefix, path)
		}
		if a.IntN(3) == 0 {
			w := a.name()
			into[0][w] = a.value(0)
			fields["m"] = into[0][w]
			beside += fmt.Sprintf("- {move: '%s%s', to: '%s%s.m'}\n", prefix, w, prefix, path)
		}
		if a.IntN(4) == 0 {
			around["required"] = []any{y}
		}
		y = path + "." + y
	}
	return rule("move", x, y, block) + beside
}

// within makes the rules within a rule, and their fields.
func (a *attack) within(into [2]schemaMap, depth int) string {
	const here = "~." // of paths that begin at the value
	var all []string
	for range 1 + a.IntN(2) {
		if depth > 0 && a.IntN(3) == 0 {
			all = append(all, a.nested(into, here, depth-1))
			continue
		}
		all = append(all, a.rule(into, here)...)
	}
	if a.IntN(2) == 0 {
		side, name := a.IntN(2), a.name()
		into[side][name] = a.orNull(a.value(0))
		dependence := ""
		if others := slices.Sorted(maps.Keys(into[1-side])); len(others) > 0 && a.IntN(3) == 0 {
			dependence = fmt.Sprintf(", for: [%s]", choose(a, others...))
		}
		all = append(all, fmt.Sprintf("- {drop: '%s%s', in: v%d%s}\n", here, name, side+1, dependence))
	}
	if a.IntN(12) == 0 {
		one, two, other, v := a.name(), a.name(), a.name(), a.value(1)
		into[0][one], into[1][two], into[1][other] = v, v, v
		all = append(all, fmt.Sprintf("- {rename: '%s%s', to: '%s%s'}\n- {copy: '%s%s', of: '%s%s', in: v2}\n", here, one, here, two, here, other, here, two))
	}
	text := strings.NewReplacer(", for: [~]", "", here, "").Replace(strings.Join(all, ""))
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}
