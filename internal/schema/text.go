package schema

import (
	"regexp"
	"strconv"
	"unicode/utf8"
)

// textRules are the rules for strings.
type textRules struct {
	length      *sizeRules
	pattern     *regexp.Regexp
	patternRule string // what is violated
	format      *format
}

// textRulesOf returns nil if there are none.
func textRulesOf(d *definition) *textRules {
	r := &textRules{length: sizeRulesOf(d.minLength, d.maxLength, characters), pattern: d.pattern, format: d.checks}
	if *r == (textRules{}) {
		return nil
	}
	if r.pattern != nil {
		r.patternRule = "must match the pattern " + strconv.Quote(shorten(r.pattern.String(), maxRule))
	}
	return r
}

// text checks a string, given what it says. The pattern is left alone if the length is wrong, so that maxLength bounds how long it takes.
func (c *checker) text(r *textRules, text []byte) {
	if r.length != nil && !c.size(r.length, int64(utf8.RuneCount(text))) {
		return
	}
	if r.pattern != nil && !r.pattern.Match(text) {
		c.violate(r.patternRule)
	}
	if r.format != nil && !r.format.matches(text) {
		c.violate("must have the format ", r.format.name)
	}
}
