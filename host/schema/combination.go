package schema

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// combination is a schema's allOf, anyOf, oneOf and not.
type combination struct {
	all, any, one    []*node
	not              *node
	anyRule, oneRule string // the rule that a value violates if it does not match
}

// combine compiles the combination of a definition.
func (n *node) combine(d *definition) {
	shape := n
	if n.shape != nil {
		shape = n.shape
	}
	var c combination
	for _, part := range d.allOf {
		if d.intOrString && len(part.anyOf) == 2 && isIntOrString(part.anyOf) {
			rest := *part
			rest.anyOf = nil
			if reflect.DeepEqual(rest, definition{}) {
				continue // x-kubernetes-int-or-string already checks it
			}
		}
		c.all = append(c.all, compile(part, shape))
	}
	if !d.intOrString || !isIntOrString(d.anyOf) {
		for _, part := range d.anyOf {
			c.any = append(c.any, compile(part, shape))
		}
	}
	for _, part := range d.oneOf {
		c.one = append(c.one, compile(part, shape))
	}
	if d.not != nil {
		c.not = compile(d.not, shape)
	}
	c.anyRule = ruleOf(d.anyOf, "must have at least one of ", "must match at least one of the ", " schemas of anyOf")
	c.oneRule = ruleOf(d.oneOf, "must have exactly one of ", "must match exactly one of the ", " schemas of oneOf")
	if len(c.all)+len(c.any)+len(c.one) > 0 || c.not != nil {
		n.more = &c
	}
}

// ruleOf describes the schemas of an anyOf or a oneOf. If each of them only requires fields, it
// lists the names of these.
func ruleOf(parts []*definition, have, match, of string) string {
	var choices []string
	for _, part := range parts {
		if len(part.required) == 0 || !reflect.DeepEqual(*part, definition{required: part.required}) {
			return match + strconv.Itoa(len(parts)) + of
		}
		choices = append(choices, strings.Join(part.required, " and "))
	}
	return foreign.Shorten(have+strings.Join(choices, ", "), maxRule)
}

// isIntOrString says whether the schemas of an anyOf are just the types integer and string, as they
// often stand beside x-kubernetes-int-or-string.
func isIntOrString(anyOf []*definition) bool {
	return len(anyOf) == 2 && reflect.DeepEqual(*anyOf[0], definition{kind: "integer"}) && reflect.DeepEqual(*anyOf[1], definition{kind: "string"})
}

// trial is the state of looking whether a value matches a schema, instead of reporting how it does
// not.
type trial struct {
	on     bool
	failed bool // it does not
	unsure bool // it may turn out not to, when the rest of the fragment is known
}

// container notes that the trial met an object or an array. In a fragment, more members may follow.
// The same goes for the trials around this one: they read the same value, or a value that contains
// it.
func (t *trial) container(partial bool) {
	if t.on && partial {
		t.unsure = true
	}
}

// verdict says whether a value matches.
type verdict uint8

const (
	no verdict = iota
	maybe
	yes
)

// try says whether the value at the place matches a node.
func (c *checker) try(n *node, keep bool, place rawjson.Span) verdict {
	outer := c.trial
	c.trial = trial{on: true}
	c.visit(n, place, keep)
	result := c.trial
	c.trial = outer
	switch {
	case result.failed:
		return no
	case result.unsure:
		return maybe
	}
	return yes
}

// combination checks the value at the place, which was read before.
func (c *checker) combination(n *node, keep bool, place rawjson.Span) {
	for _, part := range n.more.all {
		if c.visit(part, place, keep); c.over() {
			return
		}
	}
	if len(n.more.any) > 0 && c.most(n.more.any, keep, place) == no {
		c.violate(n.more.anyRule)
	}
	if len(n.more.one) > 0 && !c.over() {
		c.one(n.more, keep, place)
	}
	if n.more.not != nil && !c.over() && c.try(n.more.not, keep, place) == yes {
		c.violate("must not match the schema of not")
	}
}

// most returns the best verdict of the parts.
func (c *checker) most(parts []*node, keep bool, place rawjson.Span) verdict {
	best := no
	for _, part := range parts {
		if best = max(best, c.try(part, keep, place)); best == yes || c.halted != nil {
			return best
		}
	}
	return best
}

// one checks that exactly one of the schemas of oneOf matches.
func (c *checker) one(more *combination, keep bool, place rawjson.Span) {
	sure, possible := 0, 0
	for _, part := range more.one {
		if c.halted != nil {
			return
		}
		switch c.try(part, keep, place) {
		case yes:
			sure++
		case maybe:
			possible++
		}
	}
	switch {
	case sure > 1:
		c.violate(more.oneRule, ", not ", strconv.Itoa(sure))
	case sure+possible == 0:
		c.violate(more.oneRule, ", not none")
	}
}
