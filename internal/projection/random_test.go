package projection

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// objects makes random objects, and declarations that have something to do with them.
type objects struct{ *rand.Rand }

var names = []string{"a", "b", "cd", "e-f", "spec", "x.y/z", `q"'\`, "é"}

func (r objects) space() string { return []string{"", "", "", " ", "\n\t", "  "}[r.IntN(6)] }

func (r objects) key() string {
	name := names[r.IntN(len(names))]
	if r.IntN(6) == 0 {
		return fmt.Sprintf(`"\u%04x%s`, []rune(name)[0], strconv.Quote(string([]rune(name)[1:]))[1:])
	}
	return strconv.Quote(name)
}

func (r objects) value(depth int) string {
	kind := r.IntN(8)
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0:
		return []string{"null", "true", "false", "null"}[r.IntN(4)]
	case 1:
		return []string{"0", "-0.0", "9007199254740993", "1.50", "1E+2"}[r.IntN(5)]
	case 2, 3:
		return []string{`""`, `"text"`, `"}]{[\"\\"`, `"\u00e9\ud83d\ude00\/\b"`, `"` + strings.Repeat("x", r.IntN(40)) + `\\"`}[r.IntN(5)]
	case 4, 5:
		elements := make([]string, r.IntN(4))
		for i := range elements {
			elements[i] = r.space() + r.value(depth-1)
		}
		return "[" + strings.Join(elements, r.space()+",") + r.space() + "]"
	}
	return r.object(depth, nil)
}

// object returns an object with random members and others.
func (r objects) object(depth int, members []string) string {
	seen := map[string]bool{}
	for range r.IntN(5) {
		key := r.key()
		if name, _ := strconv.Unquote(key); !seen[name] {
			seen[name] = true
			members = append(members, key+r.space()+":"+r.space()+r.value(depth-1))
		}
	}
	r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + r.space() + strings.Join(members, r.space()+","+r.space()) + r.space() + "}"
}

// whole returns an object with apiVersion, kind and, often, metadata.
func (r objects) whole() string {
	members := []string{`"apiVersion":"g/v1"`, `"kind" : "K"`}
	if r.IntN(4) > 0 {
		stringMap := func() string {
			return fmt.Sprintf(`{"a":"%d",%s"x.y/z":"\u00e9"}`, r.IntN(9), r.space())
		}
		metadata := []string{`"name":"n"`, `"labels":` + stringMap(), `"annotations" : ` + stringMap(), `"generation":7`, `"managedFields":[{"a":"b"}]`}
		r.Shuffle(len(metadata), func(i, j int) { metadata[i], metadata[j] = metadata[j], metadata[i] })
		members = append(members, `"metadata":{`+strings.Join(metadata[:r.IntN(6)], ","+r.space())+"}")
	}
	return r.object(4, members)
}

// paths returns a declaration.
func (r objects) paths() []string {
	var paths []string
	for range r.IntN(6) {
		if r.IntN(4) == 0 {
			paths = append(paths, []string{"metadata.labels", "metadata.labels.a", "metadata.annotations['x.y/z']", "metadata.name", "metadata.generation", "metadata.annotations.new"}[r.IntN(6)])
			continue
		}
		steps := []Step{{toMember, names[r.IntN(len(names))]}}
		for range r.IntN(4) {
			steps = append(steps, []Step{{toMember, names[r.IntN(len(names))]}, {toMember, names[r.IntN(len(names))]}, everyMember, everyElement}[r.IntN(4)])
		}
		for steps[len(steps)-1].To != toMember {
			steps = steps[:len(steps)-1]
		}
		paths = append(paths, string(appendSteps(nil, steps)))
	}
	return paths
}

// declared returns the fields of a random declaration that is allowed.
func (r objects) declared() (*Fields, []string) {
	for {
		paths := r.paths()
		if f, err := Parse(paths); err == nil {
			return f, paths
		}
	}
}

// TestRandomIdentity answers with the view itself: the object must not change.
func TestRandomIdentity(t *testing.T) {
	r := objects{rand.New(rand.NewPCG(1, 2))}
	for range 30000 {
		f, paths := r.declared()
		identity(t, f, paths, r.whole())
	}
}

func identity(t *testing.T, f *Fields, paths []string, doc string) {
	t.Helper()
	seen := view(t, f, doc)
	read := f.Read(nil, []byte(doc))
	if noted, err := traced(f, doc, math.MaxInt); err != nil || !reflect.DeepEqual(read, noted) {
		t.Fatalf("%q of\n%s\nare %v\nand on the way %v, %v", paths, doc, read, noted, err)
	}
	want := strings.Replace(doc, `"g/v1"`, `"g/v2"`, 1)
	got, broken := splice(t, f, doc, seen)
	if broken != "" || string(got.Doc) != want {
		t.Fatalf("%q of\n%s\nis\n%s\nwhich became %s\n%s", paths, doc, seen, broken, got.Doc)
	}
	stamped := put(t, Stamp(Room{}, []byte(doc), f.Read(nil, []byte(doc)), []byte(`"g/v2"`)), doc)
	if string(stamped.Doc) != want || stamped.Metadata != got.Metadata {
		t.Fatalf("%s\nbecame %v\n%s\nand by the short way %v\n%s", doc, got.Metadata, got.Doc, stamped.Metadata, stamped.Doc)
	}
}

// traced lets a Tracer note the parts of an object inside a larger document, most of them at most.
func traced(f *Fields, doc string, most int) ([]Part, error) {
	before := []Part{{}, {}}
	most += min(len(before), math.MaxInt-most)
	body := []byte(`{"objects":[` + doc + `]}`)
	var s rawjson.Scanner
	var tracer Tracer
	s.Reset(body, 0)
	s.Object()
	s.Member()
	s.Array()
	s.Element()
	s.Object()
	tracer.Begin(f, before, most, &s, body, s.Offset()-1)
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		switch name := string(m.Key); {
		case name == "metadata" && s.Peek() == rawjson.Object:
			s.Object()
			tracer.Enter(m.Start)
			for m, ok := s.Member(); ok; m, ok = s.Member() {
				tracer.Value(&s, m.Key, m.Start)
			}
			tracer.Leave()
		case name == "kind":
			tracer.Passed(m.Key, m.Start, s.Skip())
		default:
			tracer.Value(&s, m.Key, m.Start)
		}
	}
	return tracer.End()[len(before):], s.Err()
}

// TestRandomAnswers answers with parts of other objects. Undeclared fields must stay, and declared
// fields must be as in the answer.
func TestRandomAnswers(t *testing.T) {
	r := objects{rand.New(rand.NewPCG(3, 4))}
	taken, refusals := 0, map[string]int{}
	for range 30000 {
		f, paths := r.declared()
		doc, other := r.whole(), r.whole()
		answer, _ := View(nil, []byte(other), f.Read(nil, []byte(other)))
		if r.IntN(5) == 0 {
			answer = []byte(other) // with undeclared fields
		}
		got, broken := splice(t, f, doc, string(answer))
		if broken != "" {
			words := strings.Fields(string(broken))
			refusals[words[len(words)-1]]++
			continue
		}
		taken++
		consistent(t, f, paths, doc, string(answer), got)
	}
	t.Logf("%d answers taken, refused %v", taken, refusals)
	if taken < 5000 || len(refusals) < 4 {
		t.Errorf("%d answers taken, refused %v: little was tested", taken, refusals)
	}
}

// consistent compares an object after an answer with a plain model of the two.
func consistent(t *testing.T, f *Fields, paths []string, doc, answer string, got result) {
	t.Helper()
	was, now, said := decoded(t, doc), decoded(t, string(got.Doc)), decoded(t, answer)
	if a, b := remainder(f.root, was), remainder(f.root, now); !reflect.DeepEqual(a, b) {
		t.Fatalf("%q\n%s\nwith\n%s\nbecame\n%s\nand what is not declared changed from\n%v\nto\n%v", paths, doc, answer, got.Doc, a, b)
	}
	set, _ := said.(map[string]any)["metadata"].(map[string]any)
	a, b := extract(f.root, said, set == nil), extract(f.root, now, set == nil)
	if !reflect.DeepEqual(a, b) {
		t.Fatalf("%q\n%s\nwith\n%s\nbecame\n%s\nin which what is declared is\n%v\nand not\n%v", paths, doc, answer, got.Doc, b, a)
	}
	metadata, has := now.(map[string]any)["metadata"].(map[string]any)
	if has != (got.Metadata.End > 0) || has && !reflect.DeepEqual(decoded(t, string(got.Metadata.Of(got.Doc))), any(metadata)) {
		t.Fatalf("%s\nmetadata is said to be at %v", got.Doc, got.Metadata)
	}
	if got.Set && f.HasLabels() {
		labels, has := metadata["labels"]
		if has != (got.Labels.End > 0) || has && !reflect.DeepEqual(decoded(t, string(got.Labels.Of(got.Doc))), labels) {
			t.Fatalf("%s\nlabels are said to be at %v", got.Doc, got.Labels)
		}
	}
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// remainder returns the undeclared part of a value; nil if that is empty, or could be.
func remainder(f *field, v any) any {
	if f == nil {
		return v
	}
	if f.whole || v == nil {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		if f.isNothing() || !f.hasMembers() {
			return v
		}
		left := map[string]any{}
		for key, value := range v {
			child := f.find([]byte(key))
			if child != nil && child.role == isOtherMetadata {
				child = nil // a value that nothing changes
			}
			if value = remainder(child, value); child == nil || value != nil {
				left[key] = value
			}
		}
		if len(left) == 0 {
			return nil
		}
		return left
	case []any:
		if f.elements == nil {
			return v
		}
		left := make([]any, len(v))
		for i, value := range v {
			left[i] = remainder(f.elements, value)
		}
		if !slices.ContainsFunc(left, func(v any) bool { return v != nil }) {
			return nil // elements without anything else may have been made
		}
		return left
	}
	return v
}

// extract returns the declared part of a value, without objects that are empty then; absent values
// are nil.
func extract(f *field, v any, keepMetadata bool) any {
	switch {
	case f.whole && (f.role == isLabels || f.role == isAnnotations) && v == nil:
		return nil
	case f.whole:
		return [1]any{v} // so that null is something
	}
	switch v := v.(type) {
	case map[string]any:
		left := map[string]any{}
		for key, value := range v {
			child := f.find([]byte(key))
			if child == nil || child.role == isOtherMetadata || child.role == isAPIVersion || child.role == isMetadata && keepMetadata || child.role == isKind {
				continue
			}
			if value = extract(child, value, keepMetadata); value != nil {
				left[key] = value
			}
		}
		if len(left) > 0 && f.hasMembers() {
			return left
		}
	case []any:
		if f.elements == nil || len(v) == 0 {
			return nil
		}
		left := make([]any, len(v))
		for i, value := range v {
			left[i] = extract(f.elements, value, keepMetadata)
		}
		return left
	}
	return nil
}

// FuzzProject repeats the random tests with any object that a Scanner passes.
func FuzzProject(f *testing.F) {
	r := objects{rand.New(rand.NewPCG(5, 6))}
	for range 50 {
		f.Add([]byte(r.whole()), []byte(r.whole()), strings.Join(r.paths(), "\n"))
	}
	f.Fuzz(func(t *testing.T, doc, answer []byte, declared string) {
		var paths []string
		if declared != "" {
			paths = strings.Split(declared, "\n")
		}
		fields, err := Parse(paths)
		if err != nil {
			return
		}
		var s rawjson.Scanner
		s.Reset(doc, 0)
		if s.Peek() != rawjson.Object || !s.End() {
			_, _ = traced(fields, string(doc), math.MaxInt) // must come back
			return
		}
		before := bytes.Clone(doc)
		parts := fields.Read(nil, doc)
		if Envelope, _ := Envelope(doc, parts); string(Envelope) == `"g/v1"` && bytes.Count(doc, []byte(`"g/v1"`)) == 1 {
			identity(t, fields, paths, strings.TrimSpace(string(doc)))
		}
		s.Reset(answer, 0)
		answered, broken := fields.Check(&s, nil, answer)
		if s.Err() != nil || broken != "" {
			if len(broken) > 2000 {
				t.Fatal(broken)
			}
			return
		}
		spliced, broken := fields.Splice(Room{}, doc, parts, answer, answered, []byte(`"g/v2"`))
		if !bytes.Equal(doc, before) {
			t.Fatal("the object was changed in place")
		}
		if broken != "" {
			return
		}
		consistent(t, fields, paths, string(doc), string(answer), put(t, spliced, string(doc)))
	})
}
