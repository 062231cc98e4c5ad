package schema

// node is a schema that is ready to check values. Nodes are immutable once the definition is
// compiled.
//
// There are two kinds. A structural node describes the shape of a value, and so decides which parts
// the API server keeps. A node inside of allOf, anyOf, oneOf or not adds rules for a value that a
// structural node shapes. Its rules see only the parts that the structural node keeps.
type node struct {
	shape *node // nil in a structural node

	kinds     kinds  // the kinds that a value may have
	want      string // the same in words
	dropsNull bool   // where null is not allowed and there is no default, the API server drops the member that is null
	preserve  bool   // unknown fields are kept
	embedded  bool   // apiVersion, kind and metadata are known, and kept as they are
	root      bool   // of the whole resource, whose metadata is not checked

	fields     map[string]*field // of an object, by name
	additional *node             // of an object's other members; nil if there may be none
	required   []string
	mapKeys    []string // of an element of a list map: the names of its keys
	items      *node    // of an array's elements; nil if the schema does not describe them

	text    *textRules
	number  *numberRules
	members *sizeRules
	list    *listRules
	enum    *enum
	more    *combination
}

// field is a node's knowledge about the members of one name.
type field struct {
	node     *node // nil if the name is only required
	required int   // index in the node's required, or -1
	mapKey   int   // index in the node's mapKeys, or -1
}

// compileRoot compiles the schema of a version.
func compileRoot(d *definition) *node {
	n := compile(d, nil)
	n.root, n.embedded = true, true
	return n
}

// compile makes a node of a definition: a structural one if shape is nil, and else one that says
// more about shape.
func compile(d *definition, shape *node) *node {
	n := &node{
		shape:     shape,
		kinds:     d.accepts(),
		dropsNull: !d.nullable && !d.hasDefault,
		preserve:  d.preserve,
		embedded:  d.embedded,
		required:  distinct(d.required),
		text:      textRulesOf(d),
		number:    numberRulesOf(d),
		members:   sizeRulesOf(d.minProperties, d.maxProperties, members),
		list:      listRulesOf(d),
		enum:      enumOf(d.enum),
	}
	n.want = n.kinds.String()
	n.compileFields(d)
	if d.items != nil {
		n.items = compile(d.items, shape.part(shape.element()))
	} else if shape == nil {
		n.items = anything()
	}
	if d.listType == "map" {
		n.items.setMapKeys(d.listKeys)
	}
	n.combine(d)
	return n
}

// anything returns the structural node of a value that the schema does not describe. The API server
// drops all fields of an object there, and of objects in a list there.
func anything() *node {
	n := &node{kinds: anyKind}
	n.items = n
	return n
}

func (n *node) compileFields(d *definition) {
	switch {
	case d.additional != nil:
		n.additional = compile(d.additional, n.shape.part(n.shape.other()))
	case d.anything && n.shape == nil:
		n.additional = anything()
	}
	if len(d.properties)+len(n.required) == 0 {
		return
	}
	n.fields = make(map[string]*field, len(d.properties))
	for _, p := range d.properties {
		n.fields[p.name] = &field{node: compile(p.definition, n.shape.part(n.shape.member(p.name))), required: -1, mapKey: -1}
	}
	for i, name := range n.required {
		if f := n.fields[name]; f != nil {
			f.required = i
		} else {
			n.fields[name] = &field{required: i, mapKey: -1}
		}
	}
}

// setMapKeys makes n the node of the elements of a list map.
func (n *node) setMapKeys(names []string) {
	n.mapKeys = names
	for i, name := range names {
		n.fields[name].mapKey = i
	}
}

// keeps says whether unknown fields of the value are kept.
func (n *node) keeps() bool {
	if n.shape != nil {
		return n.shape.preserve
	}
	return n.preserve
}

// part returns the structural node of a part of a value that n shapes: child, or a node that allows
// anything if child is nil. It returns nil if n is nil.
func (n *node) part(child *node) *node {
	if n != nil && child == nil {
		return anything()
	}
	return child
}

// element returns the node of an array's elements. It and the next two methods return nil if n is
// nil or does not describe them.
func (n *node) element() *node {
	if n == nil {
		return nil
	}
	return n.items
}

// other returns the node of an object's members that are not among its properties.
func (n *node) other() *node {
	if n == nil {
		return nil
	}
	return n.additional
}

// member returns the node of an object's member.
func (n *node) member(name string) *node {
	if n == nil {
		return nil
	}
	if f := n.fields[name]; f != nil && f.node != nil {
		return f.node
	}
	return n.additional
}

// distinct returns the names without repetitions.
func distinct(names []string) []string {
	var once []string
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			once = append(once, name)
		}
	}
	return once
}
