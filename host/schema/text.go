package schema

import (
	"regexp"
	"strconv"

	"github.com/crosswalk-gateway/crosswalk/host/schema/internal/definition"
	"github.com/crosswalk-gateway/crosswalk/host/schema/internal/format"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// textRules are the rules for strings.
type textRules struct {
	length      *sizeRules
	pattern     *regexp.Regexp
	patternWork int    // units for each byte of a text
	patternRule string // the rule that a text violates
	format      *format.Format
}

// textRulesOf returns nil if the schema has no such rules.
func textRulesOf(d *definition.Schema) *textRules {
	r := &textRules{length: sizeRulesOf(d.MinLength, d.MaxLength, characters), pattern: d.Pattern, format: d.Check}
	if *r == (textRules{}) {
		return nil
	}
	if r.pattern != nil {
		r.patternWork = workOfPattern(d.PatternSize)
		r.patternRule = "must match the pattern " + strconv.Quote(foreign.Shorten(r.pattern.String(), definition.MaxRule))
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
