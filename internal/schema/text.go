package schema

import (
	"regexp"
	"strconv"
	"unicode/utf8"
)

// textRules are the rules for strings.
type textRules struct {
	length  *sizeRules
	pattern *regexp.Regexp
	format  *format
}

// textRulesOf returns nil if there are none.
func textRulesOf(d *definition) *textRules {
	r := &textRules{sizeRulesOf(d.minLength, d.maxLength), d.pattern, formatOf(d)}
	if *r == (textRules{}) {
		return nil
	}
	return r
}

// text checks a string, given what it says. The pattern is left alone if the length is wrong, so that maxLength bounds how long it takes.
func (c *checker) text(r *textRules, text []byte) {
	if r.length != nil {
		n := int64(utf8.RuneCount(text))
		c.size(r.length, n, characters)
		if !r.length.allow(n) {
			return
		}
	}
	if r.pattern != nil && !r.pattern.Match(text) {
		c.violate("must match the pattern " + strconv.Quote(shorten(r.pattern.String(), maxRule)))
	}
	if r.format != nil && !r.format.matches(text) {
		c.violate("must have the format " + shorten(r.format.name, maxName))
	}
}
