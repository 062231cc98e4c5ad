package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// TestEditRandomDocuments edits documents in all styles of YAML into other values. Edit itself
// checks the meaning of its result; here no document may be refused, and comments stay beside fields
// that stay.
func TestEditRandomDocuments(t *testing.T) {
	n := 5000
	if testing.Short() {
		n = 2000
	}
	refused := 0
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 7))
		value := randomObject(r, 0)
		text := written(t, r, value)
		old, err := plainyaml.Parse(text, limits)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if plain, err := plainyaml.AppendJSON(nil, old, plainyaml.JSONNumber); err != nil || !json.Valid(plain) {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		mutate(r, value)
		want, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Edit(text, want)
		if err != nil {
			if refused++; refused < 4 {
				t.Errorf("seed %d: %v\n%s\nto %s\n", seed, err, text, want)
			}
			continue
		}
		if again, err := Edit(got, want); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("seed %d: a second edit changes the text: %v", seed, err)
		}
	}
	t.Logf("%d of %d refused", refused, n)
}

var words = []string{"a", "bc", "true", "12", "*/5 * * * *", "it's", "x: y", "# no comment", " two  words ", "{{ .Labels.a }}", "ö", "a\nb\n", "a\n\n  b", "\n", "tab\there", "", "-", "long text that an encoder might break into several lines because it has more than eighty characters"}

func randomValue(r *rand.Rand, depth int) any {
	switch k := r.IntN(10); {
	case k < 4 || depth > 3:
		return words[r.IntN(len(words))]
	case k < 5:
		return json.Number(fmt.Sprint(r.IntN(100)))
	case k < 6:
		return []any{true, false, nil}[r.IntN(3)]
	case k < 8:
		return randomObject(r, depth+1)
	}
	list := []any{}
	for range r.IntN(4) {
		list = append(list, randomValue(r, depth+1))
	}
	return list
}

func randomObject(r *rand.Rand, depth int) map[string]any {
	o := map[string]any{}
	for range r.IntN(4) + min(1, 1-depth) {
		o[string(rune('a'+r.IntN(6)))+[]string{"", " b", "-c", "'"}[r.IntN(4)*r.IntN(2)]] = randomValue(r, depth)
	}
	if depth == 0 {
		o["kind"] = "A"
	}
	return o
}

// mutate changes a few things in an object.
func mutate(r *rand.Rand, o map[string]any) {
	for key, value := range o {
		if key == "kind" {
			continue
		}
		switch r.IntN(8) {
		case 0:
			delete(o, key)
		case 1:
			delete(o, key)
			o["renamed-"+key] = value
		case 2:
			o[key] = randomValue(r, 2)
		case 3:
			delete(o, key)
			o["around"] = map[string]any{key: value, "more": "m"}
		}
		if child, is := value.(map[string]any); is {
			mutate(r, child)
		}
		if list, is := value.([]any); is && len(list) > 0 && r.IntN(2) == 0 {
			i := r.IntN(len(list))
			switch child, isObject := list[i].(map[string]any); {
			case isObject:
				mutate(r, child)
			case r.IntN(2) == 0:
				list[i] = map[string]any{"name": list[i]}
			default:
				o[key] = append(append([]any{}, list[:i]...), list[i+1:]...)
			}
		}
	}
	if r.IntN(2) == 0 {
		o["new"] = randomValue(r, 1)
	}
}

// written writes a value as YAML in random styles, with comments.
func written(t *testing.T, r *rand.Rand, value any) []byte {
	t.Helper()
	var b bytes.Buffer
	if r.IntN(8) == 0 {
		text, err := json.MarshalIndent(value, "", strings.Repeat(" ", r.IntN(4)))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	var n yaml.Node
	if err := n.Encode(numbers(value)); err != nil {
		t.Fatal(err)
	}
	style(r, &n, false)
	e := yaml.NewEncoder(&b)
	e.SetIndent(2 + 2*r.IntN(2))
	if r.IntN(2) == 0 {
		e.CompactSeqIndent()
	}
	if err := e.Encode(&n); err != nil {
		t.Fatal(err)
	}
	if r.IntN(4) == 0 {
		return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	}
	return b.Bytes()
}

func numbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		n, _ := v.Int64()
		return n
	case map[string]any:
		o := map[string]any{}
		for key, child := range v {
			o[key] = numbers(child)
		}
		return o
	case []any:
		list := []any{}
		for _, child := range v {
			list = append(list, numbers(child))
		}
		return list
	}
	return value
}

func style(r *rand.Rand, n *yaml.Node, flow bool) {
	if n.Kind != yaml.ScalarNode && r.IntN(6) == 0 {
		n.Style |= yaml.FlowStyle
		flow = true
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" && r.IntN(2) == 0 {
		n.Style = []yaml.Style{yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle, yaml.LiteralStyle, yaml.FoldedStyle}[r.IntN(4)]
	}
	for i, child := range n.Content {
		isKey := n.Kind == yaml.MappingNode && i%2 == 0
		if !flow && (isKey || n.Kind == yaml.SequenceNode) && r.IntN(4) == 0 {
			child.HeadComment = "# above"
		}
		if !flow && child.Kind == yaml.ScalarNode && !isKey && r.IntN(4) == 0 && !strings.Contains(child.Value, "\n") && child.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
			child.LineComment = "# beside"
		}
		if !isKey {
			style(r, child, flow)
		}
	}
}
