package diff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestCompare tests that differences are grouped by path, with the smallest object, and that a
// refusal of one object does not hide the differences of others.
func TestCompare(t *testing.T) {
	edited := func(edit func(object string) (string, error)) Convert {
		return func(_ context.Context, _ string, objects []json.RawMessage) (out []json.RawMessage, err error) {
			for _, object := range objects {
				text, err := edit(string(object))
				if err != nil {
					return nil, err
				}
				out = append(out, json.RawMessage(text))
			}
			return out, nil
		}
	}
	old := edited(func(object string) (string, error) { return object, nil })
	new := edited(func(object string) (string, error) {
		if strings.Contains(object, `"bad"`) {
			return "", errors.New("no (sha256:0123) (refused)")
		}
		return strings.NewReplacer(`"x":1`, `"x":1.0`, `"gone":true,`, "").Replace(object), nil
	})
	var objects []json.RawMessage
	for i := range 100 {
		objects = append(objects, json.RawMessage(fmt.Sprintf(`{"spec":{"list":[{"a":%d},{"x":%d}]}}`, i, i)))
	}
	objects = append(objects, json.RawMessage(`{"spec":{"gone":true,"list":[{"x":1,"longer":"text"}]}}`), json.RawMessage(`{"spec":"bad"}`))
	p := Pair{}
	if err := p.Compare(context.Background(), old, new, "v2", objects); err != nil {
		t.Fatal(err)
	}
	want := []Path{
		{"spec.list[].x", 12, json.RawMessage(`{"spec":{"list":[{"a":1},{"x":1}]}}`), "1", "1.0"},
		{".", 1, json.RawMessage(`{"spec":"bad"}`), "converts it", "no (refused)"},
		{"spec.gone", 1, objects[100], "true", "absent"},
	}
	if p.Objects != 102 || p.Differ != 13 || !reflect.DeepEqual(p.Paths, want) {
		t.Errorf("%d of %d objects differ:\n%v\nwant\n%v", p.Differ, p.Objects, p.Paths, want)
	}
	same := Pair{}
	if err := same.Compare(context.Background(), new, new, "v2", objects); err != nil || same.Differ != 0 || same.Objects != 102 {
		t.Errorf("with itself: %v, %+v", err, same)
	}
	many := Pair{}
	var wide strings.Builder
	for i := range maxPaths + 5 {
		fmt.Fprintf(&wide, `"k%d":{"x":1},`, i)
	}
	if err := many.Compare(context.Background(), old, new, "v2", []json.RawMessage{json.RawMessage("{" + strings.TrimSuffix(wide.String(), ",") + "}")}); err != nil || len(many.Paths) != maxPaths || many.More != 5 {
		t.Errorf("%v: %d paths, %d more", err, len(many.Paths), many.More)
	}
}
