package rules

import (
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// TestMistakes compiles rules with one mistake each. The rules begin at line 7, column 3.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ rules, want string }{
		{`- {rename: spec.a, to: status.b}`, "7:26: status.b is in another object than spec.a: that is a move"},
		{`- {move: spec.a, to: spec.a.b}`, "7:5: spec.a cannot become spec.a.b: one is within the other; see nest and unnest"},
		{`- {rename: spec.a, to: spec.a}`, "7:5: spec.a stays where it is: fields with the same path need no rule"},
		{`- {foo: 1}`, `7:5: the rule has no verb: it begins with "foo", and needs one of rename, `},
		{`- {renam: spec.a, to: spec.b}`, `7:6: there is no rule "renam": did you mean rename?`},
		{`- {split: spec.a, to: [spec.b, spec.c], seperator: ","}`, `7:43: a rule split has the unknown member "seperator": did you mean separator?`},
		{`- {convert: spec.t, to: spec.t.s, as: [duration, s]}`, "7:5: spec.t cannot become spec.t.s: one is within the other"},
		{`- {split: spec.a, to: [spec.a.x, spec.b], separator: ","}`, "7:26: spec.a.x cannot be a part of spec.a: one is within the other; see absent"},
		{`- {split: spec.a, to: [spec.o.x, spec.b], separator: ",", absent: "*"}`, "7:69: with absent, the parts are members of one object of their own: spec.b is not a member of spec.o"},
		{`- {split: spec.a, to: [spec.x, spec.y], separator: ",", absent: "*"}`, "7:67: with absent, the parts need an object of their own, which is there if spec.a is: spec is not"},
		{`- {split: spec.a, to: [{path: spec.o.x, type: integer}, spec.o.y], separator: ",", absent: "0"}`, "7:94: with absent, the parts are strings: spec.o.x is not"},
		{`- {split: spec.a, to: [spec.o.x, spec.o.x], separator: ",", absent: "*"}`, "7:71: spec.o.x is two parts"},
		{`- {split: spec.a, to: [spec.o.x, spec.o.y], words: true, absent: "a b"}`, `7:68: absent is the text of a part, which is one word: "a b" is not`},
		{`- {split: spec.a, to: [spec.o.x, spec.o.y], separator: ",", absent: "a,b"}`, `7:71: absent is the text of a part, which does not contain the separator: "a,b" does`},
		{`- {split: spec.a, to: [spec.o.x, spec.o.y], separator: ",", absent: "*", partial: leave}`, "7:71: absent says what to do with absent parts: omit partial and hostPort"},
		{`- {convert: spec.a, as: [s, Mi]}`, "7:27: s cannot be converted to Mi and back"},
		{`- {convert: spec.a, as: [s, s]}`, "7:27: s cannot be converted to s and back"},
		{`- {split: spec.a, to: [spec.b, spec.b], separator: ","}`, "7:34: spec.b cannot be a part beside spec.b: they are one field"},
		{`- {drop: metadata.name, in: v2, stash: false}`, "7:5: metadata.name cannot be converted: of the metadata, only labels and annotations can"},
		{`- {drop: "metadata.annotations['a/b']", in: v2}`, "7:5: metadata.annotations['a/b'] may have to be stashed, but the stash does not hold metadata: set stash: false"},
		{`- {listFromMap: spec.a, key: name, value: name}`, `7:45: value is "name", the key`},
		{`- {default: spec.a, in: v1, value: }`, "7:38: value is null, which is the same as an absent field"},
		{`- {rename: spec.a, to: spec.b, when: {v3: {path: spec.t, equals: 1}}}`, `7:41: when has the unknown member "v3": did you mean v1?`},
		{"- {rename: spec.a, to: spec.b}\n- {drop: spec.a, in: v1}", "8:5: spec.a is converted by the rule at line 7 already: a dropped field is in one version only"},
		{"- {move: spec.a, to: spec.b.c}\n- {drop: spec.b, in: v2}", "8:5: spec.b.c is converted by the rule at line 7 already: a dropped field is in one version only"},
		{"- {translate: \"spec.l[].a\", to: \"spec.l[].b\", values: [[1, 2]]}\n- {translate: \"spec.l[].b\", to: \"spec.l[].a\", values: [[1, 2]]}", "7:5: the rule and the one at line 8 change places"},
		{"- translate: spec.a\n  values:\n  - [a, b]\n  - [c, 0x10]", "10:11: 0x10 is not a JSON number"},
		{"- {split: spec.a, to: [spec.x, spec.y], words: true, partial: {annotation: n/a}}\n- {unwrap: spec.l, rest: {annotation: n/a, key: k}}", `8:41: the annotation "n/a" is used at line 7, too`},
		{"- {unwrap: spec.l, rest: {annotation: n/a, key: k}}\n- {rename: \"metadata.annotations['n/a']\", to: \"metadata.annotations['n/b']\"}", `7:41: the annotation "n/a" is used at line 8, too`},
		{"- {unwrap: spec.l, rest: {annotation: conversion.example.com/stash.v2, key: k}}", `7:41: the annotation "conversion.example.com/stash.v2" is one of the stash`},
		{`- {copy: spec.a, of: spec.a.b, in: v2}`, "7:5: spec.a cannot be a copy of spec.a.b: one is within the other"},
		{`- {copy: spec.a, in: v2}`, "7:5: a rule copy needs the member of"},
		{"- {copy: spec.a, of: spec.b, in: v2}\n- {drop: spec.a, in: v2}", "8:5: spec.a is converted by the rule at line 7 already"},
		{`- {rename: spec.a, to: spec.b, split: spec.c}`, "7:34: a rule does one thing: rename and split are two rules"},
		{`- {rename: spec.a, to: spec.b, colour: red}`, `7:34: a rule rename has the unknown member "colour"; it may have rename, when, oneWay, to`},
		{`- {move: spec.a}`, "7:5: a rule move needs the member to"},
		{`- {rename: .a, to: spec.b}`, `7:14: ".a" is not a path such as spec.disks[].size`},
		{`- {rename: ., to: spec.b}`, "7:14: \".\" is an element of a list"},
		{`- {rename: apiVersion, to: version}`, "7:14: "},
		{"- {rename: spec.a, to: spec.b}\n- {translate: spec.a, values: [[1, 2]]}", "8:5: spec.a is converted by the rule at line 7 already"},
		{"- {move: spec.a, to: spec.b}\n- {rename: spec.a.x, to: spec.a.y}", "8:5: spec.a.x is converted by the rule at line 7 already"},
		{`- {translate: spec.a, values: [[a, b], [c, b]]}`, `7:46: the pair cannot be inverted: "b" in v2 is the partner of two values in v1`},
		{`- {translate: spec.a, values: [[a, b], [a, c]]}`, `7:43: the pair cannot be inverted: "a" in v1 is the partner of two values in v2`},
		{`- {translate: spec.a, values: [[a, b, c]]}`, "7:34: values has pairs such as [keep, Retain]"},
		{`- {translate: spec.a, values: [[a, b]], others: drop}`, `7:51: others is "drop", but must be keep or refuse`},
		{`- {convert: spec.a, as: [duration, Mi]}`, "7:27: duration cannot be converted to Mi and back"},
		{`- {convert: spec.a, as: [duration, integer]}`, "7:27: duration cannot be converted to integer and back"},
		{`- {convert: spec.a, as: [string, colour]}`, `7:36: "colour" is not a type`},
		{`- {split: spec.a, to: [spec.b, spec.c]}`, "7:5: the rule needs one of separator, words and hostPort"},
		{`- {split: spec.a, to: [spec.b, spec.c], separator: "", at: last}`, "7:54: separator is empty"},
		{`- {split: spec.a, to: [spec.b], separator: ","}`, "7:25: a string is split into 2 to 16 parts, not 1"},
		{`- {split: spec.a, to: [spec.b, spec.c, spec.d], hostPort: true}`, "7:25: hostPort has two parts"},
		{`- {split: 'spec.l[].a', to: ['spec.l[].b', 'spec.l[].c'], separator: ",", partial: {annotation: x/y}}`, "7:86: an annotation cannot keep parts of several elements: leave it out, and they are kept in the stash"},
		{`- {wrap: 'spec.l.*.a', to: 'spec.l.*.b', rest: {annotation: x/y, key: k}}`, "7:50: an annotation cannot keep parts of several elements: leave it out, and they are kept in the stash"},
		{`- {split: spec.a, to: [spec.b, spec.c], separator: ",", partial: {annotation: c.example.com/a b}}`, `7:81: annotation "c.example.com/a b" is not valid: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`},
		{`- {split: spec.a, to: [spec.b, spec.c], separator: ",", partial: {annotation: c.example.com/}}`, `7:81: annotation "c.example.com/" is not valid: name part must be non-empty`},
		{`- {split: spec.a, to: [spec.b, spec.c], separator: ",", partial: {annotation: c.example.com/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}}`, `7:81: annotation "c.example.com/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" is not valid: name part must be no more than 63 bytes`},
		{`- {split: spec.a, to: [spec.b, spec.c], separator: ",", partial: keep}`, `7:68: partial is "keep", but must be stash, leave or refuse, or {annotation: NAME}`},
		{`- {drop: spec.a, in: v3}`, `7:24: in is "v3", but must be v1 or v2`},
		{`- {drop: spec.a, in: v2, for: all}`, `7:33: for is "all", but must be object or a list of paths`},
		{`- {drop: "spec.a[]", in: v2}`, "7:5: spec.a[] is not a field"},
		{`- {default: spec.a, in: v2}`, "7:5: a rule default needs the member value"},
		{`- {default: spec.a, in: v2, value: 0x1F}`, "0x1F is not a JSON number"},
		{`- {move: "spec.a[].b", to: "spec.c[].d"}`, "7:5: spec.a[].b and spec.c[].d lead through different lists"},
		{"- listFromMap: spec.a\n  key: name\n  each:\n  - {drop: x, in: v1}", "10:7: the rule cannot be inverted: the stash cannot hold"},
		{`- {rename: spec.a, to: spec.b, when: {path: spec.a, equals: 1}}`, "7:40: the condition cannot be inverted: spec.a is converted by the rule at line 7"},
		{`- {rename: spec.a, to: spec.b, when: {v1: {path: spec.t, equals: 1}}}`, "7:40: the condition cannot be inverted: it has no member v2"},
		{`- {rename: spec.a, to: spec.b, when: []}`, "7:40: when is empty: it needs a condition, or several"},
		{`- {rename: spec.a, to: spec.b, when: [{path: spec.t, exists: true}, {path: spec.a, exists: true}]}`, "7:40: the condition cannot be inverted: spec.a is converted by the rule at line 7"},
		{`- {rename: spec.a, to: spec.b, when: {path: spec.t}}`, "7:40: a condition needs one of equals, in and exists"},
		{`- {rename: &a spec.a, to: *a}`, "aliases are not read"},
		{`- rename: spec.a`, "7:5: a rule rename needs the member to"},
		{`- {rename: spec.a, to: spec.b, oneWay: v2}`, "7:42: oneWay is text, not a mapping"},
		{`- {rename: spec.a, to: spec.b, oneWay: {to: v2}}`, "7:42: oneWay needs the member reason: the reason why nobody misses the value"},
		{`- {rename: spec.a, to: spec.b, oneWay: {to: v3, reason: r}}`, `7:42: to is "v3", but must be v1 or v2, the versions of these rules`},
		{`- {drop: spec.a, in: v2, oneWay: {to: v2, reason: r}}`, `7:28: a rule drop has the unknown member "oneWay"`},
		{"- each: spec.l\n  rules:\n  - {rename: a, to: b, oneWay: {to: v2, reason: r}}", "9:34: oneWay is not for a rule within another one"},
		{`- {translate: spec.a, values: [[a, b], [a, c]], oneWay: {to: v2, reason: r}}`, `7:43: the pair cannot be inverted: "a" in v1 is the partner of two values in v2`},
		{"- {rename: spec.a, to: spec.b, oneWay: {to: v2, reason: r}}\n- {rename: spec.a, to: spec.c, oneWay: {to: v2, reason: r}}", "8:5: spec.a is converted by the rule at line 7 already"},
		{`- {translate: spec.a, values: [[a, b], [c, b]]}`, "with merge: true, the first pair counts"},
		{"- listFromMap: spec.a\n  key: name\n  each:\n  - {translate: x, merge: true, values: [[a, b], [c, b]]}", "10:7: the rule cannot be inverted: the stash cannot hold"},
		{`- {translate: "metadata.labels['a']", merge: true, values: [[a, b], [c, b]]}`, "metadata.labels.a may have to be stashed, but the stash does not hold metadata: set merge: false"},
		{`- {convert: spec.a, as: [apiVersion, apiGroup]}`, "7:5: the rule needs the member versions"},
		{`- {convert: spec.a, as: [apiVersion, string], versions: [[apps, v1]]}`, "7:27: apiVersion cannot be converted to string and back"},
		{`- {convert: spec.a, as: [string, integer], versions: [[apps, v1]]}`, "7:56: versions is about apiVersion and apiGroup, which as does not name"},
		{`- {convert: spec.a, as: [apiGroup, apiVersion], versions: [[apps, v1], [apps, v2]]}`, `7:74: the group "apps" has two versions`},
		{`- {convert: spec.a, as: [apiGroup, apiVersion], versions: [[apps/v1, v1]]}`, "7:62: a group and a version do not contain a slash"},
		{`- {convert: spec.a, as: [apiGroup, apiVersion], versions: []}`, "7:61: versions is empty"},
		{`- {renameKeys: spec.a, values: [[a, b, c]]}`, "7:35: values has pairs such as [cpu, CPU]"},
		{`- {renameKeys: spec.a, values: [["", b]]}`, "7:36: a text of values is empty"},
		{`- {renameKeys: spec.a, values: [[a, b], [c, b]]}`, `7:43: "b" and "b" of v2 are about the same keys`},
		{`- {renameKeys: spec.a, values: [[a/, b/], [a/c/, d/]], prefix: true}`, `7:45: "a/" and "a/c/" of v1 are about the same keys`},
		{`- {renameKeys: metadata.annotations, values: [[a/, b/]], prefix: true}`, "metadata.annotations may have to be stashed, but the stash does not hold metadata"},
		{`- {skip: spec.a, in: v1}`, "7:5: a rule skip needs the member where"},
		{`- {skip: spec.a, in: v1, where: []}`, "7:35: where is empty: it needs a condition, or several"},
		{`- {skip: spec.a, in: v1, where: {path: b}}`, "7:35: a condition needs one of equals, in and exists"},
		{`- {skip: spec.a, in: v1, where: {v1: {path: b, exists: true}}}`, `7:36: a condition has the unknown member "v1"`},
		{`- {skip: "spec.a[]", in: v1, where: {path: b, exists: true}}`, "7:5: spec.a[] is not a field: a path to a list ends with a name"},
		{"- {skip: spec.a, in: v1, where: {path: b, exists: true}}\n- {drop: 'spec.a[].c', in: v1}", "8:5: spec.a[].c is in the list of the rule skip at line 7"},
	} {
		_, err := Parse([]byte(inFile(c.rules)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\nthe error is\n\t%v\nwant\n\t%s", c.rules, err, c.want)
		}
	}
}

// TestMistakesInFiles compiles whole files with a mistake.
func TestMistakesInFiles(t *testing.T) {
	const head = "kind: Thing\ngroup: example.com\n"
	for _, c := range []struct{ file, want string }{
		{"", "the file is empty"},
		{"a: 1\n---\nb: 2\n", "more than one YAML document"},
		{"[1, 2]", "1:1: the file is a list, not a mapping"},
		{head, "1:1: the file needs the member conversions"},
		{head + "conversions: []\n", "3:14: conversions is empty"},
		{head + "conversions:\n- {from: v1, to: v1, rules: []}\n", "4:18: from and to are both v1"},
		{head + "conversions:\n- {from: v1, to: v2, rules: []}\n- {from: v2, to: v1, rules: []}\n", "5:3: the rules between v2 and v1 are at line 4 already"},
		{head + "conversions:\n- {from: v1, to: v2, rules: []}\n- {from: v3, to: v4, rules: []}\n", "5:3: no rules connect v1 and v3"},
		{"kind: thing_x\ngroup: example.com\nconversions:\n- {from: v1, to: v2, rules: []}\n", "1:7: the module cannot be named"},
		{head + "conversions:\n- {from: v1, to: v2, rules: [{move: spec.a, to: spec.b}]}\n- {from: v2, to: v3, rules: [{drop: spec.b, in: v2}]}\n", "5:30: spec.b may be stashed on the way from v1"},
		{strings.Repeat(" ", syntax.MaxFile) + "a: 1", "bytes, of at most"},
		{strings.Repeat("[", 200), "1:1: this is not YAML"},
		{head + "conversions:\n- from: v1\n  to: v2\n  rules:\n  - {rename: spec.a, to: spec.b}\n  - {rename: spec.c[0], to: spec.d}\n  - {rename: spec.e, to: spec.f}\n", "8:3: this is not YAML: did not find expected ',' or '}': put a path with [ in quotes"},
		{head + "conversions:\n- from: v1\n  to: v2\n  rules:\n  - {rename: spec.a, to: spec.b}\n - {rename: spec.c, to: spec.d}\n", "8:2: this is not YAML: did not find expected key"},
		{head + "conversions:\n- {from: v1, to: v2, rules: []}\ncases:\n- {form: v1, to: v3, object: 1}\n", `6:4: a case has the unknown member "form": did you mean from?
6:18: to is "v3", but must be v1 or v2, the versions of this file
6:30: object is a number, not a mapping`},
		{head + "conversions:\n- {from: v1, to: v2, rules: []}\nlossy:\n- {from: v3, to: v4, path: spec.a}\n- spec.a\n",
			`6:3: an entry of lossy needs the member reason: the reason why nobody misses it
6:3: neither "v3" nor "v4" is a version of this file, which are v1 or v2
7:3: an entry of lossy is text, not a mapping`},
		{head + "conversions:\n- {from: v1, to: v2, rules: []}\nlossy:\n- {from: v1, to: v2, path: .*, reason: r}\n- {from: v1, to: v2, path: spec.a, class: zero, reason: r}\n",
			`6:3: the path .* covers every field: name the fields, or add class: empty
7:3: unknown class "zero": it must be value, empty, noField, default or hidden`},
		{head + "conversions:\n- {from: v1, to: v2, rules: []}\nlossy: {}\n", "5:8: lossy is a mapping, not a list"},
		{head + "conversions:\n- {form: v1, to: v2, rules: []}\n", `4:4: a pair of versions has the unknown member "form": did you mean from?`},
	} {
		_, err := Parse([]byte(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.200s\nthe error is\n\t%v\nwant\n\t%s", c.file, err, c.want)
		}
	}
}

// TestRefusals converts objects that the rules refuse.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ rules, to, object, want string }{
		{`- {convert: spec.a, as: [duration, s]}`, "v2", `{"spec": {"a": "5"}}`, `.spec.a must be a duration such as "1h30m", of at most 292 years, but is "5"`},
		{`- {convert: spec.a, as: [duration, s]}`, "v2", `{"spec": {"a": "99999999999999999999h"}}`, `.spec.a must be a duration`},
		{`- {convert: spec.a, as: [duration, h]}`, "v1", `{"spec": {"a": 9223372036854775807}}`, `.spec.a must be a number that a duration can hold, but is 9223372036854775807`},
		{`- {convert: spec.a, as: [duration, s], inexact: refuse}`, "v2", `{"spec": {"a": "1500ms"}}`, `.spec.a must be a duration such as "1h30m", a whole number of s, but is "1500ms"`},
		{`- {convert: spec.a, as: [quantity, bytes]}`, "v2", `{"spec": {"a": "20Qi"}}`, `.spec.a must be a quantity such as "20Gi", of less than 2^63 bytes, but is "20Qi"`},
		{`- {convert: spec.a, as: [quantity, bytes]}`, "v2", `{"spec": {"a": "8Ei"}}`, `.spec.a must be a quantity such as "20Gi", of less than 2^63 bytes, but is "8Ei"`},
		{`- {convert: spec.a, as: [quantity, Mi], inexact: refuse}`, "v2", `{"spec": {"a": "1Ki"}}`, `.spec.a must be a quantity such as "20Gi", a whole number of Mi below 2^63, but is "1Ki"`},
		{`- {convert: spec.a, as: [quantity, integer]}`, "v2", `{"spec": {"a": "8Ei"}}`, `.spec.a must be a quantity such as "20Gi", of less than 2^63 units, but is "8Ei"`},
		{`- {convert: spec.a, as: [quantity, duration]}`, "v2", `{"spec": {"a": "8Ei"}}`, `.spec.a must be a quantity such as "20Gi" that a duration can hold, but is "8Ei"`},
		{`- {convert: spec.a, as: [quantity, n]}`, "v2", `{"spec": {"a": "16Ei"}}`, `.spec.a must be a quantity`},
		{`- {convert: spec.a, as: [string, integer]}`, "v2", `{"spec": {"a": "1.0"}}`, `.spec.a must be a whole number, but is "1.0"`},
		{`- {convert: spec.a, as: [string, boolean]}`, "v2", `{"spec": {"a": "yes"}}`, `.spec.a must be "true" or "false", but is "yes"`},
		{`- {split: spec.a, to: [spec.b, {path: spec.c, type: integer}], separator: ":"}`, "v2", `{"spec": {"a": "x:y"}}`, `.spec.a must have 2 parts separated by ":", with a whole number for c, but is "x:y"`},
		{`- {split: spec.a, to: [spec.b, spec.c], separator: ":", partial: refuse}`, "v1", `{"spec": {"b": "x"}}`, `.spec.c must be there: it is a part of .spec.a in the other version`},
		{`- {split: spec.a, to: [spec.b, spec.c], separator: ":"}`, "v1", `{"spec": {"b": "x:y", "c": "z"}}`, `.spec.b must not contain ":", but is "x:y"`},
		{`- {split: spec.a, to: [spec.b, spec.c], separator: ":"}`, "v2", `{"spec": {"a": "x:y", "c": "z"}}`, `.spec.a cannot be split: .spec.c is there already`},
		{`- {wrap: spec.a, to: spec.b, type: string}`, "v2", `{"spec": {"a": 1}}`, `.spec.a must be a string, but is a number`},
		{`- {unnest: spec.a, key: b}`, "v2", `{"spec": {"a": 1}}`, `.spec.a must be an object, but is a number`},
		{`- {convert: spec.a, as: [duration, s]}`, "v2", `{"spec": {"a": "2562048h"}}`, `.spec.a must be a duration such as "1h30m", of at most 292 years, but is "2562048h"`},
		{`- {convert: spec.a, as: [duration, s]}`, "v2", `{"spec": {"a": "2562047h47m16.8s"}}`, `.spec.a must be a duration`},
		{`- {convert: spec.a, as: [string, integer]}`, "v2", `{"spec": {"a": "-9223372036854775809"}}`, `.spec.a must be a whole number`},
		{`- {rename: spec.a, to: spec.b}`, "v2", `{"spec": {"a": 1, "b": 2}}`, `.spec.a cannot be renamed: .spec.b is there already`},
		{`- {convert: spec.a, as: [apiVersion, apiGroup], versions: [[apps, v1]]}`, "v2", `{"spec": {"a": "a/b/c"}}`, `.spec.a must be an apiVersion of a group that versions has a version for, but is "a/b/c"`},
		{`- {convert: spec.a, as: [apiVersion, apiGroup], versions: [[apps, v1]], inexact: refuse}`, "v2", `{"spec": {"a": "apps/v2"}}`, `.spec.a must be an apiVersion`},
		{`- {convert: spec.a, as: [apiVersion, apiGroup], versions: [[apps, v1]]}`, "v1", `{"spec": {"a": "batch"}}`, `.spec.a must be an API group that versions has a version for, but is "batch"`},
		{`- {renameKeys: spec.a, values: [[a, b]]}`, "v2", `{"spec": {"a": {"a": 1, "b": 2}}}`, `.spec.a must not have two keys that become "b" in the other version`},
		{`- {renameKeys: spec.a, values: [[a, b]]}`, "v2", `{"spec": {"a": []}}`, `.spec.a must be an object, but is an array`},
		{`- {skip: spec.a, in: v1, where: {path: b, exists: true}}`, "v2", `{"spec": {"a": {}}}`, `.spec.a must be an array, but is an object`},
		{`- {each: spec.a, rules: [{rename: b, to: c}]}`, "v2", `{"spec": {"a": {"b": 1}}}`, `.spec.a must be an array, but is an object`},
	} {
		f, err := Parse([]byte(inFile(c.rules)))
		if err != nil {
			t.Errorf("%s: %v", c.rules, err)
			continue
		}
		from := map[string]string{"v1": "v2", "v2": "v1"}[c.to]
		if got, ok := newGuest(t, f).convert("example.com/"+c.to, complete(t, from, c.object)); ok || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s became %s, want the refusal %s", c.rules, c.object, got, c.want)
		}
	}
}
