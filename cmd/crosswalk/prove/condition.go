package prove

import "fmt"

// condition is a side condition of the lemmas. docs/author/prove.md lists them, and the tests show
// for each that the proof of a losing converter goes through without it.
type condition string

const (
	known    condition = "known"    // a lemma is about the verb, and about its members
	always   condition = "always"   // the rule applies to every object: it has no "when"
	direct   condition = "direct"   // rules that lead through a third version move fields only
	one      condition = "one"      // one rule is about a field, and none about its inside
	place    condition = "place"    // both schemas name the rule's field, by properties, items and additionalProperties
	vacant   condition = "vacant"   // the other version has no field of its own at the place of a moved or dropped one
	field    condition = "field"    // a field without a rule is in both versions
	shape    condition = "shape"    // the schemas of a value that stays as it is name the same fields
	null     condition = "null"     // a field that a rule names cannot be null, and others are nullable in both versions
	defaults condition = "defaults" // no version sets a default that the other does not
	unknown  condition = "unknown"  // the objects around a rule's field have no fields that the schema does not name
	top      condition = "top"      // a field stays below the same member of the object, such as spec
	around   condition = "around"   // the objects that a move creates or deletes exist in one version only, and all their fields move
	partner  condition = "partner"  // each value that the schema allows has a partner of its own, or stays as it is
	kept     condition = "kept"     // a dropped field is kept for the way back, whatever changes
	outside  condition = "outside"  // a kept value comes back to the element that it was kept of
	accepted condition = "accepted" // the file accepts that the converter refuses some values
	stays    condition = "stays"    // the objects around a value that has to be kept are required in the other version, or not there
)

// valid is open where the other version rejects a generated object: no lemma, but lossy, decides it.
const valid = "valid"

// conditions are all of the lemmas.
var conditions = []condition{known, always, direct, one, place, vacant, field, shape, null, defaults, unknown, top, around, partner, kept, outside, accepted, stays}

// Open is a condition that the schemas do not decide, or that they contradict.
type Open struct {
	Condition string `json:"condition"`
	Line      int    `json:"line,omitempty"` // of the rule
	Path      string `json:"path"`
	Text      string `json:"text"`
}

func (o Open) String() string {
	at := ""
	if o.Line > 0 {
		at = fmt.Sprintf("line %d: ", o.Line)
	}
	return fmt.Sprintf("%s%s: %s (%s)", at, o.Path, o.Text, o.Condition)
}
