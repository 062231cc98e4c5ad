package values

import (
	"math/big"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// Field is a field of a schema with its values in the observed objects.
type Field struct {
	schema.Field
	Steps fieldpath.Path
	cells []cell // in the order of their spots
	byDef string // the default in the schema, as text; "" for none
}

// cell is a value at a spot.
type cell struct {
	at     spot
	value  any
	text   string   // canonical
	number *big.Rat // nil: it is none that can be compared
}

// isDefault reports whether an API server may have set the value.
func (v *Field) isDefault(c *cell) bool { return v.byDef != "" && c.text == v.byDef }

// NewField returns a field of a side with its values.
func (c *Compared) NewField(side int, f schema.Field) *Field {
	v := &Field{Field: f}
	path, err := fieldpath.Parse(f.Path)
	if err != nil || path.String() != f.Path {
		return v
	}
	v.Steps = path
	v.cells = cellsOf(c.Objects, side, path)
	if s := SchemaAt(c.crd, c.versions[side], f.Path); s != nil && s.Default != nil {
		v.byDef = compact(s.Default.Raw)
	}
	return v
}

// Any reports whether an object has the field.
func (v *Field) Any() bool { return len(v.cells) > 0 }
