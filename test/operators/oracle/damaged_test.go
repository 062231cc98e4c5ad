package oracle

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

// damaged returns some lines with results in which one text is another: the webhook's check must notice
// each of them.
func damaged(t *testing.T, lines []byte) (out []byte, count int) {
	t.Helper()
	const most = 20
	for text := range bytes.Lines(lines) {
		var l line
		decode(t, text, &l)
		numbers := json.NewDecoder(bytes.NewReader(l.Result))
		numbers.UseNumber() // so that nothing else changes
		var result map[string]any
		if numbers.Decode(&result) != nil || !change(result["spec"]) {
			continue
		}
		var err error
		if l.Result, err = json.Marshal(result); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, text...), '\n')
		if count++; count == most {
			break
		}
	}
	return out, count
}

// change puts a letter before the first text that is not empty, and reports whether there is one.
func change(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if text, ok := v[key].(string); ok && text != "" {
				v[key] = "x" + text
				return true
			}
			if change(v[key]) {
				return true
			}
		}
	case []any:
		for _, element := range v {
			if change(element) {
				return true
			}
		}
	}
	return false
}
