package rules

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestEmptiedObjects converts objects around moved fields: each case is an object, the result in
// the other version without its stash, and the object again.
func TestEmptiedObjects(t *testing.T) {
	const storage = "- {move: spec.size, to: spec.storage.size}\n- {drop: spec.storage.class, in: v2}\n- {drop: spec.window, in: v2, for: object}"
	const constants = "- {move: spec.size, to: spec.storage.size}\n- {constant: spec.storage.engine, in: v2, value: a}\n- {constant: spec.storage.tier, in: v2, value: 1}"
	const known = "- {move: spec.size, to: spec.storage.size}\n- {rename: spec.storage.klass, to: spec.storage.class}"
	for _, c := range []struct{ name, rules, from, object, converted string }{
		{"an empty object goes and comes back", storage, "v2", `{"spec":{"storage":{},"window":"Sun"}}`, `{"spec":{}}`},
		{"an object that a drop empties goes and comes back", storage, "v2", `{"spec":{"storage":{"class":"fast"},"window":"Sun"}}`, `{"spec":{}}`},
		{"an object that a move empties goes and comes back", storage, "v2", `{"spec":{"storage":{"size":"1Gi"}}}`, `{"spec":{"size":"1Gi"}}`},
		{"other fields stay in the object", storage, "v2", `{"spec":{"storage":{"size":"1Gi","x":1}}}`, `{"spec":{"size":"1Gi","storage":{"x":1}}}`},
		{"an object of a version that the rules do not expect it in", storage, "v1", `{"spec":{"size":"1Gi","storage":{}}}`, `{"spec":{"storage":{"size":"1Gi"}}}`},
		{"the same without the field", storage, "v1", `{"spec":{"storage":{}}}`, `{"spec":{"storage":{}}}`},
		{"objects within objects", `- {move: spec.a, to: spec.b.c.d}`, "v2", `{"spec":{"b":{"c":{}}}}`, `{"spec":{}}`},
		{"only the outer one is empty", `- {move: spec.a, to: spec.b.c.d}`, "v2", `{"spec":{"b":{}}}`, `{"spec":{}}`},
		{"joined parts", `- {split: spec.image, to: [spec.of.name, spec.of.tag], separator: ":"}`, "v2", `{"spec":{"of":{}}}`, `{"spec":{}}`},
		{"in a list", `- {move: "spec.disks[].size", to: "spec.disks[].of.size"}`, "v2", `{"spec":{"disks":[{"of":{}},{"of":{"size":1}}]}}`, `{"spec":{"disks":[{},{"size":1}]}}`},
		{"in a list, where a drop empties it", `- {move: "spec.disks[].size", to: "spec.disks[].of.size"}` + "\n" + `- {drop: "spec.disks[].of.class", in: v2}`, "v2", `{"spec":{"disks":[{"of":{"class":1}},{"of":{}}]}}`, `{"spec":{"disks":[{},{}]}}`},
		{"in a list, objects within objects", `- {move: "spec.disks[].size", to: "spec.disks[].of.deep.size"}`, "v2", `{"spec":{"disks":[{"of":{"deep":{}}},{"of":{}}]}}`, `{"spec":{"disks":[{},{}]}}`},
		{"in a list, with rules for elements", "- {drop: \"spec.disks[].of.class\", in: v2}\n- each: spec.disks\n  rules:\n  - {move: size, to: of.size}", "v2", `{"spec":{"disks":[{"of":{"class":1}}]}}`, `{"spec":{"disks":[{"of":{}}]}}`},
		{"around a list whose elements lose a field", "- move: spec.volumes\n  to: spec.storage.volumes\n  each:\n  - {drop: class, in: v2}", "v2", `{"spec":{"storage":{}}}`, `{"spec":{}}`},
		{"in a list, around an object that loses a field", "- move: \"spec.disks[].a\"\n  to: \"spec.disks[].of.a\"\n  rules:\n  - {drop: class, in: v2}", "v2", `{"spec":{"disks":[{"of":{}},{"of":{"a":{"class":1}}}]}}`, `{"spec":{"disks":[{},{"a":{}}]}}`},
		{"a constant alone in the object", constants, "v2", `{"spec":{"storage":{"engine":"a"}}}`, `{"spec":{}}`},
		{"two constants alone in the object", constants, "v2", `{"spec":{"storage":{"engine":"a","tier":1}}}`, `{"spec":{}}`},
		{"constants beside the field", constants, "v2", `{"spec":{"storage":{"engine":"a","tier":1,"size":2}}}`, `{"spec":{"size":2}}`},
		{"rules name the object in both versions", known, "v2", `{"spec":{"storage":{}}}`, `{"spec":{"storage":{}}}`},
		{"the same, and a move fills it", known, "v1", `{"spec":{"size":1,"storage":{}}}`, `{"spec":{"storage":{"size":1}}}`},
		{"a fragment keeps an empty object", storage, "v2", `{"metadata":false,"spec":{"storage":{}}}`, `{"spec":{"storage":{}}}`},
		{"absent is translated only within the object", `- {translate: spec.mode, to: spec.of.mode, values: [[red, absent]]}`, "v2", `{"spec":{"of":{}}}`, `{"spec":{"mode":"red"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGuest(t, parse(t, inFile(c.rules)))
			to := map[string]string{"v1": "v2", "v2": "v1"}[c.from]
			object := strings.Replace(complete(t, c.from, c.object), `"metadata":false,`, "", 1)
			there, _ := g.convert("example.com/"+to, object)
			if normal(t, there, false) != normal(t, complete(t, to, c.converted), false) {
				t.Fatalf("%s became %s, want %s", c.object, there, c.converted)
			}
			if back, _ := g.convert("example.com/"+c.from, there); normal(t, back, false) != normal(t, object, false) {
				t.Errorf("%s came back as %s, by way of %s", object, back, there)
			}
		})
	}
}

// TestEmptyObjectIsStale sets, in the other version, the field that an empty object lacks: it must
// not be emptied again.
func TestEmptyObjectIsStale(t *testing.T) {
	for _, c := range []struct{ rules, from, object, converted, changed, want string }{
		{`- {move: spec.size, to: spec.storage.size}`, "v2", `{"spec":{"storage":{}}}`, `"spec":{}`, `"spec":{"size":5}`, `{"spec":{"storage":{"size":5}}}`},
		{"- {move: spec.a, to: spec.box.a}\n- {move: spec.box.y, to: spec.y}", "v1", `{"spec":{"a":1,"box":{}}}`, `"box":{"a":1}`, `"box":{"a":1},"y":2`, `{"spec":{"a":1,"box":{"y":2}}}`},
	} {
		g := newGuest(t, parse(t, inFile(c.rules)))
		to := map[string]string{"v1": "v2", "v2": "v1"}[c.from]
		other, _ := g.convert("example.com/"+to, complete(t, c.from, c.object))
		got, _ := g.convert("example.com/"+c.from, replace(t, other, c.converted, c.changed))
		if want := complete(t, c.from, c.want); normal(t, got, true) != normal(t, want, true) {
			t.Errorf("%s became %s, want %s", c.object, got, want)
		}
	}
}

// TestSharedObject converts an object that a file says to be in both versions.
func TestSharedObject(t *testing.T) {
	file := strings.Replace(inFile(`- {move: spec.size, to: spec.storage.size}`), "  rules:", "  shared: [spec.storage]\n  rules:", 1)
	g := newGuest(t, parse(t, file))
	got, _ := g.convert("example.com/v1", complete(t, "v2", `{"spec":{"storage":{}}}`))
	if want := complete(t, "v1", `{"spec":{"storage":{}}}`); normal(t, got, true) != normal(t, want, true) {
		t.Errorf("the object became %s, want %s", got, want)
	}
}

// TestSharedObjectComesBack fills, and empties again, an object that a file says to be in both
// versions: a schema may require it, as in MachineDeployment, where it is template.
func TestSharedObjectComesBack(t *testing.T) {
	file := strings.Replace(inFile(`- {move: spec.size, to: spec.storage.of.size}`), "  rules:", "  shared: [spec.storage, spec.storage.of]\n  rules:", 1)
	for _, c := range []struct{ from, to, object, converted string }{
		{"v1", "v2", `{"spec":{"size":1,"storage":{}}}`, `{"spec":{"storage":{"of":{"size":1}}}}`},
		{"v1", "v2", `{"spec":{"size":1,"storage":{"of":{}}}}`, `{"spec":{"storage":{"of":{"size":1}}}}`},
		{"v1", "v2", `{"spec":{"storage":{"of":{}}}}`, `{"spec":{"storage":{"of":{}}}}`},
		{"v1", "v2", `{"spec":{"size":1}}`, `{"spec":{"storage":{"of":{"size":1}}}}`},
		{"v2", "v1", `{"spec":{"storage":{"of":{"size":1}}}}`, `{"spec":{"size":1}}`},
		{"v2", "v1", `{"spec":{"storage":{"of":{}}}}`, `{"spec":{"storage":{"of":{}}}}`},
	} {
		g := newGuest(t, parse(t, file))
		object := complete(t, c.from, c.object)
		there, _ := g.convert("example.com/"+c.to, object)
		if want := complete(t, c.to, c.converted); normal(t, there, false) != normal(t, want, false) {
			t.Errorf("%s became %s, want %s", c.object, there, want)
		}
		if back, _ := g.convert("example.com/"+c.from, there); normal(t, back, false) != normal(t, object, false) {
			t.Errorf("%s came back as %s, by way of %s", c.object, back, there)
		}
	}
}

// TestStashAlongChain edits, in the last version of a chain, a field on which a stashed value
// depends. The field has another path there than in the version for which the rule is written.
func TestStashAlongChain(t *testing.T) {
	for _, second := range []string{`{rename: spec.host, to: spec.name}`, `{move: spec.host, to: spec.of.name}`, `{wrap: spec.host, to: spec.name}`} {
		g := newGuest(t, parse(t, "kind: Thing\ngroup: example.com\nconversions:\n- {from: v3, to: v2, rules: [{unwrap: spec.hosts, to: spec.host}]}\n- {from: v2, to: v1, rules: ["+second+"]}\n"))
		older, _ := g.convert("example.com/v1", complete(t, "v3", `{"spec":{"hosts":["first","b"]}}`))
		got, _ := g.convert("example.com/v3", older[:strings.Index(older, `"spec"`)]+replace(t, older[strings.Index(older, `"spec"`):], "first", "edited"))
		if want := complete(t, "v3", `{"spec":{"hosts":["edited"]}}`); normal(t, got, true) != normal(t, want, true) {
			t.Errorf("%s: the object became %s, want %s", second, got, want)
		}
	}
}

func parse(t testing.TB, file string) *File {
	t.Helper()
	f, err := Parse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestDeletedMemberStaysDeleted tests that kept values do not bring back spec after a client deleted
// it as a whole, if the other version has fields of rules in spec.
func TestDeletedMemberStaysDeleted(t *testing.T) {
	for _, c := range []struct{ name, rules, from, object, want string }{
		{"a dropped field", "- {rename: spec.a, to: spec.b}\n- {drop: spec.n, in: v2}", "v2", `{"spec":{"b":1,"n":2},"status":{"x":1}}`, `{"status":{"x":1}}`},
		{"an empty object", `- {move: spec.size, to: spec.storage.size}`, "v2", `{"spec":{"storage":{}},"status":{"x":1}}`, `{"status":{"x":1}}`},
		{"a member of one version", `- {drop: spec.n, in: v2}`, "v2", `{"spec":{"n":2}}`, `{"spec":{"n":2}}`},
		{"a member whose fields move", "- {move: spec.a, to: config.a}\n- {drop: config.n, in: v2}\n- {rename: config.b, to: config.c}", "v2", `{"config":{"n":2},"spec":{}}`, `{"config":{"n":2}}`},
	} {
		g := newGuest(t, parse(t, inFile(c.rules)))
		other, _ := g.convert("example.com/v1", complete(t, c.from, c.object))
		var object map[string]any
		if err := json.Unmarshal([]byte(other), &object); err != nil {
			t.Fatal(err)
		}
		delete(object, "spec")
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := g.convert("example.com/"+c.from, string(text))
		if want := complete(t, c.from, c.want); normal(t, got, true) != normal(t, want, true) {
			t.Errorf("%s: %s became %s, want %s", c.name, text, got, want)
		}
	}
}
