package schema

import (
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// textRules are the rules for strings.
type textRules struct {
	length      *sizeRules
	pattern     *regexp.Regexp
	patternWork int    // units for each byte of a text
	patternRule string // the rule that a text violates
	format      *format
}

// textRulesOf returns nil if the schema has no such rules.
func textRulesOf(d *definition) *textRules {
	r := &textRules{length: sizeRulesOf(d.minLength, d.maxLength, characters), pattern: d.pattern, format: d.checks}
	if *r == (textRules{}) {
		return nil
	}
	if r.pattern != nil {
		r.patternWork = workOfPattern(d.patternSize)
		r.patternRule = "must match the pattern " + strconv.Quote(foreign.Shorten(r.pattern.String(), maxRule))
	}
	return r
}

// workOfPattern returns the units for each byte of a text that a pattern of so many instructions is
// matched with. regexp remembers which instructions it has tried at which byte while there are few
// hundred of them; beyond, each may take several nanoseconds for each byte.
func workOfPattern(size int) int {
	if size > 1000 {
		return 2 * size
	}
	return size/2 + 4 // most texts keep few of them busy
}

// text checks the content of a string. It does not try the pattern if the length is wrong, so
// maxLength bounds the time.
func (c *checker) text(r *textRules, text []byte) {
	if r.length != nil && !c.size(r.length, int64(utf8.RuneCount(text))) {
		return
	}
	if r.pattern != nil && c.affords(r.patternWork*(len(text)+1)) && !r.pattern.Match(text) {
		c.violate(r.patternRule)
	}
	if r.format != nil && c.affords(workOfFormat*len(text)) && !r.format.matches(text) {
		c.violate("must have the format ", r.format.name)
	}
}

// affords charges a match and reports whether to do it. A match that takes too much work by itself
// is skipped; in a trial it counts as undecided.
func (c *checker) affords(units int) bool {
	if units > workOfMatch {
		c.trial.unsure = true
		if c.skipped == nil {
			c.skipped = fmt.Errorf("%s: the text is too long for its pattern or format: %w", c.where(""), ErrWork)
		}
		return false
	}
	c.spend(units)
	return !c.over()
}
