package propose

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/propose/values"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// given returns a definition with these properties of spec in v1 and v2, and the objects whose specs
// are given in pairs.
func given(t *testing.T, v1, v2 string, specs ...[2]string) (*schema.CRD, *values.Observed) {
	t.Helper()
	crd := twoVersions(t, v1, v2)
	text := fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},
		"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Thing","plural":"things"},"versions":[%s,%s]}}`, versionText("v1", true, v1), versionText("v2", false, v2))
	all, err := definition.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	o := values.NewObserved(all[0].CRD)
	for i, pair := range specs {
		for side, spec := range pair {
			add(t, o, fmt.Sprintf(`{"apiVersion":"example.com/v%d","kind":"Thing","metadata":{"namespace":"ns","name":"o%d"},"spec":%s}`, side+1, i+1, spec))
		}
	}
	return crd, o
}

func versionText(name string, storage bool, properties string) string {
	return fmt.Sprintf(`{"name":%q,"served":true,"storage":%v,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{%s}}}}}}`, name, storage, properties)
}

func add(t *testing.T, o *values.Observed, manifest string) {
	t.Helper()
	if of, err := o.Add(json.RawMessage(manifest), "test.yaml:1"); err != nil || !of {
		t.Fatalf("%v, %v", of, err)
	}
}

// TestObserved tests which manifests are compared.
func TestObserved(t *testing.T) {
	manifest := func(version, name, metadata, spec string) string {
		return fmt.Sprintf(`{"apiVersion":"example.com/%s","kind":"Thing","metadata":{"name":%q%s},"spec":%s}`, version, name, metadata, spec)
	}
	crd, o := given(t, `"a":{"type":"string"}`, `"b":{"type":"string"}`)
	for _, text := range []string{
		manifest("v1", "good", `,"generation":2,"uid":"x"`, `{"a":"one"}`), manifest("v2", "good", `,"generation":2,"uid":"x"`, `{"b":"one"}`),
		manifest("v2", "good", `,"generation":2,"uid":"x"`, `{"b":"one"}`), // the same again
		manifest("v1", "later", `,"generation":3`, `{"a":"two"}`), manifest("v2", "later", `,"generation":4`, `{"b":"three"}`),
		manifest("v1", "anew", `,"uid":"x"`, `{"a":"two"}`), manifest("v2", "anew", `,"uid":"y"`, `{"b":"three"}`),
		manifest("v1", "twice", ``, `{"a":"two"}`), manifest("v1", "twice", ``, `{"a":"three"}`), manifest("v2", "twice", ``, `{"b":"two"}`),
		manifest("v1", "alone", ``, `{"a":"two"}`), manifest("v3", "alone", ``, `{"b":"two"}`),
	} {
		add(t, o, text)
	}
	p := Rules(crd, []string{"v1", "v2"}, o)
	const want = `not compared: later: its metadata.generation is 3 in v1 and 4 in v2: somebody changed the object in between
not compared: anew: its metadata.uid differs: these are two objects of one name
not compared: twice: it is given twice in v1, with different fields
not compared: 1 object that is not given in both v1 and v2`
	if got := strings.Join(p.Ignored(), "\n"); got != want || p.Pairs[0].Observed != 1 || o.Pairs([]string{"v1", "v2"}) != 1 {
		t.Errorf("%d, %s", p.Pairs[0].Observed, got)
	}
	for text, want := range map[string]string{
		`{"apiVersion":"example.com/v1","kind":"Other","metadata":{"name":"x"}}`: "",
		`{"apiVersion":"v1","kind":"Thing","metadata":{"name":"x"}}`:             "",
		`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{}}`:           "f:1: the object has no metadata.name: objects are paired by it",
		`{"apiVersion":"example.com/v1","kind":"Thing","metadata":[]}`:           "f:1: its metadata is a JSON array",
	} {
		if of, err := o.Add(json.RawMessage(text), "f:1"); of || fmt.Sprint(err) != want && (err != nil || want != "") {
			t.Errorf("%s: %v, %v", text, of, err)
		}
	}
}

// TestInferIsBounded tests that thousands of objects, and of elements in one, end within a moment.
func TestInferIsBounded(t *testing.T) {
	var v1, v2, a, b []string
	for i := range 300 {
		v1, v2 = append(v1, fmt.Sprintf(`"a%d":{"type":"integer"}`, i)), append(v2, fmt.Sprintf(`"b%d":{"type":"integer"}`, i))
		a, b = append(a, fmt.Sprintf(`"a%d":%%[1]d`, i)), append(b, fmt.Sprintf(`"b%d":%%[1]d`, i)) // all fit all others
	}
	crd, o := given(t, strings.Join(v1, ","), strings.Join(v2, ","))
	for i := range 4 * values.MaxObserved {
		add(t, o, fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"o%[1]d"},"spec":{`+strings.Join(a, ",")+`}}`, i))
		add(t, o, fmt.Sprintf(`{"apiVersion":"example.com/v2","kind":"Thing","metadata":{"name":"o%[1]d"},"spec":{`+strings.Join(b, ",")+`}}`, i))
	}
	p := Rules(crd, []string{"v1", "v2"}, o)
	if n := o.Pairs([]string{"v1", "v2"}); n != values.MaxObserved {
		t.Errorf("%d objects", n)
	}
	if all := p.Pairs[0].Seen; len(all) == 0 || !strings.Contains(all[len(all)-1], "too many fields and objects to compare all") || len(all) > maxSaid+1 {
		t.Errorf("%d relations: %.2000q", len(all), all)
	}
	if text := string(p.Text()); !strings.Contains(text, fmt.Sprintf("Not compared: %d manifests beyond the first %d objects", 6*values.MaxObserved, values.MaxObserved)) {
		t.Errorf("the other objects are not counted:\n%.3000s", text)
	}
}

// active returns the active rules of a file, one after the other.
func active(text []byte) string {
	var all []string
	for _, line := range strings.Split(string(text), "\n") {
		if rule, ok := strings.CutPrefix(line, "  - "); ok {
			all = append(all, rule)
		}
	}
	return strings.Join(all, " ")
}

// TestInfer compares the rules that are inferred from the values of objects.
func TestInfer(t *testing.T) {
	const text, number, boolean = `{"type":"string"}`, `{"type":"integer"}`, `{"type":"boolean"}`
	list := func(of string) string { return `{"type":"array","items":` + of + `}` }
	enum := func(one, other string) string { return fmt.Sprintf(`{"type":"string","enum":[%q,%q]}`, one, other) }
	object := func(properties string) string { return `{"type":"object","properties":{` + properties + `}}` }
	const drops = "{drop: spec.a, in: v1} {drop: spec.b, in: v2}"
	for _, c := range []struct {
		name, v1, v2 string
		specs        [][2]string
		want         string
		says         string // in the file
	}{
		{"equal values under other names", `"zone":` + text, `"where":` + text + `,"who":` + text,
			[][2]string{{`{"zone":"eu"}`, `{"where":"eu","who":"x"}`}, {`{"zone":"us"}`, `{"where":"us"}`}},
			"{rename: spec.zone, to: spec.where} {drop: spec.who, in: v2}", `in 2 objects: ns/o1 has "eu" and "eu"`},
		{"one object with a telling text", `"zone":` + text, `"where":` + text + `,"who":` + text, [][2]string{{`{"zone":"europe-west"}`, `{"where":"europe-west","who":"x"}`}},
			"{rename: spec.zone, to: spec.where} {drop: spec.who, in: v2}", "in 1 object:"},
		{"one object with a small number", `"a":` + number, `"b":` + number + `,"c":` + number, [][2]string{{`{"a":3}`, `{"b":3,"c":4}`}},
			"{drop: spec.a, in: v1} {drop: spec.b, in: v2} {drop: spec.c, in: v2}", "Not a rule: spec.a and spec.b correspond in 1 object, with too few values to tell it from chance (ns/o1 has 3 and 3)."},
		{"equal constants", `"a":` + text, `"b":` + text + `,"c":` + text, [][2]string{{`{"a":"on"}`, `{"b":"on","c":"x"}`}, {`{"a":"on"}`, `{"b":"on","c":"y"}`}},
			"{drop: spec.a, in: v1} {drop: spec.b, in: v2} {drop: spec.c, in: v2}", "Not a rule: spec.a and spec.b"},
		{"two fields fit", `"a":` + number, `"b":` + number + `,"c":` + number, [][2]string{{`{"a":3}`, `{"b":3,"c":3}`}, {`{"a":4}`, `{"b":4,"c":4}`}},
			"{drop: spec.a, in: v1} {drop: spec.b, in: v2} {drop: spec.c, in: v2}", "but spec.a and spec.c have, too"},
		{"two fields fit, one with an alike name", `"colour":` + text, `"color":` + text + `,"paint":` + text, [][2]string{{`{"colour":"r"}`, `{"color":"r","paint":"r"}`}, {`{"colour":"g"}`, `{"color":"g","paint":"g"}`}},
			"{rename: spec.colour, to: spec.color} {drop: spec.paint, in: v2}", ""},
		{"an object contradicts", `"a":` + number, `"b":` + number + `,"c":` + number, [][2]string{{`{"a":3}`, `{"b":3,"c":0}`}, {`{"a":4}`, `{"b":4,"c":0}`}, {`{"a":5}`, `{"b":6,"c":0}`}},
			"{drop: spec.a, in: v1} {drop: spec.b, in: v2} {drop: spec.c, in: v2}", "spec.a and spec.b correspond in 2 objects (ns/o1 has 3 and 3), but ns/o3 has 5 and 6."},
		{"a move into a new object", `"class":` + text, `"storage":` + object(`"kind":`+text+`,"size":`+number), [][2]string{{`{"class":"fast"}`, `{"storage":{"kind":"fast"}}`}, {`{"class":"slow"}`, `{"storage":{"kind":"slow","size":1}}`}},
			"{move: spec.class, to: spec.storage.kind} {drop: spec.storage.size, in: v2}", ""},
		{"in elements", `"l":` + list(object(`"a":`+number)), `"l":` + list(object(`"b":`+number+`,"c":`+number)), [][2]string{{`{"l":[{"a":3},{"a":5}]}`, `{"l":[{"b":3,"c":1},{"b":5,"c":1}]}`}},
			`{rename: "spec.l[].a", to: "spec.l[].b"} {drop: "spec.l[].c", in: v2}`, ""},
		{"units that names say, from one object", `"sizeGb":` + number, `"sizeMb":` + number, [][2]string{{`{"sizeGb":5}`, `{"sizeMb":5000}`}},
			"{convert: spec.sizeGb, to: spec.sizeMb, as: [G, M], unfit: stash}", "ns/o1 has 5 and 5000"},
		{"units that names deny", `"sizeGb":` + number, `"sizeMb":` + number, [][2]string{{`{"sizeGb":5}`, `{"sizeMb":5120}`}, {`{"sizeGb":6}`, `{"sizeMb":6144}`}},
			"{drop: spec.sizeGb, in: v1} {drop: spec.sizeMb, in: v2}", "but no rule multiplies by"},
		{"units that only values show", `"a":` + number, `"b":` + number, [][2]string{{`{"a":1}`, `{"b":60}`}, {`{"a":2}`, `{"b":120}`}}, "{convert: spec.a, to: spec.b, as: [min, s], unfit: stash}", ""},
		{"units in place", `"wait":` + number, `"wait":` + number, [][2]string{{`{"wait":1}`, `{"wait":1000}`}, {`{"wait":2}`, `{"wait":2000}`}}, "{convert: spec.wait, as: [s, ms], unfit: stash}", ""},
		{"one value for a factor", `"a":` + number, `"b":` + number, [][2]string{{`{"a":1}`, `{"b":60}`}, {`{"a":0}`, `{"b":0}`}}, drops, "The rule is off: an object contradicts it: ns/o1 has 1 and 60"},
		{"names alike, and another value", `"colour":` + text, `"color":` + text, [][2]string{{`{"colour":"r"}`, `{"color":"g"}`}}, "{drop: spec.colour, in: v1} {drop: spec.color, in: v2}", "The rule is off: an object contradicts it: ns/o1 has"},
		{"names alike, and another time", `"timeout":` + text, `"timeoutSeconds":` + number, [][2]string{{`{"timeout":"1m"}`, `{"timeoutSeconds":1}`}}, "{drop: spec.timeout, in: v1} {drop: spec.timeoutSeconds, in: v2}", "The rule is off: their values do not say the same"},
		{"zero fits every factor", `"a":` + number + `,"x":` + text, `"b":` + number + `,"y":` + boolean, [][2]string{{`{"a":0}`, `{"b":0}`}, {`{"a":-2}`, `{"b":-2000}`}, {`{"a":3}`, `{"b":3000}`}},
			"{convert: spec.a, to: spec.b, as: [s, ms], unfit: stash} {drop: spec.x, in: v1} {drop: spec.y, in: v2}", "in 2 objects: ns/o2"},
		{"a factor that no rule has", `"a":` + number + `,"c":` + number, `"b":` + number, [][2]string{{`{"a":1}`, `{"b":7}`}, {`{"a":2}`, `{"b":14}`}}, "{drop: spec.a, in: v1} {drop: spec.c, in: v1} {drop: spec.b, in: v2}", "but no rule multiplies by 7"},
		{"huge numbers", `"a":{"type":"number"},"c":{"type":"number"}`, `"b":{"type":"number"}`, [][2]string{{`{"a":1e999999999}`, `{"b":1e999999998}`}, {`{"a":1` + strings.Repeat("0", 99) + `}`, `{"b":2}`}},
			"{drop: spec.a, in: v1} {drop: spec.c, in: v1} {drop: spec.b, in: v2}", ""},
		{"a duration", `"t":` + text, `"seconds":` + number, [][2]string{{`{"t":"1m30s"}`, `{"seconds":90}`}, {`{"t":"2h"}`, `{"seconds":7200}`}}, "{convert: spec.t, to: spec.seconds, as: [duration, s], unfit: stash}", ""},
		{"a quantity", `"n":` + number, `"memory":` + text, [][2]string{{`{"n":20480}`, `{"memory":"20Gi"}`}, {`{"n":1}`, `{"memory":"1Mi"}`}}, "{convert: spec.n, to: spec.memory, as: [Mi, quantity], unfit: stash}", ""},
		{"digits", `"n":` + number, `"t":` + text, [][2]string{{`{"n":1}`, `{"t":"1"}`}, {`{"n":2}`, `{"t":"2"}`}}, "{convert: spec.n, to: spec.t, as: [integer, string], unfit: stash}", ""},
		{"a table", `"policy":{"type":"string","enum":["keep","delete","x"]}`, `"onDelete":{"type":"string","enum":["Retain","Remove","x","Y"]}`, [][2]string{{`{"policy":"keep"}`, `{"onDelete":"Retain"}`}, {`{"policy":"delete"}`, `{"onDelete":"Remove"}`}},
			`{translate: spec.policy, to: spec.onDelete, values: [["delete", "Remove"], ["keep", "Retain"]]}`, "No object has x of spec.policy, Y of spec.onDelete: complete the table"},
		{"a free text in place, from one object", `"mode":` + text, `"mode":` + text, [][2]string{{`{"mode":"a"}`, `{"mode":"B"}`}}, "", ""},
		{"a text of one object that contradicts others", `"mode":` + text, `"mode":` + text, [][2]string{{`{"mode":"a"}`, `{"mode":"a"}`}, {`{"mode":"b"}`, `{"mode":"b"}`}, {`{"mode":"c"}`, `{"mode":"https://c"}`}}, "", `Not a rule: the values of spec.mode are equal in 2 objects, but ns/o3 has "c" and "https://c".`},
		{"texts that recur", `"mode":` + text, `"mode":` + text, [][2]string{{`{"mode":"a"}`, `{"mode":"A"}`}, {`{"mode":"a"}`, `{"mode":"A"}`}, {`{"mode":"b"}`, `{"mode":"B"}`}, {`{"mode":"b"}`, `{"mode":"B"}`}},
			`{translate: spec.mode, values: [["a", "A"], ["b", "B"]]}`, "Values that no object has are not in the table"},
		{"a table of booleans", `"on":` + boolean, `"state":` + text, [][2]string{{`{"on":true}`, `{"state":"On"}`}, {`{"on":false}`, `{"state":"Off"}`}, {`{"on":true}`, `{"state":"On"}`}}, `{translate: spec.on, to: spec.state, values: [[false, "Off"], [true, "On"]]}`, ""},
		{"two values with one partner", `"a":` + text, `"b":` + text + `,"c":` + text, [][2]string{{`{"a":"k"}`, `{"b":"R"}`}, {`{"a":"l"}`, `{"b":"R"}`}, {`{"a":"k"}`, `{"b":"R"}`}}, drops + " {drop: spec.c, in: v2}", ""},
		{"free texts are no table", `"a":` + text, `"b":` + text + `,"c":` + text, [][2]string{{`{"a":"k"}`, `{"b":"R"}`}, {`{"a":"l"}`, `{"b":"S"}`}}, drops + " {drop: spec.c, in: v2}", ""},
		{"digits in place, and another number", `"n":` + text, `"n":` + number, [][2]string{{`{"n":"1"}`, `{"n":2}`}}, "{drop: spec.n, in: v1} {drop: spec.n, in: v2}", "The rule is off: their values do not say the same"},
		{"another spelling of values, and another value", `"p":{"type":"string","enum":["keep","drop"]}`, `"p":{"type":"string","enum":["Keep","Drop"]}`, [][2]string{{`{"p":"keep"}`, `{"p":"Keep"}`}, {`{"p":"keep"}`, `{"p":"Drop"}`}},
			"", "The rule is off: an object contradicts it: ns/o2 has \"keep\" and \"Drop\""},
		{"a reference to another name", `"class":` + text, `"classRef":` + object(`"name":`+text), [][2]string{{`{"class":"a"}`, `{"classRef":{"name":"b"}}`}}, "{drop: spec.class, in: v1} {drop: spec.classRef, in: v2}", "The rule is off: an object contradicts it: ns/o1"},
		{"a name of another reference", `"classRef":` + object(`"name":`+text), `"class":` + text, [][2]string{{`{"classRef":{"name":"b"}}`, `{"class":"a"}`}}, "{drop: spec.classRef, in: v1} {drop: spec.class, in: v2}", "The rule is off: an object contradicts it: ns/o1"},
		{"another form", `"env":{"type":"object","additionalProperties":` + text + `}`, `"env":` + list(object(`"name":`+text+`,"value":`+text)), [][2]string{{`{"env":{"a":"b"}}`, `{"env":[]}`}},
			"{listFromMap: spec.env, key: name, value: value, unfit: stash}", "Not compared: the values of spec.env, which has another form in each version."},
		{"a unit that one name says", `"sizeGb":` + number, `"size":` + number, [][2]string{{`{"sizeGb":5}`, `{"size":5000}`}, {`{"sizeGb":6}`, `{"size":6000}`}}, "{convert: spec.sizeGb, to: spec.size, as: [G, M], unfit: stash}", ""},
		{"one quantity", `"n":` + number + `,"m":` + number, `"memory":` + text, [][2]string{{`{"n":1}`, `{"memory":"1Mi"}`}}, "{drop: spec.m, in: v1} {drop: spec.n, in: v1} {drop: spec.memory, in: v2}", "with too few values"},
		{"parts", `"image":` + text, `"repo":` + text + `,"tag":` + text + `,"x":` + text, [][2]string{{`{"image":"a:1"}`, `{"repo":"a","tag":"1"}`}, {`{"image":"b:2"}`, `{"repo":"b","tag":"2","x":"y"}`}},
			`{split: spec.image, to: [spec.repo, spec.tag], separator: ":", unfit: stash} {drop: spec.x, in: v2}`, `spec.image is split into 2 fields in 2 objects: ns/o1 has "a:1"`},
		{"a host and a port", `"e":` + text, `"port":` + text + `,"host":` + text, [][2]string{{`{"e":"a:1"}`, `{"host":"a","port":"1"}`}},
			`{split: spec.e, to: [spec.host, spec.port], hostPort: true, unfit: stash}`, ""},
		{"a port and a host", `"e":` + text, `"port":` + text + `,"host":` + text, [][2]string{{`{"e":"1:a"}`, `{"host":"a","port":"1"}`}},
			`{split: spec.e, to: [spec.port, spec.host], separator: ":", unfit: stash}`, ""},
		{"a host and a port as words", `"e":` + text, `"port":` + text + `,"host":` + text, [][2]string{{`{"e":"a 1"}`, `{"host":"a","port":"1"}`}},
			`{split: spec.e, to: [spec.host, spec.port], words: true, unfit: stash}`, ""},
		{"parts in an object, of which some are absent", `"s":` + text, `"s":` + object(`"h":`+text+`,"m":`+text), [][2]string{{`{"s":"5 *"}`, `{"s":{"m":"5"}}`}, {`{"s":"6 3"}`, `{"s":{"m":"6","h":"3"}}`}},
			`{split: spec.s, to: [spec.s.m, spec.s.h], words: true, absent: "*", unfit: stash}`, ""},
		{"parts that are equal", `"image":` + text, `"repo":` + text + `,"tag":` + text, [][2]string{{`{"image":"a:a"}`, `{"repo":"a","tag":"a"}`}}, "{drop: spec.image, in: v1} {drop: spec.repo, in: v2} {drop: spec.tag, in: v2}", ""},
		{"parts that an object contradicts", `"image":` + text, `"repo":` + text + `,"tag":` + text, [][2]string{{`{"image":"a:1"}`, `{"repo":"a","tag":"1"}`}, {`{"image":"b:2"}`, `{"repo":"b","tag":"3"}`}},
			"{drop: spec.image, in: v1} {drop: spec.repo, in: v2} {drop: spec.tag, in: v2}", ""},
		{"parts without a text", `"image":` + text, `"repo":` + text + `,"tag":` + text, [][2]string{{`{"image":"a:1"}`, `{"repo":"a","tag":"1"}`}, {`{}`, `{"repo":"b"}`}},
			"{drop: spec.image, in: v1} {drop: spec.repo, in: v2} {drop: spec.tag, in: v2}", ""},
		{"a default that one version sets", `"zone":` + text, `"where":{"type":"string","default":"eu"},"who":` + text, [][2]string{{`{}`, `{"where":"eu"}`}, {`{"zone":"us"}`, `{"where":"us"}`}, {`{"zone":"ap"}`, `{"where":"ap"}`}},
			"{rename: spec.zone, to: spec.where} {drop: spec.who, in: v2}", "in 2 objects"},
		{"absent in one version", `"zone":` + text, `"where":` + text + `,"who":` + text, [][2]string{{`{}`, `{"where":"eu"}`}, {`{"zone":"us"}`, `{"where":"us"}`}, {`{"zone":"ap"}`, `{"where":"ap"}`}},
			"{drop: spec.zone, in: v1} {drop: spec.where, in: v2} {drop: spec.who, in: v2}", "but ns/o1 has nothing and \"eu\""},
		{"one value of an enum", `"a":` + text, `"a":` + text + `,"b":` + enum("On", "Off"), [][2]string{{`{"a":"x"}`, `{"a":"x","b":"On"}`}, {`{"a":"y"}`, `{"a":"y","b":"On"}`}},
			`{constant: spec.b, in: v2, value: "On"}`, "each of 2 objects has the same spec.b"},
		{"one value of an enum, which another field may tell", `"a":` + boolean, `"b":` + enum("On", "Off"), [][2]string{{`{"a":true}`, `{"b":"On"}`}, {`{"a":true}`, `{"b":"On"}`}},
			"{drop: spec.b, in: v2} {drop: spec.a, in: v1}", "The rule is off: spec.a, which v1 alone has, may tell it"},
		{"one value of an enum, which another enum has", `"mode":` + enum("on", "off"), `"workMode":` + enum("On", "Off"), [][2]string{{`{"mode":"on"}`, `{"workMode":"On"}`}, {`{"mode":"on"}`, `{"workMode":"On"}`}},
			`{translate: spec.mode, to: spec.workMode, values: [["on", "On"], ["off", "Off"]]}`, ""},
		{"an enum with one value more", `"m":` + enum("on", "off"), `"m":{"type":"string","enum":["on","off","auto"]}`, [][2]string{{`{"m":"on"}`, `{"m":"on"}`}},
			"", "Not a rule: the enums of spec.m differ: v1 alone has none, and v2 alone auto. If some mean the same, a rule translate says so."},
		{"a text in a list", `"host":` + text + `,"l":` + text, `"hosts":` + list(text) + `,"l":` + list(text), [][2]string{{`{"host":"a","l":"b"}`, `{"hosts":["a"],"l":["b","c"]}`}},
			`{wrap: spec.l, type: string} {wrap: spec.host, to: spec.hosts, type: string}`, ""},
		{"another text in a list", `"hosts":` + list(text) + `,"l":` + text, `"host":` + text + `,"l":` + list(text), [][2]string{{`{"hosts":["b"],"l":"b"}`, `{"host":"a","l":[]}`}},
			"{drop: spec.l, in: v1} {drop: spec.l, in: v2} {drop: spec.hosts, in: v1} {drop: spec.host, in: v2}", `The rule is off: an object contradicts it: ns/o1 has ["b"] and "a"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			crd, o := given(t, c.v1, c.v2, c.specs...)
			file := Rules(crd, []string{"v1", "v2"}, o).Text()
			if got := active(file); got != c.want {
				t.Errorf("rules: %s\nwant:  %s\n%s", got, c.want, file)
			}
			if !strings.Contains(string(file), c.says) {
				t.Errorf("missing %q in\n%s", c.says, file)
			}
			if _, err := rules.Parse(file); err != nil {
				t.Errorf("%v\n%s", err, file)
			}
		})
	}
}
