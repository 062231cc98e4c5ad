// Package vocabulary is the table of the verbs and their members. The reader of files, the JSON Schema
// for editors and the documentation follow it.
package vocabulary

// shape is the kind of value that a member of a rule has. The JSON Schema and the parser both
// follow it.
type shape int

const (
	aPath shape = iota
	aName       // a member's name
	AText
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
	aTest      // a condition of both versions, or a list
	aDirection // {to, reason}
	someNames  // a list of [text, text]
	someGroups // the same, and the first text may be empty
	AnObject   // any mapping
)

// Member is a member that a rule may have.
type Member struct {
	Name     string
	Shape    shape
	Words    []string // of aWord
	Required bool
	About    string
}

// Verb is a kind of rule: its first member names it, and has the value in the version that the
// conversion is from.
type Verb struct {
	Member
	Inverse string // the verb that says the same with the versions exchanged; "" if there is none
	Members []Member
}

// Members that several verbs have.
var (
	toPath    = Member{Name: "to", Shape: aPath, About: "the field in the other version, if its path is different there; [] and .* must be in the same place in both"}
	eachRules = Member{Name: "each", Shape: someRules, About: "rules for each element of the list; their paths begin at the element, and . is the element itself"}
	typeName  = Member{Name: "type", Shape: aWord, Words: []string{"string", "integer", "number", "boolean", "object"}, About: "the type of the value: other values are refused, with a message that names the path"}
	message   = Member{Name: "message", Shape: AText, About: "the refusal, where {path} and {value} are filled in"}
	inVersion = Member{Name: "in", Shape: aVersion, Required: true, About: "the version that has the field"}
	reason    = Member{Name: "reason", Shape: AText, About: "the reason why clients of the other version need not see the field: crosswalk test then does not ask for a rule that shows it"}
	forFields = Member{Name: "for", Shape: dependence, About: "the fields of the other version that the field depends on: a list of paths, or object for everything except metadata and status; if that changes, the field is not restored. Default: nothing, and within a list, the list"}
	unfit     = Member{Name: "unfit", Shape: aWord, Words: []string{"refuse", "stash"}, About: "the treatment of a value that the other version cannot say: refuse refuses the object (the default), stash keeps the value in the stash until the field of the other version is set"}
	keyName   = Member{Name: "key", Shape: aName, Required: true, About: "the member of an element that is the key in the map"}

	splitMembers = []Member{
		{Name: "separator", Shape: AText, About: "the text between the parts"},
		{Name: "at", Shape: aWord, Words: []string{"every", "first", "last"}, About: "which separators to cut at: every one (the default), the first ones, so that the last part may contain separators, or the last ones, so that the first part may"},
		{Name: "words", Shape: aBool, About: "the parts are words between white space; instead of a separator"},
		{Name: "hostPort", Shape: aBool, About: "the parts are a host and a port, with brackets around an IPv6 address; instead of a separator"},
		{Name: "partial", Shape: aPartial, About: "the treatment of the other parts if some are absent: stash keeps them in the stash (the default), leave leaves them where they are, refuse refuses the object, and {annotation: NAME} keeps them in an annotation of its own, as name=value"},
		{Name: "absent", Shape: AText, About: "the text of an absent part in the string, such as *. The parts are then members of an object of their own, which is there if the string is, and may have its place"},
		{Name: "messages", Shape: someTexts, About: "refusals in other words, where {path}, {value} and {count} are filled in"},
		unfit,
	}
	listing = []Member{
		toPath, keyName, unfit,
		{Name: "value", Shape: aName, About: "the member of an element that is the value in the map; without it, the value is an object with the other members"},
		{Name: "optional", Shape: aBool, About: "an element may lack the value, which is null in the map"},
		eachRules,
	}
	wrapping = []Member{
		toPath, typeName,
		{Name: "rest", Shape: aRest, About: "where the other elements of a longer list are kept: stash (the default), or {annotation: NAME, key: NAME}, an annotation with a JSON object that has the list at the key"},
	}
	nesting   = []Member{toPath, {Name: "key", Shape: aName, Required: true, About: "the member of the object that has the value"}, typeName, message}
	separator = Member{Name: "separator", Shape: AText, Required: true, About: "the text between the elements"}
)

// Inverted are the verbs that are read as another one with the versions exchanged.
var Inverted = map[string]string{"unwrap": "wrap", "unnest": "nest", "joinList": "splitList", "join": "split", "mapFromList": "listFromMap"}

// Verbs are all rules there are.
var Verbs = []Verb{
	{Member{Name: "rename", Shape: aPath, About: "gives a field another name; it keeps its place in its object"}, "rename", []Member{
		{Name: "to", Shape: aPath, Required: true, About: "the path with the new name, in the same object"}}},
	{Member{Name: "move", Shape: aPath, About: "moves a field to another object. Objects that become empty are deleted, and absent ones are made"}, "move", []Member{
		{Name: "to", Shape: aPath, Required: true, About: "the path in the other version"}, eachRules,
		{Name: "rules", Shape: someRules, About: "rules for the moved object; their paths begin at it"}}},
	{Member{Name: "split", Shape: aPath, About: "splits a string into fields"}, "join", append([]Member{
		{Name: "to", Shape: someParts, Required: true, About: "a path for each part, or {path, type: integer}"}}, splitMembers...)},
	{Member{Name: "join", Shape: someParts, About: "joins fields to a string"}, "split", append([]Member{
		{Name: "to", Shape: aPath, Required: true, About: "the path of the string"}}, splitMembers...)},
	{Member{Name: "splitList", Shape: aPath, About: "splits a string into a list of strings; the empty string is the empty list"}, "joinList", []Member{toPath, separator, unfit}},
	{Member{Name: "joinList", Shape: aPath, About: "joins a list of strings to a string"}, "splitList", []Member{toPath, separator, unfit}},
	{Member{Name: "listFromMap", Shape: aPath, About: "turns a map into a list of objects with a key, in the same order"}, "mapFromList", listing},
	{Member{Name: "mapFromList", Shape: aPath, About: "turns a list of objects with a key into a map"}, "listFromMap", listing},
	{Member{Name: "translate", Shape: aPath, About: "replaces values by other values"}, "translate", []Member{toPath,
		{Name: "values", Shape: somePairs, Required: true, About: "pairs of a value and its partner in the other version; absent, without quotes, is a field that is not there"},
		{Name: "others", Shape: aWord, Words: []string{"keep", "refuse"}, About: "the treatment of values without a partner: keep (the default) or refuse"},
		{Name: "merge", Shape: aBool, About: "true: several values may have one partner. The first pair with it counts on the way back, and the stash keeps the other values until the partner changes"}, message}},
	{Member{Name: "convert", Shape: aPath, About: "converts between strings, numbers, quantities, durations and units"}, "convert", []Member{toPath,
		{Name: "as", Shape: twoTypes, Required: true, About: "the types in both versions: string, integer, number, boolean, duration, quantity, or a unit, which is an integer that counts it: ns us ms s min h beside duration or one another, and n u m 1 k M G T P E Ki Mi Gi Ti Pi Ei bytes beside quantity or one another; apiVersion beside apiGroup; intOrString beside integer, of which texts do not fit"},
		{Name: "versions", Shape: someGroups, About: "for apiVersion and apiGroup: pairs of a group and the version that it gets, such as [apps, v1]"},
		{Name: "inexact", Shape: aWord, Words: []string{"stash", "refuse", "round"}, About: "the treatment of a value that the other side does not give back, such as 90m: stash keeps it until the number changes (the default), round does not, and both round up; refuse refuses a value that would be rounded"}, unfit, message}},
	{Member{Name: "renameKeys", Shape: aPath, About: "gives keys of a map other names"}, "renameKeys", []Member{toPath,
		{Name: "values", Shape: someNames, Required: true, About: "pairs of a key and its name in the other version; other keys stay"},
		{Name: "prefix", Shape: aBool, About: "true: the pairs are about all keys that begin with their texts"}}},
	{Member{Name: "skip", Shape: aPath, About: "omits elements of a list that the other version cannot have; the stash keeps the whole list until the list changes"}, "skip", []Member{toPath, inVersion,
		{Name: "where", Shape: aTest, Required: true, About: "the condition for these elements, like when; its path begins at the element. Of a list of conditions all have to hold"},
		eachRules}},
	{Member{Name: "wrap", Shape: aPath, About: "turns a value into a list of it"}, "unwrap", wrapping},
	{Member{Name: "unwrap", Shape: aPath, About: "turns a list of one value into the value"}, "wrap", wrapping},
	{Member{Name: "nest", Shape: aPath, About: "turns a value into an object that has it as a member"}, "unnest", nesting},
	{Member{Name: "unnest", Shape: aPath, About: "turns an object into one of its members"}, "nest", nesting},
	{Member{Name: "default", Shape: aPath, About: "gives a field that only one version has a value if it is absent, except in a fragment; the other direction leaves it as it is"}, "", []Member{inVersion,
		{Name: "value", Shape: aValue, Required: true, About: "the default"}, reason}},
	{Member{Name: "constant", Shape: aPath, About: "gives a field that only one version has a value, except in a fragment; the other direction removes it, and stashes another value"}, "", []Member{inVersion,
		{Name: "value", Shape: aValue, Required: true, About: "the value"}, reason}},
	{Member{Name: "drop", Shape: aPath, About: "removes a field that only one version has, and keeps it in the stash"}, "", []Member{inVersion,
		forFields,
		{Name: "stash", Shape: aBool, About: "false removes the field for good"}, reason}},
	{Member{Name: "copy", Shape: aPath, About: "gives a field that only one version has the value of another field; the other direction removes a copy, and keeps another value in the stash, or that there is none"}, "", []Member{inVersion,
		{Name: "of", Shape: aPath, Required: true, About: "the field of the same version that is copied, which another rule may bring to its place"}, forFields, reason}},
	{Member{Name: "each", Shape: aPath, About: "applies rules to each element of a list, or to each member of a map"}, "each", []Member{toPath,
		{Name: "rules", Shape: someRules, Required: true, About: "the rules; their paths begin at the element"},
		{Name: "map", Shape: aBool, About: "the value is a map"}}},
}

// TopMembers are the members of a file.
var TopMembers = []Member{
	{Name: "kind", Shape: AText, Required: true, About: "the kind, as in the CustomResourceDefinition: CronTab"},
	{Name: "group", Shape: AText, Required: true, About: "the API group: stable.example.com"},
	{Name: "name", Shape: AText, About: "the module's name in its description; the kind in lower case by default"},
	{Name: "version", Shape: AText, About: "the version of these rules in the module's description"},
	{Name: "licence", Shape: AText, About: "the licence of these rules in the module's description"},
	{Name: "crd", Shape: AText, About: "the file with the CustomResourceDefinition, by its path from this one, for commands without --crd; crd.yaml by default"},
	{Name: "conversions", Required: true, About: "pairs of versions, with the rules between them. Modules convert along chains of pairs"},
	{Name: "cases", About: "golden cases, as in a sidecar: crosswalk compile runs them, and writes them to the module's sidecar"},
	{Name: "lossy", About: "losses that are meant, as in a sidecar, to which crosswalk compile writes them: crosswalk test and fuzz then accept them"},
}

// StepMembers are the members of a pair of versions.
var StepMembers = []Member{
	{Name: "from", Shape: AText, Required: true, About: "a version; paths of rules are its paths"},
	{Name: "to", Shape: AText, Required: true, About: "the other version; the paths at to are its paths"},
	{Name: "shared", Shape: somePaths, About: "objects that both versions have although rules move fields into or out of them: an empty one stays. Other such objects are taken for objects of one version"},
	{Name: "rules", Shape: someRules, Required: true, About: "the fields that correspond; all others are the same in both"},
}

// MessageMembers are the members of messages.
var MessageMembers = []Member{
	{Name: "split", Shape: AText, About: "the refusal of a string with another number of parts"},
	{Name: "part", Shape: AText, About: "the refusal of a part that cannot be joined"},
	{Name: "partial", Shape: AText, About: "the refusal of absent parts or of a malformed annotation"},
}

// PartMembers are the members of a part that is not only a path.
var PartMembers = []Member{
	{Name: "path", Shape: aPath, Required: true, About: "the field"},
	{Name: "type", Shape: aWord, Words: []string{"string", "integer"}, About: "the type of the field: string (the default) or integer"},
}

// ConditionMembers are the members of a condition.
var ConditionMembers = []Member{
	{Name: "path", Shape: aPath, Required: true, About: "the field"},
	{Name: "equals", Shape: aValue, About: "the value that the field has"},
	{Name: "in", Shape: aValue, About: "a list of values, one of which the field has"},
	{Name: "exists", Shape: aBool, About: "true: the field is there; false: it is absent or null"},
	{Name: "not", Shape: aBool, About: "true inverts the condition"},
}

// LossMembers are the members of an accepted loss, which the reader of sidecars knows.
var LossMembers = []Member{
	{Name: "from", Shape: AText, Required: true, About: "the version in which the value is"},
	{Name: "to", Shape: AText, Required: true, About: "the version that loses it"},
	{Name: "path", Shape: AText, Required: true, About: "the field, as crosswalk test shows it; with .* at its end, everything below"},
	{Name: "reason", Shape: AText, Required: true, About: "the reason why nobody misses it"},
	{Name: "class", Shape: AText, About: "only findings of this class: value, empty, noField, default, or hidden for a field that the other version does not show"},
}

// CaseMembers are the members of a golden case, which the reader of sidecars knows.
var CaseMembers = []Member{
	{Name: "name", Shape: AText, About: "a sentence about the case"},
	{Name: "from", Shape: AText, Required: true, About: "the version of the object"},
	{Name: "to", Shape: AText, Required: true, About: "the version to convert to"},
	{Name: "object", Shape: AnObject, Required: true, About: "the object; apiVersion, kind and metadata are filled in if they are absent"},
	{Name: "want", Shape: AnObject, About: "the converted object"},
	{Name: "wantError", Shape: AText, About: "the message of the refusal, instead of want"},
	{Name: "stash", Shape: AnObject, About: "the values that the stash keeps, by pointer: {/spec/tls: {…}}"},
	{Name: "thereAndBack", Shape: aBool, About: "true: the answer, converted back, must be the object"},
}

// When is a member of all rules.
var When = Member{Name: "when", Shape: aCondition, About: "applies the rule only if the field at path, which both versions have, has a value: {path: spec.mode, equals: x}, {path, in: [x, y]} or {path, exists: true}; with not: true, only if not; of a list of conditions all have to hold. Different for each version: {v1: {path, …}, v2: {path, …}}"}

// OneWay is a member of all rules that have an inverse.
var OneWay = Member{Name: "oneWay", Shape: aDirection, About: "applies the rule in conversions to one version only, and removes the field in those from it: {to: v2, reason: the reason why nobody misses the value}. The losses are accepted as in lossy"}

// DirectionMembers are the members of oneWay.
var DirectionMembers = []Member{
	{Name: "to", Shape: aVersion, Required: true, About: "the version that the rule converts to"},
	{Name: "reason", Shape: AText, Required: true, About: "the reason why nobody misses the value in the other direction"},
}

// Allowed returns the members that a rule may have besides its verb.
func (v *Verb) Allowed() []Member {
	if v.Inverse == "" {
		return append([]Member{When}, v.Members...)
	}
	return append([]Member{When, OneWay}, v.Members...)
}
