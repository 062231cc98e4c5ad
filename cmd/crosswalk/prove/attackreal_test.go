package prove

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// TestAttackReal makes the proved rules of real definitions, or their schemas, wrong in one or two
// places at random, half of them where a rule leads, and fuzzes those that the lemmas still prove:
// none may lose anything. ATTACKS, ATTACK_SEED and REAL_OBJECTS make the attack longer.
func TestAttackReal(t *testing.T) {
	if testing.Short() {
		t.Skip("fuzzes many converters")
	}
	count := 100
	if n, err := strconv.Atoi(os.Getenv("REAL_OBJECTS")); err == nil {
		count = n
	}
	attacks, first := attacksOf(66)
	decided, proved := 0, 0
	for i := range attacks {
		real := realRules[i%len(realRules)]
		a := &attack{Rand: rand.New(rand.NewPCG(first+uint64(i), 28))}
		text, crd, made := a.wrong(t, real.name, packed(t, real.crd))
		if !slices.ContainsFunc(made, func(one string) bool { return one != "nothing" }) {
			continue
		}
		file, err := rules.Parse(text)
		if err != nil {
			continue
		}
		d, err := apiserver.New(crd.CRD)
		if err != nil {
			continue
		}
		decided++
		found := Decide(file, d)
		if len(found.Open) > 0 {
			continue
		}
		report, err := tryFuzz(t, file, crd, count, false)
		if err != nil && strings.Contains(err.Error(), "rule compile error") {
			continue // no API server takes a definition with such a rule
		} else if err != nil {
			t.Fatal(err)
		}
		proved++
		for _, loss := range unstatedIn(report, found) {
			t.Errorf("attack %d on %s, %v: proved, and loses: %s\n%s", first+uint64(i), real.name, made, loss, text)
		}
	}
	t.Logf("%d of %d attacks made rules and schemas that are valid; %d were proved, and fuzzed with %d objects each", decided, attacks, proved, count)
	if decided < attacks/3 || proved < attacks/20 {
		t.Errorf("only %d of %d attacks were decided, and %d proved: the others test nothing", decided, attacks, proved)
	}
}

// wrong returns the rules for a definition and the definition, one of them or both changed, and says
// how.
func (a *attack) wrong(t *testing.T, name string, crd []byte) (text []byte, d definition.Definition, made []string) {
	var file, object schemaMap
	text, err := os.ReadFile(filepath.Join("testdata/real", name+".rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(crd, &object); err != nil {
		t.Fatal(err)
	}
	for range 1 + a.IntN(2) {
		conversion := choose(a, file["conversions"].([]any)...).(schemaMap)
		if a.IntN(3) == 0 {
			made = append(made, a.addedRule(file, conversion, schemasOf(object, conversion)))
		} else if a.IntN(3) > 0 {
			made = append(made, a.wrongRules(file, conversion))
		} else {
			made = append(made, a.wrongSchema(object, conversion))
		}
	}
	text, _ = yaml.Marshal(file)
	encoded, _ := json.Marshal(object)
	all, err := definition.Read(encoded)
	if err != nil {
		t.Fatalf("%s, %v: %v", name, made, err)
	}
	return text, all[0], made
}

// wrongRules changes one thing of the rules of two versions.
func (a *attack) wrongRules(file, conversion schemaMap) string {
	list, _ := conversion["rules"].([]any)
	if len(list) == 0 {
		return "nothing"
	}
	i := a.IntN(len(list))
	rule, other := list[i].(schemaMap), list[a.IntN(len(list))].(schemaMap)
	switch a.IntN(8) {
	case 0:
		conversion["rules"] = slices.Delete(slices.Clone(list), i, i+1)
		return fmt.Sprintf("without %v", rule)
	case 1:
		rule["to"], other["to"] = other["to"], rule["to"]
		maps.DeleteFunc(rule, func(_ string, v any) bool { return v == nil })
		maps.DeleteFunc(other, func(_ string, v any) bool { return v == nil })
		return fmt.Sprintf("targets changed: %v, %v", rule, other)
	case 2, 3: // without an option
		var options []string
		for key := range rule {
			if !slices.Contains(verbs, key) && key != "split" {
				options = append(options, key)
			}
		}
		if len(options) == 0 {
			return "nothing"
		}
		slices.Sort(options)
		gone := choose(a, options...)
		delete(rule, gone)
		return fmt.Sprintf("without %s: %v", gone, rule)
	case 4:
		values, _ := rule["values"].([]any)
		if len(values) == 0 {
			return "nothing"
		}
		pair := choose(a, values...).([]any)
		pair[a.IntN(2)] = choose[any](a, "other", "absent", "x", values[0].([]any)[0], values[0].([]any)[1])
		return fmt.Sprintf("other values: %v", rule)
	case 5:
		key := choose(a, "shared", "lossy", "acknowledge")
		delete(conversion, key)
		delete(file, key)
		return "without " + key
	case 6:
		rule["for"] = choose[any](a, "object", []any{"spec"}, []any{}, []any{"status"})
		return fmt.Sprintf("for another: %v", rule)
	}
	for _, key := range []string{"drop", "rename", "move"} {
		if at, _ := rule[key].(string); strings.Count(at, ".") > 1 {
			rule[key] = at[:strings.LastIndex(at, ".")] // the object around it
			return fmt.Sprintf("shorter: %v", rule)
		}
	}
	return "nothing"
}

// wrongSchema changes one schema at a place where a rule leads, or at any.
func (a *attack) wrongSchema(crd, conversion schemaMap) string {
	versions := crd["spec"].(schemaMap)["versions"].([]any)
	version := choose(a, versions...).(schemaMap)
	at := version["schema"].(schemaMap)["openAPIV3Schema"].(schemaMap)
	list, _ := conversion["rules"].([]any)
	var keys []string
	if len(list) > 0 {
		rule := choose(a, list...).(schemaMap)
		for _, key := range append([]string{"to", "split"}, verbs...) {
			if text, ok := rule[key].(string); ok && (len(keys) == 0 || a.IntN(2) == 0) {
				keys = strings.Split(strings.ReplaceAll(text, "[]", ".[]"), ".")
			}
		}
	}
	var walked []string
	for depth := 0; depth < 8; depth++ {
		inner := innerOf(at)
		next, there := schemaMap(nil), false
		if depth < len(keys) && a.IntN(8) > 0 {
			next, there = inner[keys[depth]]
		} else if len(inner) > 0 && depth == 0 || a.IntN(2) == 0 {
			if all := slices.Sorted(maps.Keys(inner)); len(all) > 0 {
				key := choose(a, all...)
				keys = append(keys[:min(depth, len(keys))], key)
				next, there = inner[key], true
			}
		}
		if !there || next == nil {
			break
		}
		walked = append(walked, keys[depth])
		at = next
	}
	if len(walked) == 0 {
		return "nothing"
	}
	before, _ := json.Marshal(at)
	a.mutate(at)
	after, _ := json.Marshal(at)
	if string(before) == string(after) {
		return "nothing"
	}
	if len(after) > 200 {
		after = append(after[:200], "…"...)
	}
	return fmt.Sprintf("schema of %v at %s: %s", version["name"], strings.Join(walked, "."), after)
}

// schemasOf returns the schemas of the versions of a conversion.
func schemasOf(crd, conversion schemaMap) (both [2]schemaMap) {
	for _, v := range crd["spec"].(schemaMap)["versions"].([]any) {
		for side, name := range []string{"from", "to"} {
			if v := v.(schemaMap); v["name"] == conversion[name] {
				both[side] = v["schema"].(schemaMap)["openAPIV3Schema"].(schemaMap)
			}
		}
	}
	return both
}

// innerOf returns the schemas of the members and elements of a value.
func innerOf(s schemaMap) map[string]schemaMap {
	inner := map[string]schemaMap{}
	properties, _ := s["properties"].(schemaMap)
	for name, property := range properties {
		if name != "apiVersion" && name != "kind" && name != "metadata" {
			inner[name] = property.(schemaMap)
		}
	}
	if items, ok := s["items"].(schemaMap); ok {
		inner["[]"] = items
	}
	if values, ok := s["additionalProperties"].(schemaMap); ok {
		inner["*"] = values
	}
	return inner
}
