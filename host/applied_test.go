package host

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
)

// joinedParts is a module for v1, where spec.s is "a:b", and v2, where spec.a and spec.b are two texts. A spec
// with one of them has no place in v1.
var joinedParts = &funcModule{File: "CronTab.stable.example.com_v1_v2.wasm", One: func(_, to string, object []byte) ([]byte, string) {
	var o struct {
		Metadata json.RawMessage `json:"metadata"`
		Spec     map[string]any  `json:"spec"`
	}
	if err := json.Unmarshal(object, &o); err != nil {
		return nil, err.Error()
	}
	a, _ := o.Spec["a"].(string)
	b, _ := o.Spec["b"].(string)
	if s, ok := o.Spec["s"].(string); ok {
		o.Spec["a"], o.Spec["b"], _ = strings.Cut(s, ":")
	} else if a != "" && b != "" {
		o.Spec["s"] = a + ":" + b
	}
	for _, key := range map[string][]string{"stable.example.com/v1": {"a", "b"}, "stable.example.com/v2": {"s"}}[to] {
		delete(o.Spec, key)
	}
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err.Error()
	}
	return text, ""
}}

// managed is an object of a field manager: somebody applied at v2, and owns a label at v1.
type managed struct {
	version, revision string // revision "": the object has no resourceVersion
	fields            string // managedFields; empty for those
	annotations       map[string]string
	spec              map[string]any
}

const appliedAtV2 = `[{"manager":"gitops","operation":"Apply","apiVersion":"stable.example.com/v2","fieldsV1":{"f:spec":{"f:a":{}}}},` +
	`{"manager":"kubectl","operation":"Update","apiVersion":"stable.example.com/v1","fieldsV1":{"f:metadata":{"f:labels":{"f:x":{}}}}}]`

// convertManaged converts an object to a version, and returns its annotations and spec.
func convertManaged(t *testing.T, c *Converter, to string, m managed) (annotations map[string]string, spec map[string]any) {
	t.Helper()
	meta := map[string]any{"name": "n", "managedFields": json.RawMessage(appliedAtV2)}
	if m.fields != "" {
		meta["managedFields"] = json.RawMessage(m.fields)
	}
	if m.revision != "" {
		meta["resourceVersion"] = m.revision
	}
	if m.annotations != nil {
		meta["annotations"] = m.annotations
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "stable.example.com/" + m.version, "kind": "CronTab", "metadata": meta, "spec": m.spec})
	if err != nil {
		t.Fatal(err)
	}
	answer, outcome, err := c.Review(context.Background(), []byte(reviewOf("v1", "stable.example.com/"+to, string(text))))
	if err != nil || outcome.Failure != "" {
		t.Fatal(err, outcome.Message)
	}
	var got struct {
		Response struct {
			ConvertedObjects []struct {
				Metadata struct {
					Annotations   map[string]string
					ManagedFields json.RawMessage
				}
				Spec map[string]any
			}
		}
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	o := got.Response.ConvertedObjects[0]
	if string(o.Metadata.ManagedFields) != string(meta["managedFields"].(json.RawMessage)) {
		t.Errorf("managedFields changed: %s", answer)
	}
	return o.Metadata.Annotations, o.Spec
}

func appliedConverter() *Converter {
	return newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(edges(joinedParts, "v1→v2", "v2→v1"))}, Applied: true, Cache: NewCache(1 << 20)})
}

const appliedKey = "conversion.stable.example.com/applied"

// TestMarksOfLeaves: an object of a field manager has marks in the other version and none back in its own.
// The leaves of which a mark is gone are gone, and the others are there.
func TestMarksOfLeaves(t *testing.T) {
	c := appliedConverter()
	both := map[string]any{"a": "x", "b": "y", "image": "i"}
	whole := managed{"v2", "7", "", map[string]string{"own": "1"}, both}
	marks, spec := convertManaged(t, c, "v1", whole)
	want := map[string]string{
		"own": "1", appliedKey: `{"version":"v2","resourceVersion":"7","leaves":3,"hidden":{"/spec/a":"x","/spec/b":"y"}}`,
		appliedKey + ".v2.spec.a": "", appliedKey + ".v2.spec.b": "", appliedKey + ".v2.spec.image": "",
	}
	if !maps.Equal(marks, want) || !reflect.DeepEqual(spec, map[string]any{"s": "x:y", "image": "i"}) {
		t.Fatalf("the way out has %v, %v", marks, spec)
	}
	without := func(names ...string) map[string]string {
		left := maps.Clone(marks)
		for _, name := range names {
			delete(left, appliedKey+name)
		}
		return left
	}
	joined := map[string]any{"s": "x:y", "image": "i"}
	owner := strings.Replace(appliedAtV2, `"fieldsV1":{"f:metadata"`, `"fieldsV1":{"f:spec":{"f:s":{}},"f:metadata"`, 1)
	for _, tc := range []struct {
		name string
		back managed
		want map[string]any
	}{
		{"all marks", managed{"v1", "7", "", marks, joined}, both},
		{"all marks, and a webhook removed the value", managed{"v1", "7", "", marks, map[string]any{"image": "i"}}, map[string]any{"image": "i"}},
		{"a part was withdrawn, and v1 has the text", managed{"v1", "7", "", without(".v2.spec.a"), joined}, map[string]any{"b": "y", "image": "i"}},
		{"a part was withdrawn, and v1 has no text", managed{"v1", "7", "", without(".v2.spec.a"), map[string]any{"image": "i"}}, map[string]any{"b": "y", "image": "i"}},
		{"a part was withdrawn, and v1 has no spec", managed{"v1", "7", "", without(".v2.spec.a", ".v2.spec.image"), nil}, map[string]any{"b": "y"}},
		{"a shown leaf was withdrawn, and hidden ones are missing", managed{"v1", "7", "", without(".v2.spec.image"), map[string]any{}}, map[string]any{"a": "x", "b": "y"}},
		{"a manager at v1 owns the text", managed{"v1", "7", owner, without(".v2.spec.a"), joined}, both},
		{"a manager at v1 owns the image, which has its place in v2", managed{"v1", "7", strings.Replace(owner, `"f:s":{}`, `".":{},"f:image":{}`, 1), without(".v2.spec.a"), joined}, map[string]any{"b": "y", "image": "i"}},
		{"a manager at v1 owns the spec", managed{"v1", "7", strings.Replace(owner, `{"f:s":{}}`, `{".":{}}`, 1), without(".v2.spec.a"), joined}, both},
		{"a manager at v1 owns an element", managed{"v1", "7", strings.Replace(owner, `"f:s":{}`, `"f:l":{"k:{\"a\":1}":{".":{}}}`, 1), without(".v2.spec.a"), joined}, both},
		{"an older resourceVersion", managed{"v1", "8", "", without(".v2.spec.a"), map[string]any{"image": "i"}}, map[string]any{"image": "i"}},
		{"no resourceVersion", managed{"v1", "", "", without(".v2.spec.a"), map[string]any{"image": "i"}}, map[string]any{"image": "i"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for range 3 { // the last come from the cache
				annotations, spec := convertManaged(t, c, "v2", tc.back)
				for name := range annotations {
					if strings.HasPrefix(name, appliedKey+".v2") || name == appliedKey && !strings.Contains(annotations[name], `"version":"v1","resourceVersion":"8"`) {
						t.Errorf("the way back has %s: %s", name, annotations[name])
					}
				}
				if annotations["own"] != "1" || !reflect.DeepEqual(spec, tc.want) {
					t.Errorf("the way back has %v, %v, not %v", annotations, spec, tc.want)
				}
			}
		})
	}
}

// TestNoMarks: only objects of field managers have marks, and only small ones.
func TestNoMarks(t *testing.T) {
	many := map[string]any{"a": "x", "b": "y"}
	for i := range maxLeaves {
		many[fmt.Sprintf("kept%d", i)] = i
	}
	tooMany := map[string]any{"a": "x", "b": "y"}
	for i := range scannedLeaves {
		tooMany[fmt.Sprintf("kept%d", i)] = i
	}
	both := map[string]any{"a": "x", "b": "y"}
	updates := strings.Replace(appliedAtV2, `"Apply"`, `"Update"`, 1)
	for _, tc := range []struct {
		name  string
		from  managed
		marks int // -1: not even the annotation that says that there are none
	}{
		{"no resourceVersion", managed{"v2", "", "", nil, both}, -1},
		{"nobody applied", managed{"v2", "7", updates, nil, both}, -1},
		{"nobody has an entry at v1", managed{"v2", "7", `[{"operation":"Apply","apiVersion":"stable.example.com/v2"}]`, nil, both}, 0},
		{"somebody applied at v1 only", managed{"v2", "7", `[{"operation":"Apply","apiVersion":"stable.example.com/v1"}]`, nil, both}, 0},
		{"a person manages such annotations", managed{"v2", "7", strings.Replace(appliedAtV2, `"f:labels":{"f:x"`, `"f:annotations":{"f:`+appliedKey+`"`, 1), nil, both}, -1},
		{"fields that are not managedFields", managed{"v2", "7", `["Apply"]`, nil, both}, -1},
		{"many leaves", managed{"v2", "7", "", nil, many}, 2},
		{"a long list of texts", managed{"v2", "7", "", nil, map[string]any{"a": strings.Split(strings.Repeat("x,", maxLeaves), ","), "b": "y"}}, 4},
		{"a long list of different texts", managed{"v2", "7", "", nil, map[string]any{"a": numbers(maxLeaves), "b": "y"}}, 0},
		{"too many leaves", managed{"v2", "7", "", nil, tooMany}, 0},
		{"a large leaf", managed{"v2", "7", "", nil, map[string]any{"a": strings.Repeat("x", maxAnnotations), "b": "y"}}, 0},
		{"a large object", managed{"v2", "7", "", nil, map[string]any{"a": "x", "b": "y", "c": strings.Repeat("x", markedBytes)}}, 0},
		{"annotations of a person", managed{"v2", "", "", map[string]string{appliedKey: "{", appliedKey + ".v1.spec.s": ""}, both}, -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			annotations, _ := convertManaged(t, appliedConverter(), "v1", tc.from)
			if marks := len(annotations) - 1; marks != tc.marks {
				t.Errorf("%d annotations: %.1000v", len(annotations), annotations)
			}
			plain, _ := convertManaged(t, newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(edges(joinedParts, "v1→v2", "v2→v1"))}}), "v1", tc.from)
			if len(plain) != len(tc.from.annotations) {
				t.Errorf("a converter for others sets %v", plain)
			}
		})
	}
}

func numbers(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// TestMarksByHand: marks that a person wrote change nothing but spec and other members of an object, and
// these not without the resourceVersion of the object.
func TestMarksByHand(t *testing.T) {
	for _, of := range [][2]string{{"v2", "7"}, {"v2", "6"}, {"v3", "7"}} {
		by := map[string]string{
			appliedKey: `{"version":"` + of[0] + `","resourceVersion":"` + of[1] + `","leaves":9,"hidden":{"/metadata/name":"m","/apiVersion":"x","":1,"/spec/grants":"admin","/spec/image/deep":1,"/x~1y/~01":2}}`,
		}
		for _, pointer := range []string{"/metadata/name", "/apiVersion", "", "/spec/grants", "/spec/image/deep", "/x~1y/~01"} {
			by[appliedKey+"."+nameOf("applied.", of[0], pointer)] = ""
		}
		_, spec := convertManaged(t, appliedConverter(), "v2", managed{"v1", "7", "", by, map[string]any{"s": "x:y", "image": "i"}})
		want := map[string]any{"a": "x", "b": "y", "image": "i"}
		if of == [2]string{"v2", "7"} {
			want["grants"] = "admin"
		}
		if !reflect.DeepEqual(spec, want) {
			t.Errorf("marks of %v: %v", of, spec)
		}
	}
}

// TestMarksOfElements: the elements of a hidden list of texts have marks of their own.
func TestMarksOfElements(t *testing.T) {
	list := &funcModule{File: "CronTab.stable.example.com_v1_v2.wasm", One: func(_, to string, object []byte) ([]byte, string) {
		if to == "stable.example.com/v1" {
			return []byte(`{"spec":{"l":"x,y"}}`), ""
		}
		return []byte(`{"spec":{"l":["x","y"]}}`), ""
	}}
	c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(edges(list, "v1→v2", "v2→v1"))}, Applied: true})
	marks, _ := convertManaged(t, c, "v1", managed{"v2", "7", "", nil, map[string]any{"l": []any{"x", "y"}}})
	if len(marks) != 4 {
		t.Fatalf("the way out has %v", marks)
	}
	delete(marks, appliedKey+"."+nameOf("applied.", "v2", elementOf("/spec/l", []byte(`"x"`))))
	annotations, spec := convertManaged(t, c, "v2", managed{"v1", "7", "", marks, map[string]any{"l": "x,y"}})
	if len(annotations) > 0 || !reflect.DeepEqual(spec, map[string]any{"l": []any{"y"}}) {
		t.Errorf("the way back has %v, %v", annotations, spec)
	}
}

// TestMarksAreBoundedA20: marks that are larger than those of the gateway count as none. They do not end the
// gateway, take it hours, or make an answer that is deeper than others.
func TestMarksAreBoundedA20(t *testing.T) {
	elements, err := json.Marshal(numbers(maxAnnotations / 8))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, pointer, value string }{
		{"a deep leaf", "/spec" + strings.Repeat("/", 900), "1"},
		{"a very deep leaf", "/spec" + strings.Repeat("/", 1_800_000), "1"},
		{"a deep value", "/spec/v", strings.Repeat("[", 5000) + strings.Repeat("]", 5000)},
		{"a large value", "/spec/v", `"` + strings.Repeat("x", maxAnnotations) + `"`},
		{"a list of many elements", "/spec/l", string(elements)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text, err := json.Marshal(marks{Version: "v2", ResourceVersion: "7", Leaves: 9, Hidden: map[string]json.RawMessage{tc.pointer: json.RawMessage(tc.value)}})
			if err != nil {
				t.Fatal(err)
			}
			by := map[string]string{appliedKey: string(text), appliedKey + "." + nameOf("applied.", "v2", tc.pointer): ""}
			spec := map[string]any{"a": "x", "b": "y", "l": make([]any, len(elements)/2)}
			for i := range spec["l"].([]any) {
				spec["l"].([]any)[i] = float64(i)
			}
			_, got := convertManaged(t, appliedConverter(), "v2", managed{"v1", "7", "", by, map[string]any{"s": "x:y", "l": spec["l"]}})
			if !reflect.DeepEqual(got, spec) {
				t.Errorf("the spec has %d members, and the list %d elements", len(got), len(got["l"].([]any)))
			}
		})
	}
}

// TestManagedFieldsAreCharged: managedFields are decoded in memory that the review holds, and very large ones
// not at all.
func TestManagedFieldsAreCharged(t *testing.T) {
	for _, tc := range []struct {
		fields int
		fails  bool
	}{{100, false}, {markedBytes * 3 / 4, true}, {markedBytes, false}} {
		c := appliedConverter()
		c.held.bytes.Add(c.held.limit) // by another review
		fields := strings.Replace(appliedAtV2, `"f:a"`, `"f:`+strings.Repeat("a", tc.fields)+`"`, 1)
		object := `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"n","resourceVersion":"7","managedFields":` + fields + `},"spec":{"a":"x","b":"y"}}`
		_, outcome, err := c.Review(context.Background(), []byte(reviewOf("v1", "stable.example.com/v1", object)))
		if err != nil || (outcome.Failure != "") != tc.fails {
			t.Errorf("managedFields with %d bytes: %v, %s", len(fields), err, outcome.Message)
		}
	}
}
