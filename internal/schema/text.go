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

// text checks a string, given what it says.
func (c *checker) text(r *textRules, text []byte) {
	if r.length != nil {
		c.size(r.length, int64(utf8.RuneCount(text)), characters)
	}
	if r.pattern != nil && !r.pattern.Match(text) {
		c.violate("must match the pattern " + strconv.Quote(shorten(r.pattern.String(), maxRule)))
	}
	if r.format != nil && !r.format.matches(text) {
		c.violate("must have the format " + shorten(r.format.name, maxName))
	}
}
