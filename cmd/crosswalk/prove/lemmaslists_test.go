package prove

// holdingLists are rules that the lemmas prove, for lists, maps, tables and conditions.
var holdingLists = []fixture{
	{name: "split into a list", lossy: "lossy:\n- {from: v2, to: v1, path: 'spec.z.*', reason: x}\n", specs: []string{`{z: {type: string}, y: {type: string, maxLength: 9}}`,
		`{z: {type: array, items: {type: string}}, box: {type: object, properties: {y: {type: array, items: {type: string, enum: [a, b, " "]}}}}}`},
		rules: "- {splitList: spec.z, separator: ','}\n- {splitList: spec.y, to: spec.box.y, separator: ';'}\n", limits: []string{refused}},
	{name: "split into a list, in elements", lossy: "lossy:\n- {from: v1, to: v2, path: 'spec.l.*', reason: x}\n", specs: []string{`{l: {type: array, items: {type: object, properties: {a: {type: array, items: {type: string}}}}}}`,
		`{l: {type: array, items: {type: object, properties: {b: {type: string}}}}}`}, rules: "- {joinList: 'spec.l[].a', to: 'spec.l[].b', separator: ' '}\n", limits: []string{refused}},
	{name: "list from map", specs: []string{`{m: {type: object, additionalProperties: {type: string, maxLength: 9}}, n: {type: object, additionalProperties: {type: object, properties: {x: {type: integer}}}}}`,
		`{m: {type: array, maxItems: 9, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, required: [name, value], properties: {name: {type: string, maxLength: 9}, value: {type: string, maxLength: 9}}}},
		box: {type: object, properties: {n: {type: array, maxItems: 9, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id], items: {type: object, required: [id], properties: {id: {type: string, maxLength: 9}, x: {type: integer}}}}}}}`},
		rules: "- {listFromMap: spec.m, key: name, value: value}\n- {listFromMap: spec.n, to: spec.box.n, key: id}\n"},
	{name: "map from list, of any elements", lossy: "lossy:\n- {from: v1, to: v2, path: 'spec.m.*', reason: x}\n", specs: []string{`{m: {type: array, items: {type: object, properties: {k: {type: string}, v: {type: boolean}}}}}`,
		`{m: {type: object, additionalProperties: {type: boolean}}}`}, rules: "- {mapFromList: spec.m, key: k, value: v}\n", limits: []string{refused, refused, refused}},
	{name: "list from map in elements", lossy: "lossy:\n- {from: v2, to: v1, path: 'spec.l.*', reason: x}\n", specs: []string{`{l: {type: array, items: {type: object, properties: {m: {type: object, additionalProperties: {type: string}}}}}}`,
		`{l: {type: array, items: {type: object, properties: {m: {type: array, items: {type: object, required: [k, v], properties: {k: {type: string}, v: {type: string}}}}}}}}`},
		rules: "- {listFromMap: 'spec.l[].m', key: k, value: v}\n", limits: []string{edited, refused, refused}},
	{name: "keys", lossy: "lossy:\n- {from: v1, to: v2, path: spec.*, reason: x}\n- {from: v2, to: v1, path: spec.*, reason: x}\n", specs: []string{
		`{m: {type: object, additionalProperties: {type: integer}}, n: {type: object, additionalProperties: {type: object, properties: {x: {type: string}}}}}`,
		`{m: {type: object, additionalProperties: {type: integer}}, p: {type: object, additionalProperties: {type: object, properties: {x: {type: string}}}}}`},
		rules:  "- {renameKeys: spec.m, values: [[a, b], [b, a], [c, d]]}\n- {renameKeys: spec.n, to: spec.p, values: [[x/, y/], [z, z/]], prefix: true}\n",
		limits: []string{edited, edited, edited, edited, refused, refused, refused, refused}},
	{name: "skip", specs: []string{`{l: {type: array, maxItems: 9, items: {type: object, properties: {a: {type: string, maxLength: 9}, k: {type: string, enum: [x, y]}}}}}`,
		`{l: {type: array, items: {type: object, properties: {b: {type: string}, k: {type: string, enum: [x, y]}}}}}`},
		rules: "- skip: spec.l\n  in: v1\n  where: {path: k, equals: y}\n  each:\n  - {rename: a, to: b}\n", limits: []string{edited, edited, refused}},
	{name: "skip, of elements that an edit makes again", whole: true, specs: []string{
		`{type: object, properties: {status: {type: object, properties: {f: {type: object, properties: {l: {type: array, maxItems: 6, items: {type: object, properties: {k: {type: string, enum: [a, b]}, m: {type: integer}}}}}}}}}}`,
		`{type: object, properties: {status: {type: object, properties: {f: {type: object, properties: {l: {type: array, maxItems: 6, items: {type: object, properties: {k: {type: string, enum: [a, b]}, n: {type: integer}}}}}}}}}}`},
		rules: "- skip: status.f.l\n  in: v1\n  where: {path: k, exists: true}\n  each:\n  - {rename: m, to: n}\n", limits: []string{edited, edited}},
	{name: "skip, with kept values of elements", specs: []string{`{l: {type: array, maxItems: 9, items: {type: object, properties: {a: {type: string, maxLength: 9}, n: {type: integer}}}}}`,
		`{l: {type: array, items: {type: object, properties: {o: {type: object, required: [k], properties: {k: {type: string, maxLength: 9}, z: {type: integer}}}}}}}`},
		rules: "- skip: spec.l\n  in: v1\n  where: {path: n, exists: true}\n  each:\n  - {nest: a, to: o, key: k}\n  - {drop: n, in: v1}\n", limits: []string{edited, edited, edited, edited, refused, refused}},
	{name: "nest beside dropped fields", specs: []string{`{l: {type: array, maxItems: 9, items: {type: object, required: [key], properties: {key: {type: string, maxLength: 9}, s: {type: string, default: D}}}}, h: {type: string, maxLength: 9}}`,
		`{l: {type: array, maxItems: 9, items: {type: object, properties: {extract: {type: object, required: [key], properties: {key: {type: string, maxLength: 9}, s: {type: string, default: D}, m: {type: string, enum: [x], default: x}}}, find: {type: object, properties: {n: {type: integer}}}}}},
		t: {type: object, required: [h], properties: {h: {type: string, maxLength: 9}, z: {type: integer}}}}`},
		rules: "- skip: spec.l\n  in: v2\n  where: {path: extract, exists: false}\n  each:\n  - {nest: ., key: extract}\n  - {drop: extract.m, in: v2}\n  - {drop: find, in: v2}\n" +
			"- {nest: spec.h, to: spec.t, key: h}\n- {drop: spec.t.z, in: v2, for: [spec.h]}\n", limits: []string{edited, edited, edited, refused, unset}},
	{name: "merge", specs: []string{`{p: {type: string, enum: [a, b, c, d]}, o: {type: string, enum: [keep]}}`, `{q: {type: string, enum: [x, y, c]}, o: {type: string, enum: [Keep, Drop], default: Keep}}`},
		rules: "- {translate: spec.p, to: spec.q, merge: true, values: [[a, x], [b, x], [c, y]]}\n- {translate: spec.o, merge: true, values: [[keep, Keep], [absent, Keep]]}\n"},
	{name: "merge, of a value that is in the other version", specs: []string{`{p: {type: string, enum: [a, b]}}`, `{p: {type: string, enum: [x, b]}}`}, rules: "- {translate: spec.p, merge: true, values: [[a, x], [b, x]]}\n"},
	{name: "three versions, of which one with a default of a dropped field has a twin", specs: []string{`{a: {type: string, maxLength: 9}, c: {type: string}}`, `{b: {type: boolean, default: true}, c: {type: string}}`, `{b: {type: boolean, default: true}, c: {type: string}}`},
		rules: "- {drop: spec.a, in: v1}\n- {drop: spec.b, in: v2, for: [spec]}\n---\n", limits: []string{edited, twin, twin, unset}},
	{name: "API groups", lossy: "lossy:\n- {from: v1, to: v2, path: spec.to.version, reason: x}\n- {from: v1, to: v2, path: spec.ref.apiVersion, reason: x}\n- {from: v2, to: v1, path: spec.to.group, reason: x}\n", specs: []string{
		`{ref: {type: object, properties: {apiVersion: {type: string, enum: [apps/v1, apps/v2, v1, x/v1, bad/]}}}, to: {type: object, properties: {version: {type: string, enum: [apps/v1]}}}}`,
		`{ref: {type: object, properties: {apiGroup: {type: string, enum: [apps, x]}}}, to: {type: object, properties: {group: {type: string}}}}`},
		rules: "- {convert: spec.ref.apiVersion, to: spec.ref.apiGroup, as: [apiVersion, apiGroup], versions: [[apps, v1], [x, v2], ['', v1]]}\n" +
			"- {convert: spec.to.version, to: spec.to.group, as: [apiVersion, apiGroup], versions: [[apps, v1]]}\n", limits: []string{refused, refused, refused, refused}},
	{name: "split into fields", lossy: "lossy:\n- {from: v1, to: v2, path: spec.image, reason: x}\n- {from: v2, to: v1, path: spec.name, reason: x}\n", specs: []string{
		`{image: {type: string}}`, `{name: {type: string, maxLength: 9}, tag: {type: string, enum: [a, "1.2", "x y"]}}`},
		rules: "- {split: spec.image, to: [spec.name, spec.tag], separator: ':', at: last}\n", limits: []string{refused}},
	{name: "split into fields, in elements", lossy: "lossy:\n- {from: v1, to: v2, path: 'spec.*', reason: x}\n- {from: v2, to: v1, path: 'spec.*', reason: x}\n", specs: []string{
		`{l: {type: array, items: {type: object, properties: {s: {type: string, enum: ["a:b:c", "a:b", ":", "::", a]}}}}}`,
		`{l: {type: array, items: {type: object, properties: {a: {type: string, maxLength: 3}, b: {type: string, maxLength: 3}, c: {type: string, maxLength: 3}}}}}`},
		rules: "- {split: 'spec.l[].s', to: ['spec.l[].a', 'spec.l[].b', 'spec.l[].c'], separator: ':'}\n", limits: []string{edited, refused, refused, refused}},
	{name: "conditions", specs: []string{`{type: {type: string, enum: [disk, http, none]}, path: {type: string, maxLength: 9}}`,
		`{type: {type: string, enum: [disk, http, none]}, file: {type: string, maxLength: 9}, url: {type: string, maxLength: 9}}`},
		rules: "- {rename: spec.path, to: spec.file, when: {path: spec.type, equals: disk}}\n- {rename: spec.path, to: spec.url, when: {path: spec.type, in: [http]}}\n" +
			"- {drop: spec.path, in: v1, when: {path: spec.type, in: [disk, http], not: true}, for: [spec.type]}\n- {drop: spec.file, in: v2, when: {path: spec.type, equals: disk, not: true}, for: [spec.type]}\n" +
			"- {drop: spec.url, in: v2, when: {path: spec.type, equals: http, not: true}, for: [spec.type]}\n", limits: []string{edited, edited}},
	{name: "a condition for an exchange of names, of two", specs: []string{`{on: {type: boolean}, n: {type: integer}, a: {type: string}, b: {type: string}}`, `{on: {type: boolean}, n: {type: integer}, c: {type: string}, b: {type: string}}`},
		rules: "- {rename: spec.a, to: spec.c, when: [{path: spec.on, exists: true}, {path: spec.n, equals: 5}]}\n- {drop: spec.a, in: v1, for: [spec.on, spec.n], when: {path: spec.on, exists: false}}\n" +
			"- {drop: spec.c, in: v2, for: [spec.on, spec.n], when: {path: spec.on, exists: false}}\n- {drop: spec.a, in: v1, for: [spec.on, spec.n], when: [{path: spec.on, exists: true}, {path: spec.n, equals: 5, not: true}]}\n" +
			"- {drop: spec.c, in: v2, for: [spec.on, spec.n], when: [{path: spec.on, exists: true}, {path: spec.n, equals: 5, not: true}]}\n", limits: []string{edited, edited, edited, edited, refused, refused}},
	{name: "defaults of whole objects", specs: []string{`{o: {type: object, default: {colour: red, n: 1}, properties: {colour: {type: string}, n: {type: integer}}}}`, `{o: {type: object, default: {color: blue}, properties: {color: {type: string}, n: {type: integer}}}}`},
		rules: "- {rename: spec.o.colour, to: spec.o.color}\n"},
	{name: "a default of a required object", whole: true, specs: []string{`{type: object, properties: {spec: {type: object, required: [o], properties: {o: {type: object, properties: {colour: {type: string}}}}}}}`,
		`{type: object, properties: {spec: {type: object, properties: {o: {type: object, default: {color: blue}, properties: {color: {type: string}}}}}}}`}, rules: "- {rename: spec.o.colour, to: spec.o.color}\n"},
	{name: "defaults of values that change", lossy: "lossy:\n- {from: v1, to: v2, path: spec.*, reason: x}\n- {from: v2, to: v1, path: spec.*, reason: x}\n", specs: []string{
		`{p: {type: string, enum: [a, b], default: a}, l: {type: array, items: {type: object, required: [t], properties: {t: {type: string, enum: [90s, 1m30s]}}}}}`,
		`{q: {type: string, enum: [x, y], default: y}, l: {type: array, items: {type: object, properties: {s: {type: integer, default: 5}}}}}`},
		rules: "- {translate: spec.p, to: spec.q, values: [[a, x], [b, y]]}\n- {convert: 'spec.l[].t', to: 'spec.l[].s', as: [duration, s]}\n", limits: []string{edited, refused, refused, refused}},
	{name: "a move of a default between objects that are always there", shared: "[spec.from, spec.to]", specs: []string{
		`{from: {type: object, default: {}, properties: {e: {type: string, default: x}, k: {type: integer, default: 4}}}, to: {type: object, default: {m: 1}, properties: {m: {type: integer, default: 2}}}}`,
		`{from: {type: object, default: {k: 3}, properties: {k: {type: integer, default: 5}}}, to: {type: object, default: {}, properties: {e: {type: string, default: y}, m: {type: integer, default: 3}}}}`},
		rules: "- {move: spec.from.e, to: spec.to.e}\n"},
	{name: "a move of a default into a required object", whole: true, specs: []string{`{type: object, properties: {spec: {type: object, required: [e], properties: {e: {type: boolean}}}}}`,
		`{type: object, properties: {spec: {type: object, required: [box], properties: {box: {type: object, properties: {e: {type: boolean, default: true}}}}}}}`}, rules: "- {move: spec.e, to: spec.box.e}\n"},
	{name: "a required field with another name, of which the other version sets a default", whole: true, specs: []string{`{type: object, properties: {spec: {type: object, required: [a], properties: {a: {type: string}}}}}`,
		`{type: object, properties: {spec: {type: object, properties: {b: {type: string, default: x}}}}}`}, rules: "- {rename: spec.a, to: spec.b}\n"},
}

// losingLists are rules that lose something, each because of one condition, like losing.
var losingLists = []fixture{
	{open: known, specs: []string{`{z: {type: string}}`, `{z: {type: array, items: {type: string}}}`}, rules: "- {splitList: spec.z, separator: '::'}\n",
		lossy: "lossy:\n- {from: v2, to: v1, path: spec.*, reason: x}\n", lossless: true}, // refused
	{open: accepted, specs: []string{`{z: {type: string}}`, `{z: {type: array, items: {type: string}}}`}, rules: "- {splitList: spec.z, separator: ','}\n"},
	{open: accepted, specs: []string{`{m: {type: object, additionalProperties: {type: string}}}`, `{m: {type: array, items: {type: object, required: [k, v], properties: {k: {type: string}, v: {type: string}}}}}`}, rules: "- {listFromMap: spec.m, key: k, value: v}\n"},
	{open: accepted, specs: []string{`{m: {type: object, additionalProperties: {type: string}}}`, `{m: {type: object, additionalProperties: {type: string}}}`}, rules: "- {renameKeys: spec.m, values: [[a, b]]}\n", lossy: "lossy:\n- {from: v1, to: v2, path: spec.m.*, reason: x}\n"},
	{open: null, specs: []string{`{m: {type: object, additionalProperties: {type: string, nullable: true}}}`, `{m: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k, v], properties: {k: {type: string}, v: {type: string, nullable: true}}}}}`},
		rules: "- {listFromMap: spec.m, key: k, value: v}\n", lossless: true},
	{open: shape, specs: []string{`{m: {type: object, additionalProperties: {type: object, properties: {x: {type: string}, y: {type: string}}}}}`, `{m: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, x: {type: string}}}}}`},
		rules: "- {listFromMap: spec.m, key: k}\n"},
	{open: accepted, specs: []string{`{l: {type: array, items: {type: string}}}`, `{l: {type: array, items: {type: object, properties: {k: {type: string}}}}}`}, rules: "- {nest: 'spec.l[]', key: k}\n"},
	{open: one, specs: []string{`{h: {type: string}}`, `{t: {type: object, required: [h], properties: {h: {type: string}, y: {type: integer}, z: {type: integer}}}}`}, rules: "- {nest: spec.h, to: spec.t, key: h}\n- {drop: spec.t.z, in: v2}\n"},
	{open: kept, specs: []string{`{a: {type: string}}`, `{b: {type: string}}`}, rules: "- {rename: spec.a, to: spec.b, oneWay: {to: v2, reason: x}}\n"},
	{open: always, specs: []string{`{type: {type: string, enum: [x, y]}, a: {type: string}}`, `{type: {type: string, enum: [x, y]}, b: {type: string}, c: {type: string}}`},
		rules: "- {rename: spec.a, to: spec.b, when: {path: spec.type, equals: x}}\n- {rename: spec.a, to: spec.c, when: {path: spec.type, equals: x, not: true}}\n" +
			"- {drop: spec.c, in: v2, when: {path: spec.type, equals: x}}\n- {drop: spec.b, in: v2, when: {path: spec.type, equals: x, not: true}}\n"}, // without for, a kept value undoes an edit
	{open: defaults, specs: []string{`{o: {type: object, default: {colour: red}, properties: {colour: {type: string}}}}`, `{o: {type: object, properties: {color: {type: string}}}}`}, rules: "- {rename: spec.o.colour, to: spec.o.color}\n"},
	{name: "a default that a table leads to", open: defaults, specs: []string{`{p: {type: string, enum: [a, b], default: a}}`, `{q: {type: string, enum: [x], default: x}}`}, rules: "- {translate: spec.p, to: spec.q, values: [[a, x], [b, absent]]}\n"},
	{name: "a default of a table, in one version", open: defaults, specs: []string{`{p: {type: string, enum: [a], default: a}}`, `{q: {type: string, enum: [x]}}`}, rules: "- {translate: spec.p, to: spec.q, values: [[a, x]]}\n"},
	{name: "a move of a default to an object that may be absent", open: defaults, shared: "[spec.to]", specs: []string{
		`{e: {type: string, default: x}, to: {type: object, properties: {m: {type: integer}}}}`, `{to: {type: object, properties: {e: {type: string, default: x}, m: {type: integer}}}}`}, rules: "- {move: spec.e, to: spec.to.e}\n"},
	{name: "a move of a default out of an object that becomes empty", open: defaults, shared: "[spec.from, spec.to]", specs: []string{
		`{from: {type: object, default: {}, properties: {e: {type: string, default: x}, k: {type: integer}}}, to: {type: object, default: {m: 1}, properties: {m: {type: integer, default: 2}}}}`,
		`{from: {type: object, default: {k: 3}, properties: {k: {type: integer}}}, to: {type: object, default: {}, properties: {e: {type: string, default: y}, m: {type: integer, default: 3}}}}`},
		rules: "- {move: spec.from.e, to: spec.to.e}\n"},
}
