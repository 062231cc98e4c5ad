package prove

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// ruleForTexts makes a rule whose lemma reads patterns, or that keeps values in an annotation, or about
// elements that are members of a map.
func (a *attack) ruleForTexts(into [2]schemaMap, prefix, x, y, there string) []string {
	here := prefix + x
	right := a.IntN(2) == 0
	text := func(patterns ...string) schemaMap {
		s := schemaMap{"type": "string"}
		if right {
			s["pattern"] = patterns[0]
			return s
		}
		if a.IntN(8) > 0 {
			if s["pattern"] = patterns[0]; a.IntN(2) == 0 {
				s["pattern"] = choose(a, patterns...)
			}
		}
		if a.IntN(8) == 0 {
			s["enum"] = []any{"a b", "a:1", "", "a  b", ":", "[a:b]:c", "7", "07"}[a.IntN(4):]
			delete(s, "pattern")
		}
		return s
	}
	if a.IntN(3) == 0 {
		a.accepts(here, there)
	}
	annotation := "conversion.example.com/" + choose(a, "one", "one", x, x, "stash", "stash.v2")
	if a.IntN(12) == 0 {
		annotation = "example.com/one"
	}
	switch a.IntN(6) {
	case 0, 1: // parts beside a text
		z, at := a.name(), there[:strings.LastIndex(there, ".")+1]
		how := choose(a, "words: true", "words: true", "hostPort: true", "hostPort: true", "separator: ':'", "separator: ':', at: last", "separator: ':', at: first")
		one := text(`^[ab]+ [ab]+$`, `^[ab]{1,3}( [ab]{1,2})$`, `^[ab]+( [ab]*)$`, `^[ab ]+$`, `[ab]+ [ab]+`, `^\S+ \S+$`, `^\S+\s\S+$`, `^[ab]+( [ab]+)*$`)
		part := func() schemaMap {
			return text(`^[ab]+$`, `^[ab]+$`, `^[ab]{1,3}$`, `^[ab]*$`, `^\S+$`, `^[ab ]+$`, `[ab]`, `^.$`)
		}
		if !strings.HasPrefix(how, "words") {
			one = text(`^[ab]+:[0-9]+$`, `^[ab]{1,3}:[ab]{1,2}$`, `^[ab]*:[0-9]*$`, `^([ab]+|\[[ab]*:[ab]*\]):[0-9]+$`, `^([ab]+|\[[ab]*\]):[0-9]+$`, `^[^:]*:[^:]+$`, `^[a:]+$`, `^(a:|:b)$`, `^[ab]+(:[0-9]+)?$`)
			part = func() schemaMap {
				return text(`^[0-9ab]+$`, `^[ab]+$`, `^[ab]{1,3}$`, `^[ab]*$`, `^[^:]+$`, `^[ab:]+$`, `^[ab[]+$`, `^[^:\[\]]+$`)
			}
		}
		if a.IntN(3) == 0 && !strings.HasPrefix(how, "hostPort") {
			how += ", partial: {annotation: " + annotation + "}"
		}
		into[0][x], into[1][y], into[1][z] = one, part(), part()
		a.accepts(here, at+z)
		return []string{fmt.Sprintf("- {split: '%s', to: ['%s', '%s%s'], %s%s}\n", here, there, at, z, how, choose(a, "", "", "", ", unfit: stash"))}
	case 2: // the rest of a list in an annotation
		v := a.value(1)
		into[0][x], into[1][y] = v, schemaMap{"type": "array", "items": v, "minItems": choose(a, 0, 1, 1, 2), "maxItems": 3}
		return []string{fmt.Sprintf("- {wrap: '%s', to: '%s', rest: {annotation: %s, key: k}}\n", here, there, annotation)}
	case 3: // numbers
		into[0][x], into[1][y] = text(`^[0-9]{1,3}$`, `^(0|[1-9][0-9]{0,3})$`, `^-?[1-9]$`, `^-?[1-9][0-9]*$`, `^-?[0-9]$`, `[1-9]`), schemaMap{"type": "integer"}
		return []string{fmt.Sprintf("- {convert: '%s', to: '%s', as: [string, integer]%s}\n", here, there, choose(a, "", ", inexact: round", ", inexact: refuse", ", unfit: stash"))}
	case 4: // a table or a text among lists of parts
		into[0][x], into[1][y] = text(`^a:b$`, `^[ab]{0,2}:[ab]$`), objectSchema(schemaMap{"a": text(`^[ab]*$`, `^[^:]$`), "b": text(`^[ab]*$`, `^-$`)})
		return []string{fmt.Sprintf("- {split: '%s', to: ['%s.a', '%s.b'], separator: ':', absent: '-'%s}\n", here, there, there, choose(a, "", ", at: first", ", unfit: stash"))}
	}
	return a.ruleForMembers(into, x, y, here, there)
}

// ruleForMembers makes a map that is a list, with rules for the elements.
func (a *attack) ruleForMembers(into [2]schemaMap, x, y, here, there string) []string {
	v, key := a.value(1), schemaMap{"type": "string"}
	member, element := schemaMap{"same": v}, schemaMap{"same": v}
	var rules []string
	for i := range 1 + a.IntN(3) {
		m, n, v := fmt.Sprintf("m%d", i), fmt.Sprintf("n%d", i), a.value(1)
		member[m], element[n] = v, v
		rule := fmt.Sprintf("{rename: %s, to: %s}", m, n)
		switch a.IntN(9) {
		case 0, 1:
			member[m], element[n] = schemaMap{"type": "string", "enum": []any{"a", "b", "x"}[:2+a.IntN(2)]}, schemaMap{"type": "string", "enum": []any{"x", "y", "b"}[:2+a.IntN(2)]}
			rule = fmt.Sprintf("{translate: %s, to: %s, values: %s}", m, n, choose(a, "[[a, x], [b, y]]", "[[a, x], [b, y]]", "[[a, x], [b, y]], others: refuse", "[[a, x], [b, x]], merge: true", "[[absent, x], [a, y], [b, b]]"))
			if a.IntN(3) == 0 {
				element[n].(schemaMap)["default"] = "x"
			}
		case 2:
			element[n] = objectSchema(schemaMap{"p": v}, "p")
			rule = fmt.Sprintf("{nest: %s, to: %s, key: p}", m, n)
		case 3:
			member[m], element[n] = schemaMap{"type": "string", "pattern": choose(a, `^[1-9]$`, `^[0-9]{1,2}$`)}, schemaMap{"type": "integer"}
			rule = fmt.Sprintf("{convert: %s, to: %s, as: [string, integer]}", m, n)
		case 4:
			member[m], element[n], element[n+"p"] = schemaMap{"type": "string", "pattern": `^[ab]+:[0-9]+$`}, schemaMap{"type": "string", "pattern": `^[ab]+$`}, schemaMap{"type": "string", "pattern": `^[0-9]+$`}
			rule = fmt.Sprintf("{split: %s, to: [%s, %sp], %s}", m, n, n, choose(a, "hostPort: true", "separator: ':'"))
		case 5:
			delete(member, m)
			rule = fmt.Sprintf("{drop: %s, in: v2}", n)
		case 6:
			rule = choose(a, rule, fmt.Sprintf("{rename: %s, to: %s, when: {path: same, exists: true}}", m, n), "{rename: k, to: key}", fmt.Sprintf("{move: %s, to: box.%s}", m, n))
			if strings.HasPrefix(rule, "{move") {
				delete(element, n)
				element["box"] = objectSchema(schemaMap{n: v}, n)
			}
		}
		rules = append(rules, "  - "+rule+"\n")
	}
	list := func(elements schemaMap) schemaMap {
		elements["k"] = key
		return schemaMap{"type": "array", "maxItems": 4, "items": objectSchema(elements, "k"), "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"k"}}
	}
	verb := "listFromMap"
	if a.IntN(3) == 0 {
		verb = "mapFromList"
		into[0][x], into[1][y] = list(member), schemaMap{"type": "object", "additionalProperties": objectSchema(element)}
	} else {
		into[0][x], into[1][y] = schemaMap{"type": "object", "additionalProperties": objectSchema(member)}, list(element)
	}
	return []string{fmt.Sprintf("- %s: '%s'\n  to: '%s'\n  key: k\n  each:\n", verb, here, there) + strings.Join(rules, "")}
}

// TestIncludes compares the answers about two regular expressions, and about the length of their texts, with
// all short texts.
func TestIncludes(t *testing.T) {
	var texts []string
	for n, all := 0, []string{""}; n < 6; n++ {
		texts = append(texts, all...)
		var longer []string
		for _, text := range all {
			for _, letter := range []string{"a", "b", " ", "\n", "-"} {
				longer = append(longer, text+letter)
			}
		}
		all = longer
	}
	a := &attack{Rand: rand.New(rand.NewPCG(1, 1))}
	var expression func(depth int) string
	expression = func(depth int) string {
		if depth == 0 {
			return choose(a, "a", "b", " ", "[ab]", "[^a]", ".", "^", "$", `\b`, `\B`, "", "(?i:A)", `\s`, "(?m:^)", "(?m:$)", "[^b ]", "(?s:.)")
		}
		one, two := expression(depth-1), expression(depth-1)
		switch a.IntN(6) {
		case 0:
			return "(" + one + "|" + two + ")"
		case 1:
			return "(" + one + ")" + choose(a, "*", "+", "?", "{2}", "{1,2}", "{0,3}", "*?")
		}
		return one + two
	}
	yes, no, bounded := 0, 0, 0
	for range 3000 {
		wide, narrow := expression(a.IntN(4)), expression(a.IntN(4))
		if a.IntN(2) == 0 {
			wide = "^(" + narrow + "|" + wide + ")" + choose(a, "", "$", "+$")
		}
		if a.IntN(2) == 0 {
			narrow = "^" + narrow + "$"
		}
		one, two := regexp.MustCompile(wide), regexp.MustCompile(narrow)
		said, found, most := includes(wide, narrow), "", mostRunes(narrow)
		if most < 5 {
			bounded++
		}
		for _, text := range texts {
			if len(text) > most && two.MatchString(text) {
				t.Errorf("%s is said to match at most %d letters, and matches %q", narrow, most, text)
			}
			if found == "" && two.MatchString(text) && !one.MatchString(text) {
				found = fmt.Sprintf("%q", text)
			}
		}
		if said && found != "" {
			t.Errorf("%s is said to match each text of %s, and does not match %s", wide, narrow, found)
		}
		if !said && found == "" {
			no++
		}
		if said {
			yes++
		}
	}
	if yes < 300 || no > 60 || bounded < 300 {
		t.Errorf("%d of 3000 pairs include each other, of %d others no short text says why, and %d have short texts only", yes, no, bounded)
	}
}
