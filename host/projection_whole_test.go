package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The fields that moving, a converter, reads and writes in each step.
const (
	movedFirst = `spec.schedule spec.containers[].image spec.limits.*.cpu status.old metadata.labels.app
		spec.when.cron spec.containers[].picture spec.limits.*.millicpu metadata.annotations['example.com/kept']`
	movedSecond = `spec.when.cron timing['é"/z'] deep.a.b.c.d.e spec.containers[].env[].value spec.containers[].env[].text metadata.name`
)

// moving is a converter like those of the SDKs: it edits its input, regardless of other fields. It
// refuses input that it cannot interpret.
func moving(_, to string, object []byte) (answer []byte, refusal string) {
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	var o map[string]any
	if err := d.Decode(&o); err != nil {
		return nil, err.Error()
	}
	r := mover{}
	o["apiVersion"] = to
	spec := r.object(o, "spec")
	if strings.HasSuffix(to, "v2") {
		r.move(spec, "schedule", spec, "when", "cron")
		for _, c := range r.list(spec, "containers") {
			r.move(c, "image", c, "picture")
		}
		for _, name := range slices.Sorted(maps.Keys(r.object(spec, "limits"))) {
			l := r.object(spec["limits"].(map[string]any), name)
			r.move(l, "cpu", l, "millicpu")
		}
		if status := r.object(o, "status"); status != nil {
			if old, ok := status["old"]; ok && r.refusal == "" {
				text, _ := json.Marshal(old)
				r.put(r.make(r.make(o, "metadata"), "annotations"), "example.com/kept", string(text))
				delete(status, "old")
			}
		}
		if labels := r.object(r.object(o, "metadata"), "labels"); labels["app"] == "x" {
			labels["app"] = "y"
		}
	} else {
		r.move(r.object(spec, "when"), "cron", o, "timing", `é"/z`)
		if e, ok := r.object(r.object(r.object(r.object(r.object(o, "deep"), "a"), "b"), "c"), "d")["e"]; ok && e == nil {
			delete(o["deep"].(map[string]any)["a"].(map[string]any)["b"].(map[string]any)["c"].(map[string]any)["d"].(map[string]any), "e")
		}
		for _, c := range r.list(spec, "containers") {
			for _, e := range r.list(c, "env") {
				r.move(e, "value", e, "text")
			}
		}
	}
	if r.refusal != "" {
		return nil, r.refusal
	}
	answer, _ = json.Marshal(o)
	return answer, ""
}

// mover edits objects until one has an unexpected value.
type mover struct{ refusal string }

func (r *mover) refuse(name string) {
	if r.refusal == "" {
		r.refusal = name + " is not what it should be"
	}
}

// object returns a member; nil if it is absent or null.
func (r *mover) object(in map[string]any, name string) map[string]any {
	o, ok := in[name].(map[string]any)
	if !ok && in[name] != nil {
		r.refuse(name)
	}
	return o
}

// make is object for one that is made if there is none.
func (r *mover) make(in map[string]any, name string) map[string]any {
	o := r.object(in, name)
	if o == nil && in != nil && r.refusal == "" {
		o = map[string]any{}
		in[name] = o
	}
	return o
}

// list returns the elements of a member that are objects; others may be null.
func (r *mover) list(in map[string]any, name string) (objects []map[string]any) {
	list, ok := in[name].([]any)
	if !ok && in[name] != nil {
		r.refuse(name)
	}
	for i, e := range list {
		if o, ok := e.(map[string]any); ok {
			objects = append(objects, o)
		} else if e != nil {
			r.refuse(fmt.Sprintf("%s[%d]", name, i))
		}
	}
	return objects
}

// move takes a member away and puts it elsewhere: the last of the names, in the object that the
// others lead to.
func (r *mover) move(from map[string]any, name string, to map[string]any, names ...string) {
	value, ok := from[name]
	if !ok || r.refusal != "" {
		return
	}
	for _, n := range names[:len(names)-1] {
		to = r.make(to, n)
	}
	delete(from, name)
	r.put(to, names[len(names)-1], value)
}

func (r *mover) put(in map[string]any, name string, value any) {
	if r.refusal == "" && in != nil {
		in[name] = value
	}
}

// manyObjects makes objects with many of the fields that moving uses, and many others.
type manyObjects struct{ *rand.Rand }

func (m manyObjects) pick(from ...string) string { return from[m.IntN(len(from))] }

// key writes a key, now and then with escapes.
func (m manyObjects) key(name string) string {
	text := strconv.Quote(name)
	if r := []rune(name); m.IntN(5) == 0 {
		i := m.IntN(len(r))
		rest, first := strconv.Quote(string(r[i+1:])), strconv.Quote(string(r[:i]))
		text = fmt.Sprintf(`%s\u%04x%s`, first[:len(first)-1], r[i], rest[1:])
	}
	return text + m.pick(":", ":", " : ")
}

// other is anything.
func (m manyObjects) other(depth int) string {
	if depth <= 0 || m.IntN(3) > 0 {
		return m.pick(`null`, `""`, `"x"`, `"é\u0000\"}{ 😀"`, `0`, `1.50`, `9007199254740993`, `-0`, `true`, `[]`, `{}`, `[{}]`, `[[null]]`)
	}
	if m.IntN(2) == 0 {
		return "[" + m.other(depth-1) + "," + m.other(depth-1) + "]"
	}
	return m.object(depth, nil)
}

// object writes the members in any order, most of them, and others.
func (m manyObjects) object(depth int, members map[string]func() string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if m.IntN(4) > 0 {
			list = append(list, m.key(name)+members[name]())
		}
	}
	for i := range m.IntN(4) {
		list = append(list, m.key(m.pick("other", "é", "a.b/c", `q"\`)+strconv.Itoa(i))+m.other(depth-1))
	}
	return m.joined("{", list, "}")
}

func (m manyObjects) joined(open string, list []string, end string) string {
	m.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	space := m.pick("", "", " ", "\n  ")
	return open + space + strings.Join(list, space+","+space) + space + end
}

// mostly returns f, or sometimes an unexpected value.
func (m manyObjects) mostly(f func() string) func() string {
	return func() string {
		switch m.IntN(16) {
		case 0:
			return "null"
		case 1:
			return m.pick("{}", "[]")
		case 2:
			return m.other(1)
		}
		return f()
	}
}

func (m manyObjects) list(element func() string) func() string {
	return m.mostly(func() string {
		var list []string
		for range m.IntN(4) {
			list = append(list, element())
		}
		return m.joined("[", list, "]")
	})
}

func (m manyObjects) of(members map[string]func() string) func() string {
	return m.mostly(func() string { return m.object(2, members) })
}

// whole writes an object of v1.
func (m manyObjects) whole() string {
	any := func() string { return m.other(2) }
	text := func() string { return m.pick(`"x"`, `"y"`, `""`) }
	spec := m.of(map[string]func() string{
		"schedule": any, "when": m.of(map[string]func() string{"cron": any}),
		"containers": m.list(m.of(map[string]func() string{
			"image": any, "picture": any, "env": m.list(m.of(map[string]func() string{"value": any, "name": any, "text": any})),
		})),
		"limits": m.of(map[string]func() string{
			"a": m.of(map[string]func() string{"cpu": any}), "b.c/d": m.of(map[string]func() string{"cpu": any, "millicpu": any, "memory": any}),
		}),
	})
	deep := m.of(map[string]func() string{"e": any})
	for _, name := range []string{"d", "c", "b", "a"} {
		deep = m.of(map[string]func() string{name: deep})
	}
	stringMap := func(names ...string) string {
		var list []string
		for _, name := range names[:m.IntN(len(names)+1)] {
			list = append(list, m.key(name)+text())
		}
		return m.joined("{", list, "}")
	}
	parts := []string{`"kind":"CronTab"`, `"apiVersion":"stable.example.com/v1"`}
	rest := []string{m.key("spec") + spec(), m.key("status") + m.of(map[string]func() string{"old": any})(), m.key("deep") + deep()}
	if m.IntN(5) > 0 {
		metadata := []string{`"name":"n"`, `"managedFields":[{}]`, `"resourceVersion":"1"`, `"generation":3`,
			m.key("labels") + stringMap("app", "team"), m.key("annotations") + stringMap("note", "example.com/kept")}
		rest = append(rest, m.key("metadata")+m.joined("{", metadata[m.IntN(len(metadata)):], "}"))
	}
	if m.IntN(2) == 0 { // as API servers write them; else in any order
		return `{"apiVersion":"stable.example.com/v1","kind":"CronTab",` + strings.TrimLeft(m.joined("", rest, "}"), " \n")
	}
	return m.joined("{", append(parts, rest[:m.IntN(len(rest)+1)]...), "}")
}

// sameWhole converts objects in a chain of two steps by modules that are shown whole objects, and
// by the same that are shown their declared fields. Both must come to the same. It returns how that
// was: "" is success.
func sameWhole(t *testing.T, objects ...string) (failure string) {
	t.Helper()
	review := reviewOf("v1", "stable.example.com/v3", objects...)
	var got [2]reviewTree
	var outcomes [2]Outcome
	for i := range got {
		first, second := &funcModule{File: "first.wasm", One: moving}, &funcModule{File: "second.wasm", One: moving}
		if i == 1 {
			first.Paths, second.Paths = strings.Fields(movedFirst), strings.Fields(movedSecond)
		}
		answer, outcome, rejected := converter(append(edges(first, "v1→v2"), edges(second, "v2→v3")...)...).Review(t.Context(), []byte(review))
		if rejected != nil {
			return "rejected"
		}
		d := json.NewDecoder(bytes.NewReader(answer))
		d.UseNumber()
		if err := d.Decode(&got[i]); err != nil {
			t.Fatalf("%v: %s", err, answer)
		}
		outcomes[i] = outcome
	}
	whole, parts := got[0].Response, got[1].Response
	if outcomes[0].Failure == FailureContract && outcomes[1].Failure == FailureContract {
		return FailureContract // of an object that no module could have converted: the words differ
	}
	if !reflect.DeepEqual(whole, parts) {
		t.Fatalf("%s\nis by a module that is shown whole objects\n%s%v\nand by one that is shown its fields\n%s%v", objects,
			whole.Result.Message, whole.ConvertedObjects, parts.Result.Message, parts.ConvertedObjects)
	}
	return outcomes[0].Failure
}

// TestProjectionWhole converts objects of all kinds.
func TestProjectionWhole(t *testing.T) {
	m := manyObjects{rand.New(rand.NewPCG(1, 2))}
	count := map[string]int{}
	part := 300
	if testing.Short() { // with the race detector; one goroutine converts each of them
		part = 30
	}
	for range 10 * part {
		count[sameWhole(t, m.whole())]++
	}
	for range part {
		sameWhole(t, m.whole(), m.whole(), m.whole())
	}
	t.Log(count)
	if count[""] < 5*part/3 || count[FailureRefused] < 5*part/3 || count["rejected"]+count[FailureInvalid] > part/3 {
		t.Errorf("%v: little was tested", count)
	}
}

// FuzzProjectionWhole converts arbitrary objects.
func FuzzProjectionWhole(f *testing.F) {
	m := manyObjects{rand.New(rand.NewPCG(3, 4))}
	for range 100 {
		f.Add([]byte(m.whole()), []byte(m.whole()))
	}
	f.Fuzz(func(t *testing.T, one, two []byte) {
		sameWhole(t, string(one), string(two))
	})
}
