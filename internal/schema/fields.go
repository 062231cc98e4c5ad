package schema

import (
	"maps"
	"slices"
)

// Field is a place in the objects of a version.
type Field struct {
	Path string // .spec.ports[].name; a member of any name is .*
	Type string // the types that are allowed: "a string", "an integer or a string"
	Leaf bool   // the schema does not describe the values below it

	// Enum lists the strings that are allowed, in the schema's order; nil if others are, too.
	Enum []string
}

// maxFields is the most fields that Fields returns: more than a person reads.
const maxFields = 2000

// Fields lists the fields that the version's schema names, sorted by path, to depth levels below
// the object, without the object's own apiVersion, kind and metadata. Schemas inside of allOf,
// anyOf, oneOf and not add no fields.
func (v *Version) Fields(depth int) []Field {
	var list []Field
	v.root.addFields(&list, "", depth, true)
	return list
}

func (n *node) addFields(list *[]Field, path string, depth int, root bool) {
	if depth == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(n.fields)) {
		if child := n.fields[name].node; child != nil && !(root && (name == "apiVersion" || name == "kind" || name == "metadata")) {
			child.addField(list, path+"."+name, depth-1)
		}
	}
	if n.additional != nil {
		n.additional.addField(list, path+".*", depth-1)
	}
}

func (n *node) addField(list *[]Field, path string, depth int) {
	if len(*list) == maxFields {
		return
	}
	at := len(*list)
	field := Field{Path: path, Type: n.want}
	if n.enum != nil && len(n.enum.others) == 0 {
		field.Enum = n.enum.texts
	}
	*list = append(*list, field)
	if n.items != nil && n.items != n && n.items.describes() {
		n.items.addField(list, path+"[]", depth-1)
	}
	n.addFields(list, path, depth, false)
	(*list)[at].Leaf = len(*list) == at+1
}

// describes says whether the node says anything of a value but that there is one.
func (n *node) describes() bool { return n.kinds != anyKind || n.fields != nil || n.additional != nil }
