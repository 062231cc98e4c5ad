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

// maxPath is the longest path of a field that is listed, in bytes: a name can have a megabyte.
const maxPath = 1 << 10

// Fields lists the fields that the version's schema names, sorted by path, to depth levels below
// the object, without the object's own apiVersion, kind and metadata. Schemas inside of allOf,
// anyOf, oneOf and not add no fields.
func (v *Version) Fields(depth int) []Field {
	list, _ := v.FieldsUpTo(depth, maxFields)
	return list
}

// FieldsUpTo is Fields with another bound. It also returns the number of fields that it leaves out,
// because they are deeper, too many, or have a path longer than 1 KiB.
func (v *Version) FieldsUpTo(depth, most int) (list []Field, more int) {
	l := fieldList{most: most}
	l.addFields(v.root, "", depth, true)
	return l.fields, l.more
}

// fieldList collects fields, and counts those that it leaves out.
type fieldList struct {
	fields     []Field
	most, more int
}

func (l *fieldList) addFields(n *node, path string, depth int, root bool) {
	if len(path) > maxPath { // those within are counted, with a path as long
		path = path[:maxPath+1]
	}
	for _, name := range slices.Sorted(maps.Keys(n.fields)) {
		if child := n.fields[name].node; child != nil && !(root && (name == "apiVersion" || name == "kind" || name == "metadata")) {
			l.addField(child, path+"."+name, depth-1)
		}
	}
	if n.additional != nil {
		l.addField(n.additional, path+".*", depth-1)
	}
}

func (l *fieldList) addField(n *node, path string, depth int) {
	at := len(l.fields)
	if kept := depth >= 0 && at < l.most && len(path) <= maxPath; kept {
		field := Field{Path: path, Type: n.want}
		if n.enum != nil && len(n.enum.others) == 0 {
			field.Enum = n.enum.texts
		}
		l.fields = append(l.fields, field)
		defer func() { l.fields[at].Leaf = len(l.fields) == at+1 }()
	} else {
		l.more++
	}
	if n.items != nil && n.items != n && n.items.describes() {
		l.addField(n.items, path+"[]", depth-1)
	}
	l.addFields(n, path, depth, false)
}

// describes says whether the node says anything of a value but that there is one.
func (n *node) describes() bool { return n.kinds != anyKind || n.fields != nil || n.additional != nil }
