package rules

// shape is the kind of value that a member of a rule has. The JSON Schema and the parser both
// follow it.
type shape int

const (
	aPath shape = iota
	aName       // a member's name
	aText
	aBool
	aVersion
	aWord      // one of words
	aValue     // any JSON
	somePaths  // a list of paths
	someParts  // a list of paths, or of {path, type}
	somePairs  // a list of [value, value]
	twoTypes   // [type, type]
	someRules  // a list of rules
	aCondition // {path, equals | in | exists}
	dependence // object, or a list of paths
	aRest      // stash, or {annotation, key}
	aPartial   // stash, leave, refuse, or {annotation}
	someTexts  // messageMembers
	anObject   // any mapping
)

// member is a member that a rule may have.
type member struct {
	name     string
	shape    shape
	words    []string // of aWord
	required bool
	about    string
}

// verb is a kind of rule: its first member names it, and has the value in the version that the
// conversion is from.
type verb struct {
	member
	inverse string // the verb that says the same with the versions exchanged; "" if there is none
	members []member
}

// Members that several verbs have.
var (
	toPath    = member{name: "to", shape: aPath, about: "the field in the other version, if its path is different there; [] and .* must be in the same place in both"}
	eachRules = member{name: "each", shape: someRules, about: "rules for each element of the list; their paths begin at the element, and . is the element itself"}
	typeName  = member{name: "type", shape: aWord, words: []string{"string", "integer", "number", "boolean", "object"}, about: "the type of the value: other values are refused, with a message that names the path"}
	message   = member{name: "message", shape: aText, about: "the refusal, where {path} and {value} are filled in"}
	inVersion = member{name: "in", shape: aVersion, required: true, about: "the version that has the field"}
	keyName   = member{name: "key", shape: aName, required: true, about: "the member of an element that is the key in the map"}

	splitMembers = []member{
		{name: "separator", shape: aText, about: "the text between the parts"},
		{name: "at", shape: aWord, words: []string{"every", "first", "last"}, about: "which separators to cut at: every one (the default), the first ones, so that the last part may contain separators, or the last ones, so that the first part may"},
		{name: "words", shape: aBool, about: "the parts are words between white space; instead of a separator"},
		{name: "hostPort", shape: aBool, about: "the parts are a host and a port, with brackets around an IPv6 address; instead of a separator"},
		{name: "partial", shape: aPartial, about: "the treatment of the other parts if some are absent: stash keeps them in the stash (the default), leave leaves them where they are, refuse refuses the object, and {annotation: NAME} keeps them in an annotation of its own, as name=value"},
		{name: "absent", shape: aText, about: "the text of an absent part in the string, such as *. The parts are then members of an object of their own, which is there if the string is, and may have its place"},
		{name: "messages", shape: someTexts, about: "refusals in other words, where {path}, {value} and {count} are filled in"},
	}
	listing = []member{
		toPath, keyName,
		{name: "value", shape: aName, about: "the member of an element that is the value in the map; without it, the value is an object with the other members"},
		{name: "optional", shape: aBool, about: "an element may lack the value, which is null in the map"},
		eachRules,
	}
	wrapping = []member{
		toPath, typeName,
		{name: "rest", shape: aRest, about: "where the other elements of a longer list are kept: stash (the default), or {annotation: NAME, key: NAME}, an annotation with a JSON object that has the list at the key"},
	}
	nesting   = []member{toPath, {name: "key", shape: aName, required: true, about: "the member of the object that has the value"}, typeName, message}
	separator = member{name: "separator", shape: aText, required: true, about: "the text between the elements"}
)

// verbs are all rules there are.
var verbs = []verb{
	{member{name: "rename", shape: aPath, about: "gives a field another name; it keeps its place in its object"}, "rename", []member{
		{name: "to", shape: aPath, required: true, about: "the path with the new name, in the same object"}}},
	{member{name: "move", shape: aPath, about: "moves a field to another object. Objects that become empty are deleted, and absent ones are made"}, "move", []member{
		{name: "to", shape: aPath, required: true, about: "the path in the other version"}, eachRules,
		{name: "rules", shape: someRules, about: "rules for the moved object; their paths begin at it"}}},
	{member{name: "split", shape: aPath, about: "splits a string into fields"}, "join", append([]member{
		{name: "to", shape: someParts, required: true, about: "a path for each part, or {path, type: integer}"}}, splitMembers...)},
	{member{name: "join", shape: someParts, about: "joins fields to a string"}, "split", append([]member{
		{name: "to", shape: aPath, required: true, about: "the path of the string"}}, splitMembers...)},
	{member{name: "splitList", shape: aPath, about: "splits a string into a list of strings; the empty string is the empty list"}, "joinList", []member{toPath, separator}},
	{member{name: "joinList", shape: aPath, about: "joins a list of strings to a string"}, "splitList", []member{toPath, separator}},
	{member{name: "listFromMap", shape: aPath, about: "turns a map into a list of objects with a key, in the same order"}, "mapFromList", listing},
	{member{name: "mapFromList", shape: aPath, about: "turns a list of objects with a key into a map"}, "listFromMap", listing},
	{member{name: "translate", shape: aPath, about: "replaces values by other values"}, "translate", []member{toPath,
		{name: "values", shape: somePairs, required: true, about: "pairs of a value and its partner in the other version; absent, without quotes, is a field that is not there"},
		{name: "others", shape: aWord, words: []string{"keep", "refuse"}, about: "the treatment of values without a partner: keep (the default) or refuse"}, message}},
	{member{name: "convert", shape: aPath, about: "converts between strings, numbers, quantities, durations and units"}, "convert", []member{toPath,
		{name: "as", shape: twoTypes, required: true, about: "the types in both versions: string, integer, number, boolean, duration, quantity, or a unit, which is an integer that counts it: ns us ms s min h beside duration or one another, and n u m 1 k M G T P E Ki Mi Gi Ti Pi Ei bytes beside quantity or one another"},
		{name: "inexact", shape: aWord, words: []string{"stash", "refuse", "round"}, about: "the treatment of a value that the other side does not give back, such as 90m: stash keeps it until the number changes (the default), round does not, and both round up; refuse refuses a value that would be rounded"}, message}},
	{member{name: "wrap", shape: aPath, about: "turns a value into a list of it"}, "unwrap", wrapping},
	{member{name: "unwrap", shape: aPath, about: "turns a list of one value into the value"}, "wrap", wrapping},
	{member{name: "nest", shape: aPath, about: "turns a value into an object that has it as a member"}, "unnest", nesting},
	{member{name: "unnest", shape: aPath, about: "turns an object into one of its members"}, "nest", nesting},
	{member{name: "default", shape: aPath, about: "gives a field that only one version has a value if it is absent, except in a fragment; the other direction leaves it as it is"}, "", []member{inVersion,
		{name: "value", shape: aValue, required: true, about: "the default"}}},
	{member{name: "constant", shape: aPath, about: "gives a field that only one version has a value, except in a fragment; the other direction removes it, and stashes another value"}, "", []member{inVersion,
		{name: "value", shape: aValue, required: true, about: "the value"}}},
	{member{name: "drop", shape: aPath, about: "removes a field that only one version has, and keeps it in the stash"}, "", []member{inVersion,
		{name: "for", shape: dependence, about: "the fields of the other version that the field depends on: a list of paths, or object for everything except metadata and status; if that changes, the field is not restored. Default: nothing, and within a list, the list"},
		{name: "stash", shape: aBool, about: "false removes the field for good"}}},
	{member{name: "each", shape: aPath, about: "applies rules to each element of a list, or to each member of a map"}, "each", []member{toPath,
		{name: "rules", shape: someRules, required: true, about: "the rules; their paths begin at the element"},
		{name: "map", shape: aBool, about: "the value is a map"}}},
}

// messageMembers are the members of messages.
var messageMembers = []member{
	{name: "split", shape: aText, about: "the refusal of a string with another number of parts"},
	{name: "part", shape: aText, about: "the refusal of a part that cannot be joined"},
	{name: "partial", shape: aText, about: "the refusal of absent parts or of a malformed annotation"},
}

// partMembers are the members of a part that is not only a path.
var partMembers = []member{
	{name: "path", shape: aPath, required: true, about: "the field"},
	{name: "type", shape: aWord, words: []string{"string", "integer"}, about: "the type of the field: string (the default) or integer"},
}

// conditionMembers are the members of a condition.
var conditionMembers = []member{
	{name: "path", shape: aPath, required: true, about: "the field"},
	{name: "equals", shape: aValue, about: "the value that the field has"},
	{name: "in", shape: aValue, about: "a list of values, one of which the field has"},
	{name: "exists", shape: aBool, about: "true: the field is there; false: it is absent or null"},
	{name: "not", shape: aBool, about: "true inverts the condition"},
}

// lossMembers are the members of an accepted loss, which the reader of sidecars knows.
var lossMembers = []member{
	{name: "from", shape: aText, required: true, about: "the version in which the value is"},
	{name: "to", shape: aText, required: true, about: "the version that loses it"},
	{name: "path", shape: aText, required: true, about: "the field, as crosswalk test shows it; with .* at its end, everything below"},
	{name: "reason", shape: aText, required: true, about: "the reason why nobody misses it"},
	{name: "class", shape: aText, about: "only losses of this class: value, empty or noField"},
}

// caseMembers are the members of a golden case, which the reader of sidecars knows.
var caseMembers = []member{
	{name: "name", shape: aText, about: "a sentence about the case"},
	{name: "from", shape: aText, required: true, about: "the version of the object"},
	{name: "to", shape: aText, required: true, about: "the version to convert to"},
	{name: "object", shape: anObject, required: true, about: "the object; apiVersion, kind and metadata are filled in if they are absent"},
	{name: "want", shape: anObject, about: "the converted object"},
	{name: "wantError", shape: aText, about: "the message of the refusal, instead of want"},
	{name: "stash", shape: anObject, about: "the values that the stash keeps, by pointer: {/spec/tls: {…}}"},
	{name: "thereAndBack", shape: aBool, about: "true: the answer, converted back, must be the object"},
}

// when is a member of all rules.
var when = member{name: "when", shape: aCondition, about: "applies the rule only if the field at path, which both versions have, has a value: {path: spec.mode, equals: x}, {path, in: [x, y]} or {path, exists: true}; with not: true, only if not; of a list of conditions all have to hold. Different for each version: {v1: {path, …}, v2: {path, …}}"}
