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

// anything returns the structural node of a value that the schema does not describe. The API server
// drops all fields of an object there, and of objects in a list there.
func anything() *node {
	n := &node{kinds: anyKind}
	n.items = n
	return n
}

// keeps reports whether unknown fields of the value are kept.
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

// combination is a schema's allOf, anyOf, oneOf and not.
type combination struct {
	all, any, one    []*node
	not              *node
	anyRule, oneRule string // the rule that a value violates if it does not match
}
