package prove

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// TestAttack makes rules and schemas at random, most of them wrong in one or two places, and fuzzes
// those that the lemmas prove: none may lose anything. ATTACKS=100000 for a long attack.
func TestAttack(t *testing.T) {
	if testing.Short() {
		t.Skip("fuzzes many converters")
	}
	attacks, first := attacksOf(500)
	proved, mutated := 0, 0
	for i := range attacks {
		a := &attack{Rand: rand.New(rand.NewPCG(first+uint64(i), 27))}
		f := a.fixture()
		file, crd, found, ok := f.decided()
		if !ok || len(found.Open) > 0 {
			continue
		}
		proved++
		if a.mutations > 0 {
			mutated++
		}
		for _, text := range unstated(t, found, file, crd, 400) {
			t.Errorf("attack %d: proved, and loses: %s\n%s\n%s", first+uint64(i), text, f.text(), strings.Join(f.specs, "\n"))
		}
	}
	t.Logf("%d of %d attacks were proved, %d of them with mutations", proved, attacks, mutated)
	if proved < attacks/20 || mutated < attacks/60 {
		t.Errorf("only %d of %d attacks were proved, %d of them with mutations: the others test nothing", proved, attacks, mutated)
	}
}

// attacksOf returns how many attacks to make, and the first seed. ATTACKS and ATTACK_SEED change them.
func attacksOf(usual int) (attacks int, first uint64) {
	if n, err := strconv.Atoi(os.Getenv("ATTACKS")); err == nil {
		usual = n
	}
	first, _ = strconv.ParseUint(os.Getenv("ATTACK_SEED"), 10, 64)
	return usual, first
}

// decided decides about a fixture; not ok if its rules or schemas are refused.
func (f fixture) decided() (file *rules.File, crd definition.Definition, found Lemmas, ok bool) {
	file, err := rules.Parse([]byte(f.text()))
	if err != nil {
		return nil, crd, found, false
	}
	all, err := definition.Read([]byte(definitionOf(f)))
	if err != nil {
		return nil, crd, found, false
	}
	d, err := apiserver.New(all[0].CRD)
	if err != nil {
		return nil, crd, found, false
	}
	return file, all[0], Decide(file, d), true
}

type attack struct {
	*rand.Rand
	names, mutations int
	lossy            string // entries
}

type schemaMap = map[string]any

func choose[T any](a *attack, from ...T) T { return from[a.IntN(len(from))] }

func (a *attack) name() string {
	a.names++
	return fmt.Sprintf("f%d", a.names)
}

func objectSchema(properties schemaMap, required ...any) schemaMap {
	s := schemaMap{"type": "object", "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// value returns the schema of a value.
func (a *attack) value(depth int) schemaMap {
	switch a.IntN(8) {
	case 0:
		return schemaMap{"type": "integer"}
	case 1:
		return schemaMap{"type": "boolean"}
	case 2:
		return schemaMap{"type": "string", "enum": []any{"a", "b", "c"}}
	case 3:
		if depth > 0 {
			return schemaMap{"type": "array", "maxItems": 3, "items": a.value(depth - 1)}
		}
	case 4:
		if depth > 0 {
			return objectSchema(schemaMap{"p": a.value(depth - 1), "q": a.value(depth - 1)})
		}
	case 5:
		if depth > 0 {
			return schemaMap{"type": "object", "additionalProperties": a.value(depth - 1)}
		}
	}
	return schemaMap{"type": "string", "maxLength": 30}
}

// fixture makes a definition and rules for it.
func (a *attack) fixture() fixture {
	specs := [2]schemaMap{{}, {}}
	type place struct {
		into   [2]schemaMap
		prefix string
	}
	var text []string
	var places []place
	for range 1 + a.IntN(4) {
		into, prefix := specs, "spec."
		kind := a.IntN(6)
		if len(places) > 0 && a.IntN(3) == 0 { // beside an earlier rule
			one := choose(a, places...)
			into, prefix, kind = one.into, one.prefix, 9
		}
		switch name := a.name(); kind {
		case 0: // in an object of both
			inner := [2]schemaMap{{}, {}}
			for side := range specs {
				specs[side][name] = objectSchema(inner[side])
			}
			into, prefix = inner, "spec."+name+"."
		case 1: // in elements
			inner := [2]schemaMap{{}, {}}
			for side := range specs {
				specs[side][name] = schemaMap{"type": "array", "items": objectSchema(inner[side])}
			}
			into, prefix = inner, "spec."+name+"[]."
		case 2: // in members
			inner := [2]schemaMap{{}, {}}
			for side := range specs {
				specs[side][name] = schemaMap{"type": "object", "additionalProperties": objectSchema(inner[side])}
			}
			into, prefix = inner, "spec."+name+".*."
		}
		places = append(places, place{into, prefix})
		if a.IntN(8) == 0 {
			text = append(text, a.ruleForElements(into, prefix)...)
		} else {
			text = append(text, a.inBlocks(a.rule(into, prefix))...)
		}
		if a.IntN(2) == 0 {
			name, value := a.name(), a.value(2)
			into[0][name], into[1][name] = value, value
		}
	}
	whole := [2]any{objectSchema(schemaMap{"spec": objectSchema(specs[0])}), objectSchema(schemaMap{"spec": objectSchema(specs[1])})}
	for side := range whole { // their own copies, so that a mutation is of one version
		copied, _ := json.Marshal(whole[side])
		_ = json.Unmarshal(copied, &whole[side])
	}
	for range choose(a, 0, 0, 1, 1, 1, 2) {
		a.mutations++
		if a.IntN(5) == 0 {
			text = a.mutateRules(text)
		} else {
			a.mutateBoth(whole)
		}
	}
	f := fixture{whole: true, rules: a.oneLine(strings.Join(text, ""))}
	if a.lossy != "" {
		f.lossy = "lossy:\n" + a.lossy
	}
	for _, one := range whole {
		encoded, _ := json.Marshal(one)
		f.specs = append(f.specs, string(encoded))
	}
	return a.elsewhere(f)
}

// rule makes a rule about new fields, and the fields.
func (a *attack) rule(into [2]schemaMap, prefix string) []string {
	original := into
	x, y, v := a.name(), a.name(), a.value(2)
	here, there := prefix+x, prefix+y
	if a.IntN(4) == 0 { // the field of v2 is in an object of that version
		box := a.name()
		into, there = [2]schemaMap{into[0], {}}, prefix+box+"."+y
		defer func(outer schemaMap) {
			if into[1][y] != nil {
				outer[box] = objectSchema(into[1])
			}
		}(original[1])
	}
	switch rule := a.IntN(24); a.ruleOr(rule) {
	case 0, 1:
		into[0][x], into[1][y] = v, v
		return []string{fmt.Sprintf("- {%s: '%s', to: '%s'}\n", verb(here, there), here, there)}
	case 2: // into an object of one version
		box, other := a.name(), a.value(1)
		inside := objectSchema(schemaMap{y: v})
		into[0][x], into[1][box] = v, inside
		all := []string{fmt.Sprintf("- {move: '%s', to: '%s%s.%s'}\n", here, prefix, box, y)}
		if a.IntN(2) == 0 {
			z := a.name()
			into[0][z] = other
			inside["properties"].(schemaMap)["z"] = other
			all = append(all, fmt.Sprintf("- {move: '%s%s', to: '%s%s.z'}\n", prefix, z, prefix, box))
		}
		if a.IntN(2) == 0 {
			inside["required"] = []any{y}
		}
		return all
	case 3: // between objects of one version each
		one, two := a.name(), a.name()
		into[0][one], into[1][two] = objectSchema(schemaMap{x: v}), objectSchema(schemaMap{"deep": objectSchema(schemaMap{y: v})})
		return []string{fmt.Sprintf("- {move: '%s%s.%s', to: '%s%s.deep.%s'}\n", prefix, one, x, prefix, two, y)}
	case 4:
		table := choose(a, `[[a, x], [b, y]]`, `[[a, b], [b, a]]`, `[[a, x], [b, c]]`, `[[true, x], [false, c]]`, `[[absent, x]]`, `[[absent, x], [a, y]]`, `[[absent, x], [a, absent]]`)
		left, right := schemaMap{"type": "string", "enum": []any{"a", "b", "c", "x"}[:1+a.IntN(4)]}, schemaMap{"type": "string", "enum": []any{"x", "y", "c", "b", "a"}[:1+a.IntN(5)]}
		if strings.Contains(table, "true") {
			left = schemaMap{"type": "boolean"}
		}
		if strings.HasPrefix(table, "[[absent") && a.IntN(4) > 0 {
			right["default"] = right["enum"].([]any)[0]
		}
		a.always(left, right)
		into[0][x], into[1][y] = left, right
		return []string{fmt.Sprintf("- {translate: '%s', to: '%s', values: %s, others: %s}\n", here, there, table, choose(a, "keep", "keep", "refuse"))}
	case 5:
		o := objectSchema(schemaMap{"k": v})
		if a.IntN(2) == 0 {
			o["required"] = []any{"k"}
		}
		if a.IntN(3) == 0 {
			o["properties"].(schemaMap)["l"] = a.withDefault(a.value(1))
		}
		if a.IntN(2) == 0 {
			into[0][x], into[1][y] = v, o
			return []string{fmt.Sprintf("- {nest: '%s', to: '%s', key: k}\n", here, there)}
		}
		into[0][x], into[1][y] = o, v
		return []string{fmt.Sprintf("- {unnest: '%s', to: '%s', key: k}\n", here, there)}
	case 6:
		list := schemaMap{"type": "array", "items": v, "minItems": a.IntN(2), "maxItems": 1 + a.IntN(3)}
		if a.IntN(2) == 0 {
			into[0][x], into[1][y] = v, list
			return []string{fmt.Sprintf("- {wrap: '%s', to: '%s'}\n", here, there)}
		}
		into[0][x], into[1][y] = list, v
		return []string{fmt.Sprintf("- {unwrap: '%s', to: '%s'}\n", here, there)}
	case 7:
		side := a.IntN(2)
		if side == 1 { // perhaps in an object of its own
			x, here = y, there
		}
		into[side][x] = a.orNull(a.withDefault(v))
		dependence := choose(a, "", "", "", ", for: []", ", for: object", ", for: [spec]", fmt.Sprintf(", for: [%s]", strings.NewReplacer("[].", "", ".*.", "").Replace(strings.TrimSuffix(prefix, "."))))
		return []string{fmt.Sprintf("- {drop: '%s', in: v%d%s}\n", here, side+1, dependence)}
	case 8: // into an object of both, whose other fields rules are about, or not
		box, z, other := a.name(), a.name(), a.value(1)
		into[0][x] = v
		boxes := []schemaMap{objectSchema(schemaMap{"z": other}), objectSchema(schemaMap{y: v, z: other})}
		a.always(boxes[0], boxes[1], v)
		into[0][box], into[1][box] = boxes[0], boxes[1]
		all := []string{fmt.Sprintf("- {move: '%s', to: '%s%s.%s'}\n", here, prefix, box, y), fmt.Sprintf("- {rename: '%s%s.z', to: '%s%s.%s'}\n", prefix, box, prefix, box, z)}
		if a.IntN(2) == 0 {
			w := a.name()
			into[0][box].(schemaMap)["properties"].(schemaMap)["w"], into[1][w] = other, other
			all = append(all, fmt.Sprintf("- {move: '%s%s.w', to: '%s%s'}\n", prefix, box, prefix, w))
		}
		return all
	case 10: // a text becomes an object, perhaps at its own place
		parts := schemaMap{"a": schemaMap{"type": "string"}, "b": schemaMap{"type": "string", "enum": []any{"x", "-", "y z"}}}
		if a.IntN(2) == 0 {
			parts["c"] = a.value(1)
		}
		if len(into[1]) > 0 && a.IntN(2) == 0 {
			y, there = x, here
		}
		into[0][x], into[1][y] = schemaMap{"type": "string"}, objectSchema(parts)
		a.lossy += fmt.Sprintf("- {from: v1, to: v2, path: '%s', reason: x}\n- {from: v2, to: v1, path: '%s.*', reason: x}\n", here, there)
		return []string{fmt.Sprintf("- {split: '%s', to: ['%s.a', '%s.b'], %s, absent: '-'%s}\n", here, there, there, choose(a, "words: true", "separator: ':'", "separator: ':', at: last"), choose(a, "", ", unfit: stash"))}
	case 11: // another type or unit
		one := choose(a,
			[4]string{"string", "integer", `{"type": "string", "enum": ["7", "007", "-0", "x"]}`, `{"type": "integer"}`},
			[4]string{"string", "boolean", `{"type": "string", "enum": ["true", "false", "x"]}`, `{"type": "boolean"}`},
			[4]string{"string", "number", `{"type": "string", "enum": ["1.50", "7"]}`, `{"type": "number"}`},
			[4]string{"duration", choose(a, "s", "ms", "ns", "h"), `{"type": "string", "enum": ["90s", "1m30s", "1.5h", "1ns", "0", "0s", "x"]}`, `{"type": "integer"}`},
			[4]string{"quantity", choose(a, "Mi", "m", "bytes", "integer", "G"), `{"type": "string", "enum": ["1Gi", "1024Mi", "1500m", "1e3", "0", "0.5", "x"]}`, `{"type": "integer"}`},
			[4]string{"quantity", "duration", `{"type": "string", "maxLength": 20}`, `{"type": "string", "enum": ["90s", "1m30s", "1ns", "x"]}`},
			[4]string{choose(a, "G", "Mi", "k"), choose(a, "M", "Gi", "integer"), `{"type": "integer"}`, `{"type": "integer", "maximum": 5000}`},
			[4]string{choose(a, "min", "h"), choose(a, "s", "ns"), `{"type": "integer"}`, `{"type": "integer"}`})
		var schemas [2]schemaMap
		for side := range schemas {
			_ = json.Unmarshal([]byte(one[2+side]), &schemas[side])
		}
		if a.IntN(2) == 0 {
			one[0], one[1], schemas[0], schemas[1] = one[1], one[0], schemas[1], schemas[0]
		}
		a.always(schemas[:]...)
		into[0][x], into[1][y] = schemas[0], schemas[1]
		if a.IntN(4) > 0 {
			a.lossy += fmt.Sprintf("- {from: v1, to: v2, path: '%s', reason: x}\n- {from: v2, to: v1, path: '%s', reason: x}\n", here, there)
		}
		return []string{fmt.Sprintf("- {convert: '%s', to: '%s', as: [%s, %s]%s}\n", here, there, one[0], one[1], choose(a, "", "", "", ", inexact: round")+choose(a, "", ", unfit: stash"))}
	case 13, 14, 15, 16, 17, 18, 19:
		return a.ruleForLists(into, prefix, x, y, there)
	case 20, 21, 22, 23:
		return a.ruleForTexts(into, prefix, x, y, there)
	case 9: // a field is dropped beside one that moves
		box := a.name()
		into[0][x], into[1][box] = v, objectSchema(schemaMap{y: v, "z": a.orNull(a.value(1))})
		return []string{fmt.Sprintf("- {move: '%s', to: '%s%s.%s'}\n", here, prefix, box, y), fmt.Sprintf("- {drop: '%s%s.z', in: v2}\n", prefix, box)}
	}
	into[0][x], into[0][y], into[1][x], into[1][y] = v, schemaMap{"type": "integer"}, schemaMap{"type": "integer"}, v // change places
	return []string{fmt.Sprintf("- {%s: '%s', to: '%s'}\n", verb(here, there), here, there), fmt.Sprintf("- {%s: '%s', to: '%s'}\n", verb(here, there), there, here)}
}

// orNull returns the schema of a value that is dropped, which may be null.
func (a *attack) orNull(v schemaMap) schemaMap {
	if a.IntN(3) > 0 {
		return v
	}
	v = maps.Clone(v)
	v["nullable"] = true
	return v
}

// ruleOr returns the number of the rule to make: ATTACK_RULE in half of the cases, if it is set.
func (a *attack) ruleOr(rule int) int {
	if only, err := strconv.Atoi(os.Getenv("ATTACK_RULE")); err == nil && a.IntN(2) == 0 {
		return only
	}
	return rule
}

// verb returns the verb that brings a field from one path to another.
func verb(here, there string) string {
	if here[:strings.LastIndex(here, ".")+1] == there[:strings.LastIndex(there, ".")+1] {
		return "rename"
	}
	return "move"
}

// mutateRules makes the rules wrong, perhaps.
func (a *attack) mutateRules(text []string) []string {
	if len(text) == 0 {
		return text
	}
	i, j := a.IntN(len(text)), a.IntN(len(text))
	text = slices.Clone(text)
	switch a.IntN(5) {
	case 0:
		return slices.Delete(text, i, i+1)
	case 3:
		text[i] = strings.Replace(text[i], "}\n", ", oneWay: {to: v2, reason: x}}\n", 1)
	case 1:
		return append(text, text[i])
	case 2:
		text[i] = strings.Replace(text[i], "}\n", ", when: {path: spec.f1, exists: true}}\n", 1)
	default: // targets of two rules
		_, one, _ := strings.Cut(text[i], ", to: ")
		_, two, _ := strings.Cut(text[j], ", to: ")
		if one != "" && two != "" {
			text[i], text[j] = strings.Replace(text[i], one, two, 1), strings.Replace(text[j], two, one, 1)
		}
	}
	return text
}

// withDefault sets a default of a scalar, perhaps.
func (a *attack) withDefault(s schemaMap) schemaMap {
	one, ok := map[any]any{"string": "a", "integer": 1, "boolean": true}[s["type"]]
	if !ok || a.IntN(3) > 0 {
		return s
	}
	copied := schemaMap{"default": one}
	for key, value := range s {
		copied[key] = value
	}
	return copied
}

// always sets a default of all of these, or of none.
func (a *attack) always(all ...schemaMap) {
	if a.IntN(3) > 0 {
		return
	}
	for _, s := range all {
		if values, ok := s["enum"].([]any); ok {
			s["default"] = choose(a, values...)
			continue
		}
		s["default"] = map[any]any{"string": "a", "integer": 1, "boolean": true, "object": schemaMap{}, "array": []any{}}[s["type"]]
	}
}

// mutateBoth changes the schema of one version at a random place, or the same place of both.
func (a *attack) mutateBoth(whole [2]any) {
	seed, side := a.Uint64(), a.IntN(3)
	for s := range whole {
		if side == 2 || side == s {
			(&attack{Rand: rand.New(rand.NewPCG(seed, 1))}).mutate(whole[s].(schemaMap))
		}
	}
}

// mutated returns the text of a schema with one change.
func (a *attack) mutated(text string) string {
	var whole schemaMap
	_ = json.Unmarshal([]byte(text), &whole)
	a.mutate(whole)
	changed, _ := json.Marshal(whole)
	return string(changed)
}

// mutate changes one value of a schema.
func (a *attack) mutate(root schemaMap) {
	var all []schemaMap
	var visit func(s schemaMap)
	visit = func(s schemaMap) {
		all = append(all, s)
		properties, _ := s["properties"].(schemaMap)
		var names []string
		for name := range properties {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			visit(properties[name].(schemaMap))
		}
		for _, name := range []string{"items", "additionalProperties"} {
			if inner, ok := s[name].(schemaMap); ok {
				visit(inner)
			}
		}
	}
	visit(root)
	s := all[a.IntN(len(all))]
	properties, _ := s["properties"].(schemaMap)
	switch a.IntN(9) {
	case 0:
		s["nullable"] = true
	case 1:
		switch s["type"] {
		case "string":
			s["default"] = choose(a, "a", "b", "x")
		case "integer":
			s["default"] = 1
		case "boolean":
			s["default"] = true
		case "object":
			s["default"] = schemaMap{}
		case "array":
			s["default"] = []any{}
		}
	case 2:
		if s["type"] == "object" {
			s["x-kubernetes-preserve-unknown-fields"] = true
		}
	case 3:
		if properties != nil {
			properties[choose(a, "f1", "f2", "f3", "f4", "z", "k", "extra")] = a.value(1)
		}
	case 4:
		for _, name := range []string{"f1", "f2", "f3", "f4", "f5", "f6", "z", "k", "p"} {
			if properties[name] != nil && a.IntN(2) == 0 {
				delete(properties, name)
				return
			}
		}
	case 5:
		var required []any
		for name := range properties {
			if name < "f5" {
				required = append(required, name)
			}
		}
		if len(required) > 0 {
			slices.SortFunc(required, func(x, y any) int { return strings.Compare(x.(string), y.(string)) })
			s["required"] = required
		}
	case 6:
		delete(s, "required")
		delete(s, "minItems")
		delete(s, "maxItems")
		delete(s, "maxLength")
	case 7:
		if s["enum"] != nil {
			s["enum"] = []any{"a", "b", "c", "d", "x", "y"}[a.IntN(3):]
		}
	case 8:
		for key := range s {
			delete(s, key)
		}
		for key, value := range a.value(2) {
			s[key] = value
		}
	}
}
