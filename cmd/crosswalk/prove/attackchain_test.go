package prove

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestAttackChains does as TestAttack with three versions, whose rules follow each other.
func TestAttackChains(t *testing.T) {
	if testing.Short() {
		t.Skip("fuzzes many converters")
	}
	attacks, first := attacksOf(60)
	proved := 0
	for i := range attacks {
		a := &attack{Rand: rand.New(rand.NewPCG(first+uint64(i), 28))}
		f := a.chain()
		file, crd, found, ok := f.decided()
		if !ok || len(found.Open) > 0 {
			continue
		}
		proved++
		for _, text := range unstated(t, found, file, crd, 300) {
			t.Errorf("attack %d: proved, and loses: %s\n%s\n%s", first+uint64(i), text, f.text(), strings.Join(f.specs, "\n"))
		}
	}
	t.Logf("%d of %d attacks were proved", proved, attacks)
	if proved < attacks/10 {
		t.Errorf("only %d of %d attacks were proved: the others test nothing", proved, attacks)
	}
}

// chain makes a definition with three versions, and rules for its two pairs.
func (a *attack) chain() fixture {
	always := schemaMap{"type": "integer"}
	specs := []schemaMap{{"g1": always}, {"g2": always}, {"g3": always}}
	steps, boxes := [2]string{"- {rename: spec.g1, to: spec.g2}\n", "- {rename: spec.g2, to: spec.g3}\n"}, []string(nil)
	for range 1 + a.IntN(3) {
		name, value := a.name(), a.value(1)
		names := [3]string{name, name, name}
		for v := 1; v < 3; v++ {
			if names[v] = names[v-1]; a.IntN(3) == 0 {
				names[v] = a.name()
			}
		}
		kind := a.IntN(4)
		box, in := a.name(), [3]bool{a.IntN(2) == 0, a.IntN(2) == 0, a.IntN(2) == 0}
		for v := range specs {
			one := value
			if kind == 0 {
				one = schemaMap{"type": "string", "enum": []any{"a", "b", "c", "d"}[a.IntN(2) : 2+a.IntN(3)]}
			}
			if kind < 2 {
				in[v] = false
				specs[v][names[v]] = one
				continue
			}
			inside := schemaMap{}
			if kind == 3 || a.IntN(8) == 0 {
				inside["n"] = schemaMap{"type": "integer"}
			}
			if in[v] {
				inside[names[v]] = one
			} else {
				specs[v][names[v]] = one
			}
			if len(inside) > 0 {
				specs[v][box] = objectSchema(inside)
			}
		}
		if specs[0][box] != nil && specs[1][box] != nil && specs[2][box] != nil {
			boxes = append(boxes, "spec."+box)
		}
		for s := range steps {
			path := func(v int) string {
				if in[v] {
					return "spec." + box + "." + names[v]
				}
				return "spec." + names[v]
			}
			here, there := path(s), path(s+1)
			switch {
			case kind == 0 && a.IntN(2) == 0:
				steps[s] += fmt.Sprintf("- {translate: %s, to: %s, values: %s}\n", here, there, choose(a, "[[a, b]]", "[[a, c], [b, d]]", "[[a, b], [b, a]]", "[[a, c], [b, c]], merge: true", "[[a, c], [b, c]], merge: true, others: refuse"))
			case here != there:
				steps[s] += fmt.Sprintf("- {%s: %s, to: %s}\n", verb(here, there), here, there)
			}
		}
	}
	f := fixture{whole: true, rules: steps[0] + "---\n" + steps[1]}
	if len(boxes) > 0 && a.IntN(4) > 0 {
		f.shared = "[" + strings.Join(boxes, ", ") + "]"
	}
	hit := a.IntN(8)
	for v := range specs {
		whole := objectSchema(schemaMap{"spec": objectSchema(specs[v])})
		text, _ := json.Marshal(whole)
		_ = json.Unmarshal(text, &whole)
		if hit == v {
			a.mutate(whole)
		}
		text, _ = json.Marshal(whole)
		f.specs = append(f.specs, string(text))
	}
	return f
}
