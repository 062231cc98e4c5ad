package fuzz

import (
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/shrink"
)

// enlargedTo is enlarged without a schema.
func enlargedTo(object map[string]any, at shrink.Path) map[string]any {
	return enlarged(nil, object, at, nearLimit)
}

func TestEnlarged(t *testing.T) {
	object := func(text string) map[string]any {
		return map[string]any{"spec": map[string]any{"text": text, "list": []any{"a", "b"}, "none": []any{}, "number": int64(1)}}
	}
	for _, field := range []string{"text", "list"} {
		large := enlargedTo(object("short"), shrink.Path{"spec", field})
		if n := len(encode(large)); n < nearLimit-8 || n > nearLimit {
			t.Errorf("spec.%s: %d bytes, want about %d", field, n, nearLimit)
		}
		if again := enlargedTo(large, shrink.Path{"spec", "text"}); field == "text" && again != nil {
			t.Errorf("an object of the size grows to %d bytes", len(encode(again)))
		}
		if enlargedTo(object(strings.Repeat("x", storeLimit)), shrink.Path{"spec", field}) != nil {
			t.Errorf("spec.%s of an object beyond the size grows", field)
		}
	}
	for _, field := range []string{"none", "number"} {
		if enlargedTo(object(""), shrink.Path{"spec", field}) != nil {
			t.Errorf("spec.%s grows", field)
		}
	}
}
