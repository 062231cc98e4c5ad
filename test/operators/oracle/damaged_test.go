package oracle

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// noticed damages results in each direction, and fails unless the webhook's check notices each of them.
func noticed(t *testing.T, webhook string, lines []byte) {
	t.Helper()
	wrong, count := damaged(t, lines)
	found := read(t, string(run(t, ".", wrong, webhook, "check")))
	if count < 20 || found.differing+found.carried != count || found.carried > count/2 {
		for text := range bytes.Lines(wrong) {
			if one := read(t, string(run(t, ".", text, webhook, "check"))); one.differing+one.carried == 0 {
				t.Logf("not noticed: %.3000s", text)
			}
		}
		t.Fatalf("of %d damaged results, the check notices %d, and does not look at %d", count, found.differing, found.carried)
	}
	for _, d := range found.directions {
		if d.objects < 10 {
			t.Errorf("only %d results of %s were damaged for %s", d.objects, d.from, d.to)
		}
	}
}

// damages are the ways in which a module may be wrong. Each changes a member of a result, and reports
// whether it found one.
var damages = []func(result map[string]any) bool{
	func(r map[string]any) bool { return change(r, isText, func(v any) any { return "x" + v.(string) }) },
	func(r map[string]any) bool {
		return change(r, isNumber, func(v any) any { return json.Number(v.(json.Number).String() + "1") })
	},
	func(r map[string]any) bool { return change(r, isTrue, func(any) any { return false }) },
	// A value is lost. Without the member, a type may write the same text, such as Never for no duration.
	func(r map[string]any) bool { return change(r, isText, func(any) any { return "" }) },
	func(r map[string]any) bool { return change(r, isNumber, func(any) any { return 0 }) },
	func(r map[string]any) bool {
		metadata, _ := r["metadata"].(map[string]any)
		metadata["annotations"] = map[string]any{"damaged.example.com/a": "b"}
		return true
	},
	otherCase,
	func(r map[string]any) bool {
		clear(r)
		return true // the line becomes a refusal
	},
}

func isText(v any) bool { text, ok := v.(string); return ok && text != "" }

func isNumber(v any) bool {
	n, ok := v.(json.Number)
	return ok && !strings.ContainsAny(n.String(), ".eE") && n != "0"
}
func isTrue(v any) bool { return v == true }

// otherCase writes the name of a member of the spec in another case.
func otherCase(result map[string]any) bool {
	spec, _ := result["spec"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(spec)) {
		if upper := strings.ToUpper(name[:1]) + name[1:]; upper != name && (isText(spec[name]) || isNumber(spec[name]) || isTrue(spec[name])) {
			spec[upper] = spec[name]
			delete(spec, name)
			return true
		}
	}
	return false
}

// damaged returns some lines of each direction whose results are damaged, each in one way.
func damaged(t *testing.T, lines []byte) (out []byte, count int) {
	t.Helper()
	const most = 24
	done, way := map[string]int{}, 0
	for text := range bytes.Lines(lines) {
		var l line
		decode(t, text, &l)
		var of struct{ APIVersion string }
		decode(t, l.Object, &of)
		numbers := json.NewDecoder(bytes.NewReader(l.Result))
		numbers.UseNumber() // so that nothing else changes
		var result map[string]any
		direction := of.APIVersion + " " + l.To
		if done[direction] == most || numbers.Decode(&result) != nil {
			continue
		}
		for !damages[way%len(damages)](result) {
			way++
		}
		way++
		if len(result) == 0 {
			refused := "damaged"
			l.Refused, l.Result = &refused, nil
		} else if text, err := json.Marshal(result); err != nil {
			t.Fatal(err)
		} else {
			l.Result = text
		}
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, text...), '\n')
		done[direction]++
		count++
	}
	return out, count
}

// change replaces the first value, outside of the metadata, that is of a sort, and reports whether there is
// one.
func change(result map[string]any, is func(any) bool, to func(any) any) bool {
	for _, name := range slices.Sorted(maps.Keys(result)) {
		if name != "apiVersion" && name != "kind" && name != "metadata" && changeIn(result[name], is, to) {
			return true
		}
	}
	return false
}

func changeIn(v any, is func(any) bool, to func(any) any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if is(v[key]) {
				v[key] = to(v[key])
				return true
			}
			if changeIn(v[key], is, to) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(element any) bool { return changeIn(element, is, to) })
	}
	return false
}
