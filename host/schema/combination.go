package schema

import (
	"strconv"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

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
	more := n.more
	for _, part := range more.all {
		if c.visit(part, place, keep); c.over() {
			return
		}
	}
	if len(more.any) > 0 {
		if sure, possible := c.matches(more.any, keep, place, 1); sure+possible == 0 {
			c.violate(more.anyRule)
		}
	}
	if len(more.one) > 0 && !c.over() {
		switch sure, possible := c.matches(more.one, keep, place, len(more.one)); {
		case sure > 1:
			c.violate(more.oneRule, ", not ", strconv.Itoa(sure))
		case sure+possible == 0:
			c.violate(more.oneRule, ", not none")
		}
	}
	if more.not != nil && !c.over() && c.try(more.not, keep, place) == yes {
		c.violate("must not match the schema of not")
	}
}

// matches counts the parts that the value matches, and those that it may match. It stops once the
// value matches enough of them.
func (c *checker) matches(parts []*node, keep bool, place rawjson.Span, enough int) (sure, possible int) {
	for _, part := range parts {
		if sure == enough || c.halted != nil {
			break
		}
		switch c.try(part, keep, place) {
		case yes:
			sure++
		case maybe:
			possible++
		}
	}
	return sure, possible
}
