package prove

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// holding are rules that the lemmas prove, at least one for each verb.
var holding = []fixture{
	{name: "nothing", specs: []string{`{a: {type: string}}`, `{a: {type: string}}`}, rules: "- {rename: spec.b, to: spec.c}\n", open: place},
	{name: "rename", specs: []string{
		`{colour: {type: string}, size: {type: integer}, rest: {type: object, x-kubernetes-preserve-unknown-fields: true}}`,
		`{color: {type: string}, size: {type: integer}, rest: {type: object, x-kubernetes-preserve-unknown-fields: true}}`},
		rules: "- {rename: spec.colour, to: spec.color}\n"},
	{name: "rename with a default", specs: []string{`{colour: {type: string, default: red}}`, `{color: {type: string, default: red}}`}, rules: "- {rename: spec.colour, to: spec.color}\n"},
	{name: "rename in elements and members", specs: []string{
		`{disks: {type: array, items: {type: object, properties: {sizeGb: {type: integer}, n: {type: string, nullable: true}}}}, zones: {type: object, additionalProperties: {type: object, properties: {colour: {type: string}}}}}`,
		`{disks: {type: array, items: {type: object, properties: {size: {type: integer}, n: {type: string, nullable: true}}}}, zones: {type: object, additionalProperties: {type: object, properties: {color: {type: string}}}}}`},
		rules: "- {rename: 'spec.disks[].sizeGb', to: 'spec.disks[].size'}\n- each: spec.zones\n  map: true\n  rules:\n  - {rename: colour, to: color}\n"},
	{name: "exchange", specs: []string{`{a: {type: string}, b: {type: integer}, c: {type: boolean}}`, `{a: {type: integer}, b: {type: boolean}, c: {type: string}}`},
		rules: "- {rename: spec.a, to: spec.c}\n- {rename: spec.b, to: spec.a}\n- {rename: spec.c, to: spec.b}\n"},
	{name: "move", specs: []string{`{policy: {type: string}, mode: {type: integer}}`, `{rollout: {type: object, properties: {policy: {type: string}, mode: {type: integer}}}}`},
		rules: "- {move: spec.policy, to: spec.rollout.policy}\n- {move: spec.mode, to: spec.rollout.mode}\n"},
	{name: "move between objects of one version", specs: []string{
		`{old: {type: object, properties: {x: {type: object, properties: {a: {type: string}}}, y: {type: string}}}}`,
		`{new: {type: object, properties: {z: {type: string}, deep: {type: object, properties: {w: {type: object, properties: {a: {type: string}}}}}}}}`},
		rules: "- {move: spec.old.x, to: spec.new.deep.w}\n- {move: spec.old.y, to: spec.new.z}\n"},
	{name: "move in elements", specs: []string{
		`{disks: {type: array, items: {type: object, properties: {a: {type: string}, n: {type: integer}}}}}`,
		`{disks: {type: array, items: {type: object, properties: {box: {type: object, required: [b], properties: {b: {type: string}}}, n: {type: integer}}}}}`},
		rules: "- {move: 'spec.disks[].a', to: 'spec.disks[].box.b'}\n"},
	{name: "move with rules for elements", specs: []string{
		`{disks: {type: array, items: {type: object, properties: {sizeGb: {type: integer}}}}}`,
		`{storage: {type: object, properties: {volumes: {type: array, items: {type: object, properties: {size: {type: integer}}}}}}}`},
		rules: "- move: spec.disks\n  to: spec.storage.volumes\n  each:\n  - {rename: sizeGb, to: size}\n"},
	{name: "move with rules for members", specs: []string{
		`{a: {type: object, properties: {x: {type: integer}, y: {type: string}}}}`, `{b: {type: object, properties: {z: {type: integer}, y: {type: string}}}}`},
		rules: "- move: spec.a\n  to: spec.b\n  rules:\n  - {rename: x, to: z}\n"},
	{name: "an integer or a string", specs: []string{`{a: {x-kubernetes-int-or-string: true}, l: {type: array, items: {type: object, properties: {p: {type: integer}}}}}`, `{a: {type: integer}, l: {type: array, items: {type: object, properties: {p: {x-kubernetes-int-or-string: true}}}}}`},
		rules: "- {convert: spec.a, as: [intOrString, integer], unfit: stash}\n- {convert: 'spec.l[].p', as: [integer, intOrString], unfit: stash}\n", limits: []string{edited, refused, refused}},
	{name: "copy", specs: []string{
		`{t: {type: object, properties: {a: {type: string, maxLength: 3}, b: {type: integer}}}}`, `{p: {type: object, properties: {a: {type: string, maxLength: 3}, b: {type: integer}}}, r: {type: object, properties: {a: {type: string, maxLength: 3}, b: {type: integer}}}}`},
		rules: "- {rename: spec.t, to: spec.p}\n- {copy: spec.r, of: spec.p, in: v2}\n"},
	{name: "copy of a field with another place, beside other fields", specs: []string{
		`{url: {type: string, enum: [a, b]}, q: {type: object, properties: {x: {type: integer}}}}`, `{m: {type: object, properties: {url: {type: string, enum: [a, b]}}}, q: {type: object, properties: {x: {type: integer}, url: {type: string, enum: [a, b]}}}}`},
		rules: "- {move: spec.url, to: spec.m.url}\n- {copy: spec.q.url, of: spec.m.url, in: v2, for: [spec.url, spec.q]}\n", limits: []string{edited, edited}},
	{name: "translate", specs: []string{`{policy: {type: string, enum: [keep, delete, Other]}}`, `{onDelete: {type: string, enum: [Retain, Delete, Other]}}`},
		rules: "- {translate: spec.policy, to: spec.onDelete, values: [[keep, Retain], [delete, Delete]]}\n"},
	{name: "translate any text", specs: []string{`{policy: {type: string}}`, `{policy: {type: string}}`}, rules: "- {translate: spec.policy, values: [[keep, Retain], [a, b], [b, a]]}\n"},
	{name: "translate booleans", specs: []string{`{in: {type: object, properties: {on: {type: boolean}}}}`, `{in: {type: object, properties: {mode: {type: string, enum: ["On", "Off"]}}}}`},
		rules: "- {translate: spec.in.on, to: spec.in.mode, values: [[true, 'On'], [false, 'Off']], others: refuse}\n"},
	{name: "translate an absent field", specs: []string{`{port: {type: integer}, l: {type: array, items: {type: object, properties: {on: {type: boolean}}}}}`,
		`{port: {type: integer, default: 179}, l: {type: array, items: {type: object, properties: {mode: {type: string, enum: [A, B, C], default: A}}}}}`},
		rules: "- {translate: spec.port, values: [[absent, 179]]}\n- {translate: 'spec.l[].on', to: 'spec.l[].mode', values: [[absent, A], [true, B], [false, C]], others: refuse}\n"},
	{name: "translate and move", specs: []string{`{policy: {type: string, enum: [keep, Retain]}}`, `{box: {type: object, properties: {p: {type: string, enum: [keep, Retain]}}}}`},
		rules: "- {translate: spec.policy, to: spec.box.p, values: [[keep, Retain]]}\n"},
	{name: "nest", specs: []string{`{host: {type: string}}`, `{target: {type: object, required: [name], properties: {name: {type: string}}}}`}, rules: "- {nest: spec.host, to: spec.target, key: name}\n"},
	{name: "nest with other members", specs: []string{`{host: {type: string}}`, `{target: {type: object, properties: {name: {type: string, maxLength: 100}, port: {type: integer}}}}`},
		rules: "- {nest: spec.host, to: spec.target, key: name, type: string}\n"},
	{name: "nest with a default beside the value", specs: []string{`{host: {type: string}}`, `{target: {type: object, required: [name], properties: {name: {type: string, maxLength: 9}, port: {type: integer, default: 80}}}}`},
		rules: "- {nest: spec.host, to: spec.target, key: name}\n", limits: []string{unset}},
	{name: "unnest elements", specs: []string{`{users: {type: array, items: {type: object, required: [name], properties: {name: {type: string}}}}}`, `{users: {type: array, items: {type: string}}}`},
		rules: "- each: spec.users\n  rules:\n  - {unnest: ., key: name, type: string}\n"},
	{name: "wrap", specs: []string{`{host: {type: object, properties: {a: {type: string}}}}`, `{hosts: {type: array, minItems: 1, maxItems: 1, items: {type: object, properties: {a: {type: string}}}}}`}, rules: "- {wrap: spec.host, to: spec.hosts}\n"},
	{name: "unwrap and keep", specs: []string{`{box: {type: object, properties: {hosts: {type: array, maxItems: 4, items: {type: string, maxLength: 20}}}}}`, `{host: {type: string, maxLength: 20}}`},
		rules: "- {unwrap: spec.box.hosts, to: spec.host, type: string}\n"},
	{name: "drop", specs: []string{`{a: {type: string}, old: {type: integer}}`, `{a: {type: string}, tls: {type: object, properties: {min: {type: string, maxLength: 10}, on: {type: boolean}}}}`},
		rules: "- {drop: spec.tls, in: v2}\n- {drop: spec.old, in: v1}\n"},
	{name: "drop of fields that can be null", specs: []string{`{a: {type: string}, old: {type: integer, nullable: true}}`, `{a: {type: string}, tls: {type: object, nullable: true, properties: {on: {type: boolean, nullable: true}}}}`},
		rules: "- {drop: spec.old, in: v1}\n- {drop: spec.tls, in: v2, for: [spec.a]}\n", limits: []string{edited}},
	{name: "drop in lists and maps", specs: []string{
		`{l: {type: array, items: {type: object, properties: {a: {type: string}, o: {type: boolean}}}}, m: {type: object, additionalProperties: {type: object, properties: {a: {type: string}}}}}`,
		`{l: {type: array, items: {type: object, properties: {b: {type: string}, n: {type: string}}}}, m: {type: object, additionalProperties: {type: object, properties: {a: {type: string}, n: {type: array, items: {type: string}}}}}}`},
		rules:  "- {rename: 'spec.l[].a', to: 'spec.l[].b'}\n- {drop: 'spec.l[].n', in: v2}\n- {drop: 'spec.l[].o', in: v1}\n- {drop: 'spec.m.*.n', in: v2}\n",
		limits: []string{edited, edited, edited, refused, refused}},
	{name: "drop in a moved list", specs: []string{
		`{disks: {type: array, items: {type: object, properties: {sizeGb: {type: integer}, n: {type: integer}}}}}`,
		`{storage: {type: object, properties: {volumes: {type: array, items: {type: object, properties: {size: {type: integer}}}}}}}`},
		rules: "- move: spec.disks\n  to: spec.storage.volumes\n  each:\n  - {rename: sizeGb, to: size}\n  - {drop: n, in: v1}\n", limits: []string{edited, refused}},
	{name: "drop for an object", specs: []string{`{in: {type: object, properties: {b: {type: string}}}}`, `{in: {type: object, properties: {b: {type: string}, n: {type: number, default: 1}}}}`},
		rules: "- {drop: spec.in.n, in: v2, for: [spec.in]}\n", limits: []string{edited, unset}},
	{name: "drop beside moves", specs: []string{`{a: {type: string}}`, `{box: {type: object, properties: {a: {type: string}, n: {type: string}}}}`},
		rules: "- {move: spec.a, to: spec.box.a}\n- {drop: spec.box.n, in: v2}\n", limits: []string{refused}},
	{name: "shared", shared: "[spec.box]", specs: []string{`{a: {type: integer}, box: {type: object, properties: {x: {type: string}}}}`, `{box: {type: object, properties: {a: {type: integer}, x: {type: string}}}}`},
		rules: "- {move: spec.a, to: spec.box.a}\n"},
	{name: "shared by its rules", specs: []string{`{a: {type: integer}, box: {type: object, properties: {x: {type: string}}}}`, `{box: {type: object, properties: {a: {type: integer}, y: {type: string}}}}`},
		rules: "- {move: spec.a, to: spec.box.a}\n- {rename: spec.box.x, to: spec.box.y}\n"},
	{name: "shared both ways", specs: []string{`{a: {type: integer}, box: {type: object, properties: {y: {type: integer}}}}`, `{y: {type: integer}, box: {type: object, properties: {a: {type: integer}}}}`},
		rules: "- {move: spec.a, to: spec.box.a}\n- {move: spec.box.y, to: spec.y}\n"},
	{name: "shared in elements", specs: []string{`{l: {type: array, items: {type: object, properties: {a: {type: integer}, box: {type: object, properties: {x: {type: string}}}}}}}`,
		`{l: {type: array, items: {type: object, properties: {box: {type: object, properties: {b: {type: integer}, y: {type: string}}}}}}}`},
		rules: "- {move: 'spec.l[].a', to: 'spec.l[].box.b'}\n- {rename: 'spec.l[].box.x', to: 'spec.l[].box.y'}\n", limits: []string{edited, refused}},
	{name: "different defaults of a field that is always there", specs: []string{
		`{old: {type: string}, l: {type: array, items: {type: object, required: [n], properties: {n: {type: string}, m: {type: integer, default: 1}}}}}`,
		`{new: {type: string}, l: {type: array, items: {type: object, properties: {n: {type: string, default: ""}, m: {type: integer, default: 2}}}}}`}, rules: "- {rename: spec.old, to: spec.new}\n"},
	{name: "drop in objects", whole: true, specs: []string{
		`{type: object, properties: {spec: {type: object, required: [in], properties: {in: {type: object, properties: {b: {type: string}}}}}}}`,
		`{type: object, properties: {spec: {type: object, required: [in], properties: {in: {type: object, properties: {b: {type: string}, n: {type: number, default: 1}}}}}}}`}, rules: "- {drop: spec.in.n, in: v2}\n", limits: []string{unset}},
	{name: "split into an object", lossy: "lossy:\n- {from: v1, to: v2, path: spec.s, reason: x}\n- {from: v2, to: v1, path: spec.s.*, reason: x}\n- {from: v2, to: v1, path: spec.box.t.*, reason: x}\n- {from: v1, to: v2, path: spec.t, reason: x}\n",
		specs: []string{`{s: {type: string}, t: {type: string}}`, `{s: {type: object, properties: {a: {type: string}, b: {type: string}}}, box: {type: object, properties: {t: {type: object, properties: {a: {type: string}, b: {type: string}, c: {type: integer}}}}}}`},
		rules: "- {split: spec.s, to: [spec.s.a, spec.s.b], words: true, absent: '*'}\n- {split: spec.t, to: [spec.box.t.a, spec.box.t.b], separator: ':', absent: '-'}\n", limits: []string{refused, refused, refused, refused, refused, refused}},
	{name: "convert texts", lossy: "lossy:\n- {from: v1, to: v2, path: spec.*, reason: x}\n- {from: v2, to: v1, path: spec.*, reason: x}\n", specs: []string{
		`{n: {type: string, maxLength: 30}, on: {type: boolean}, t: {type: string, enum: [90s, 1m30s, "0", 1500ms, 2h]}, q: {type: string, enum: [1Gi, 1024Mi, "5", 1500m, 1e3, "0"]}, d: {type: string, enum: [90s, 1m, 1ns, "0"]}}`,
		`{n: {type: integer}, flag: {type: string}, box: {type: object, properties: {s: {type: integer}}}, mi: {type: integer}, d: {type: string, enum: ["90", 1m, 1n, "0", 1k]}}`},
		rules:  "- {convert: spec.n, as: [string, integer]}\n- {convert: spec.on, to: spec.flag, as: [boolean, string]}\n- {convert: spec.t, to: spec.box.s, as: [duration, s]}\n- {convert: spec.q, to: spec.mi, as: [quantity, Mi]}\n- {convert: spec.d, as: [duration, quantity]}\n",
		limits: slices.Repeat([]string{refused}, 6)},
	{name: "convert what fits", specs: []string{`{n: {type: string, maxLength: 30}, t: {type: string, maxLength: 30}, l: {type: array, maxItems: 3, items: {type: string, maxLength: 30}}, s: {type: string, maxLength: 30}}`,
		`{n: {type: integer}, s: {type: integer}, l: {type: string, maxLength: 30}, a: {type: string, maxLength: 30}, b: {type: string, maxLength: 30}}`},
		rules: "- {convert: spec.n, as: [string, integer], unfit: stash}\n- {convert: spec.t, to: spec.s, as: [duration, s], unfit: stash}\n- {joinList: spec.l, separator: ',', unfit: stash}\n- {split: spec.s, to: [spec.a, spec.b], separator: ':', unfit: stash}\n"},
	{name: "convert units", lossy: "lossy:\n- {from: v1, to: v2, path: spec.*, reason: x}\n- {from: v2, to: v1, path: spec.*, reason: x}\n", specs: []string{
		`{gb: {type: integer}, l: {type: array, items: {type: object, properties: {min: {type: integer}}}}}`, `{mi: {type: integer}, l: {type: array, items: {type: object, properties: {s: {type: integer}}}}}`},
		rules: "- {convert: spec.gb, to: spec.mi, as: [Gi, Mi]}\n- {convert: 'spec.l[].min', to: 'spec.l[].s', as: [min, s]}\n", limits: []string{edited, edited, refused, refused, refused, refused, refused, refused}},
	{name: "convert another type", open: place, lossy: "lossy:\n- {from: v1, to: v2, path: spec.n, reason: x}\n", specs: []string{`{n: {type: string}}`, `{n: {type: number}}`}, rules: "- {convert: spec.n, as: [string, integer]}\n"},
	{name: "three versions", specs: []string{`{a: {type: string}, x: {type: integer}}`, `{b: {type: string}, x: {type: integer}}`, `{c: {type: string}, y: {type: integer}}`},
		rules: "- {rename: spec.a, to: spec.b}\n---\n- {rename: spec.b, to: spec.c}\n- {rename: spec.x, to: spec.y}\n"},
	{name: "three versions, of which two are alike", specs: []string{`{a: {type: string, description: x}, n: {type: integer}, host: {type: string}}`, `{a: {type: string}, n: {type: integer}, host: {type: string}}`,
		`{a: {type: string}, t: {type: object, required: [name], properties: {name: {type: string}}}, l: {type: array, items: {type: string, maxLength: 9}, maxItems: 9}}`},
		rules: "---\n- {drop: spec.n, in: v2}\n- {nest: spec.host, to: spec.t, key: name}\n- {drop: spec.l, in: v3}\n", limits: []string{twin, twin}},
	{name: "four versions, of which two and two are alike", specs: []string{`{a: {type: string}, n: {type: integer}}`, `{a: {type: string}, n: {type: integer}}`, `{b: {type: string}}`, `{b: {type: string}}`},
		rules: "---\n- {drop: spec.n, in: v2}\n- {rename: spec.a, to: spec.b}\n---\n", limits: []string{twin}},
	{name: "three versions with a shared object", specs: []string{`{a: {type: string}, k: {type: string, enum: [x, y]}, box: {type: object, properties: {n: {type: integer}}}}`,
		`{a: {type: string}, box: {type: object, properties: {n: {type: integer}, k: {type: string, enum: [X, Y]}}}}`,
		`{b: {type: string}, box: {type: object, properties: {n: {type: integer}, k: {type: string, enum: [X, Y, Z]}}}}`}, shared: "[spec.box]",
		rules: "- {translate: spec.k, to: spec.box.k, values: [[x, X], [y, Y]]}\n---\n- {rename: spec.a, to: spec.b}\n"},
}

// enough is how many objects test each lemma: fuzz finds the loss of each of the losing rules within
// 356 objects, and of all but one within 119. make attack tests with 100,000.
const enough = 1000

// objects is how many objects test each lemma: LEMMA_OBJECTS for more.
func objects(otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv("LEMMA_OBJECTS")); err == nil {
		return n
	}
	return otherwise
}

// TestLemmas converts objects by rules that are proved: none loses anything.
func TestLemmas(t *testing.T) {
	count := objects(enough)
	if testing.Short() {
		count = objects(120) // which show the losses of all losing rules but one
	}
	for _, f := range slices.Concat(holding, holdingLists, holdingTexts) {
		t.Run(f.name, func(t *testing.T) {
			file, d := f.parsed(t)
			found := Decide(file, d)
			switch {
			case f.open != "":
				if len(found.Open) == 0 || found.Open[0].Condition != string(f.open) {
					t.Errorf("%v", found.Open)
				}
				return
			case len(found.Open) > 0:
				t.Fatalf("open: %v", found.Open)
			case len(found.Applied) == 0:
				t.Error("no lemma was applied")
			}
			var limits []string
			for _, l := range found.Limits {
				limits = append(limits, l.Limit)
			}
			if slices.Sort(limits); !slices.Equal(limits, f.limits) {
				t.Errorf("limits: %v", found.Limits)
			}
			for _, text := range unstated(t, found, file, f.crd(t), count) {
				t.Errorf("proved, and loses: %s", text)
			}
		})
	}
}

// losing are rules that lose something, each because of one condition.
var losing = []fixture{
	{open: known, specs: []string{`{n: {type: integer}}`, `{n: {type: integer}}`}, rules: "- {convert: spec.n, as: [s, min], inexact: round}\n",
		lossy: "lossy:\n- {from: v1, to: v2, path: spec.*, reason: x}\n- {from: v2, to: v1, path: spec.*, reason: x}\n"},
	{open: known, specs: []string{`{n: {type: string, enum: ["0.12345678901234567890"]}}`, `{n: {type: number}}`}, rules: "- {convert: spec.n, as: [string, number]}\n",
		lossy: "lossy:\n- {from: v1, to: v2, path: spec.*, reason: x}\n", lossless: true}, // an API server writes 0.12345678901234568; the stash keeps the text
	{open: shape, specs: []string{`{colour: {type: string}, mode: {type: string}}`, `{color: {type: string}, mode: {type: string}}`},
		rules: "- {rename: spec.colour, to: spec.color, when: {path: spec.mode, equals: x}}\n"},
	{open: direct, specs: []string{`{x: {type: string, enum: [a]}}`, `{x: {type: string, enum: [d]}}`, `{x: {type: string, enum: [b]}}`},
		rules: "- {translate: spec.x, values: [[a, b]]}\n---\n- {translate: spec.x, values: [[d, b]]}\n"},
	{open: direct, shared: "[spec.o]", specs: []string{`{a: {type: integer}, o: {type: object, properties: {x: {type: integer}}}}`, `{o: {type: object, properties: {a: {type: integer}, x: {type: integer}}}}`,
		`{b: {type: integer}, o: {type: object, properties: {x: {type: integer}}}}`}, rules: "- {move: spec.a, to: spec.o.a}\n---\n- {move: spec.o.a, to: spec.b}\n", lossless: true},
	{open: direct, specs: []string{`{o: {type: object, properties: {a: {type: string}}}}`, `{o: {type: object, required: [b], properties: {b: {type: string}}}}`, `{b: {type: string}}`},
		rules: "- {rename: spec.o.a, to: spec.o.b}\n---\n- {move: spec.o.b, to: spec.b}\n"},
	{open: direct, specs: []string{`{o: {type: object, properties: {b: {type: string}}}}`, `{o: {type: object, required: [b], properties: {b: {type: string}}}}`, `{b: {type: string}}`},
		rules: "---\n- {move: spec.o.b, to: spec.b}\n", lossless: true}, // not the same schema
	{open: one, specs: []string{`{a: {type: object, properties: {x: {type: integer}, y: {type: integer}}}}`, `{b: {type: object, properties: {x: {type: integer}, y: {type: integer}}}}`},
		rules: "- {rename: spec.a, to: spec.b}\n- {drop: spec.a.x, in: v1}\n"},
	{open: vacant, specs: []string{`{colour: {type: string}, color: {type: string}}`, `{color: {type: string}}`}, rules: "- {rename: spec.colour, to: spec.color}\n"},
	{open: field, specs: []string{`{a: {type: string}}`, `{b: {type: string}, c: {type: integer}}`}, rules: "- {rename: spec.a, to: spec.b}\n"},
	{open: shape, specs: []string{`{a: {type: object, properties: {x: {type: string}, y: {type: string}}}}`, `{b: {type: object, properties: {x: {type: string}}}}`}, rules: "- {rename: spec.a, to: spec.b}\n"},
	{open: null, specs: []string{`{a: {type: string, nullable: true}, z: {type: integer, default: 1}}`, `{b: {type: string}, z: {type: integer, default: 1}}`}, rules: "- {rename: spec.a, to: spec.b}\n"},
	{open: defaults, specs: []string{`{a: {type: string}}`, `{b: {type: string, default: x}}`}, rules: "- {rename: spec.a, to: spec.b}\n"},
	{open: defaults, specs: []string{`{a: {type: string, default: x}}`, `{box: {type: object, properties: {b: {type: string, default: x}, }}}`}, rules: "- {move: spec.a, to: spec.box.b}\n"},
	{open: defaults, shared: "[spec.box]", specs: []string{`{a: {type: integer}, box: {type: object, properties: {z: {type: boolean, default: true}}}}`,
		`{box: {type: object, properties: {a: {type: integer}, z: {type: boolean, default: true}}}}`}, rules: "- {move: spec.a, to: spec.box.a}\n"},
	{open: defaults, specs: []string{`{b: {type: integer, default: 3}}`, `{b: {type: integer, default: 3}, n: {type: integer}}`}, rules: "- {drop: spec.n, in: v2}\n"},
	{open: stays, specs: []string{`{b: {type: integer}, in: {type: object, properties: {old: {type: object, properties: {x: {type: string}}}}}}`,
		`{in: {type: object, properties: {new: {type: object, properties: {deep: {type: object, properties: {y: {type: string}}}}}}}}`}, rules: "- {drop: spec.b, in: v1}\n- {move: spec.in.old.x, to: spec.in.new.deep.y}\n"},
	{open: unknown, whole: true, specs: []string{
		`{type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}}}`,
		`{type: object, properties: {spec: {type: object, properties: {b: {type: string}}}}}`}, rules: "- {rename: spec.a, to: spec.b}\n"},
	{open: around, shared: "[spec.box]", specs: []string{`{a: {type: integer}}`, `{box: {type: object, properties: {a: {type: integer}}}}`}, rules: "- {move: spec.a, to: spec.box.a}\n"},
	{open: around, specs: []string{`{a: {type: integer}, box: {type: object, properties: {y: {type: integer}}}}`, `{box: {type: object, properties: {a: {type: integer}, y: {type: integer}}}}`},
		rules: "- {move: spec.a, to: spec.box.a}\n", lossless: true},
	{open: partner, specs: []string{`{p: {type: string, enum: [a, b, c]}}`, `{p: {type: string, enum: [x, y]}}`}, rules: "- {translate: spec.p, values: [[a, x], [b, y]], others: refuse}\n"},
	{open: partner, specs: []string{`{p: {type: boolean}}`, `{p: {type: string, enum: [x, y, z]}}`}, rules: "- {translate: spec.p, values: [[true, x], [false, y]]}\n"},
	{open: partner, specs: []string{`{p: {type: integer}}`, `{p: {type: integer}}`}, rules: "- {translate: spec.p, values: [[absent, 1]]}\n"},
	{open: partner, specs: []string{`{b: {type: string}, o: {type: object, properties: {p: {type: integer}}}}`, `{o: {type: object, required: [p], properties: {b: {type: string}, p: {type: integer}}}}`},
		shared: "[spec.o]", rules: "- {translate: spec.o.p, values: [[absent, 1]]}\n- {move: spec.b, to: spec.o.b}\n", lossless: true},
	{open: partner, specs: []string{`{n: {type: integer}}`, `{n: {type: integer}}`}, rules: "- {convert: spec.n, as: [G, Mi]}\n",
		lossy: "lossy:\n- {from: v1, to: v2, path: spec.*, reason: x}\n- {from: v2, to: v1, path: spec.*, reason: x}\n"},
	{open: accepted, specs: []string{`{n: {type: string}}`, `{n: {type: integer}}`}, rules: "- {convert: spec.n, as: [string, integer]}\n"},
	{open: defaults, specs: []string{`{n: {type: string, enum: ["007"], default: "007"}}`, `{n: {type: integer}}`}, rules: "- {convert: spec.n, as: [string, integer]}\n",
		lossy: "lossy:\n- {from: v1, to: v2, path: spec.*, reason: x}\n"},
	{open: kept, specs: []string{`{a: {type: string}}`, `{a: {type: string}, n: {type: integer}}`}, rules: "- {drop: spec.n, in: v2, stash: false}\n"},
	{open: kept, specs: []string{`{a: {type: string}, c: {type: string}}`, `{a: {type: string}, c: {type: string}, n: {type: integer}}`}, rules: "- {drop: spec.n, in: v2, for: [spec.zz]}\n", lossless: true},
	{open: shape, specs: []string{`{t: {type: object, properties: {a: {type: integer}, b: {type: integer}}}}`, `{p: {type: object, properties: {a: {type: integer}, b: {type: integer}}}, r: {type: object, properties: {a: {type: integer}}}}`},
		rules: "- {rename: spec.t, to: spec.p}\n- {copy: spec.r, of: spec.p, in: v2}\n", lossless: true}, // the values differ then, and the stash keeps that of r
	{open: known, specs: []string{`{t: {type: string, enum: ["90m", "1h30m0s", "1s"]}}`, `{p: {type: string, enum: ["90m", "1h30m0s", "1s"]}, r: {type: string, enum: ["90m", "1h30m0s", "1s"]}}`},
		rules: "- {translate: spec.t, to: spec.p, values: [[\"1s\", \"90m\"]]}\n- {copy: spec.r, of: spec.p, in: v2}\n"},
	{open: accepted, specs: []string{`{s: {type: string}}`, `{s: {type: object, properties: {a: {type: string}, b: {type: string}}}}`}, rules: "- {split: spec.s, to: [spec.s.a, spec.s.b], words: true, absent: '*'}\n"},
	{open: outside, specs: []string{`{l: {type: array, items: {type: object, properties: {a: {type: string}}}}, c: {type: string}}`, `{l: {type: array, items: {type: object, properties: {a: {type: string}, n: {type: integer}}}}, c: {type: string}}`},
		rules: "- {drop: 'spec.l[].n', in: v2, for: [spec.c]}\n", lossless: true}, // TestOutside
}

// TestConditions tests that each side condition is needed, and alone: the rules lose something, and
// without the condition they would be proved. A test of -short does not look for the losses, which belong
// to the table: crosswalk fuzz finds them, and has tests of its own.
func TestConditions(t *testing.T) {
	seen := map[condition]bool{place: true, top: true} // without them there is no proof to fail
	for _, f := range slices.Concat(losing, losingLists, losingPairs, losingTexts) {
		seen[f.open] = true
		f.name = strings.TrimPrefix(f.name+" "+string(f.open), " ")
		t.Run(f.name, func(t *testing.T) {
			file, d := f.parsed(t)
			found := Decide(file, d)
			if got := listed(found.Open); len(got) != 1 || got[0] != string(f.open) {
				t.Errorf("open: %v", found.Open)
			}
			if mutant := decide(file, d, f.open); len(mutant.Open) > 0 {
				t.Errorf("without the condition: %v", mutant.Open)
			}
			if !f.lossless && !testing.Short() && len(losses(t, file, f.crd(t), enough, false)) == 0 {
				t.Error("fuzz finds no loss: the condition is not needed")
			}
		})
	}
	for _, c := range conditions {
		if !seen[c] {
			t.Errorf("no rules lose something because of %s", c)
		}
	}
}
