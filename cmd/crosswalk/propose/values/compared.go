package values

import (
	"fmt"
	"math/big"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// Observation is one object in both versions.
type Observation struct {
	Name    string
	Objects [2]map[string]any
}

// Compared is the objects of which values are compared.
type Compared struct {
	Objects  []Observation
	left     int // comparisons of two values
	crd      *apiextensionsv1.CustomResourceDefinition
	versions [2]string
}

// maxComparisons bounds the comparisons of values for two versions, to some seconds.
const maxComparisons = 5_000_000

// Exhausted reports whether there were too many values to compare all.
func (c *Compared) Exhausted() bool { return c.left < 0 }

// MaxComparisons is how many values are compared.
const MaxComparisons = maxComparisons

// shown returns an object with its values, one of which may be nil, for a comment.
func (c *Compared) shown(a, b *cell) string {
	text := func(c *cell) string {
		if c == nil {
			return "nothing"
		}
		return foreign.Shorten(c.text, maxShownName)
	}
	one := a
	if one == nil {
		one = b
	}
	return fmt.Sprintf("%s has %s and %s", c.Objects[one.at.object].Name, text(a), text(b))
}

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

// Only returns the value that the field has in each of the objects, of which there are several, as
// JSON; "" if they differ or one lacks it.
func (v *Field) Only(objects int) string {
	if objects < 2 || len(v.cells) != objects || slices.ContainsFunc(v.cells, func(c cell) bool { return c.at.around != "" || c.text != v.cells[0].text || v.isDefault(&c) }) {
		return ""
	}
	return v.cells[0].text
}
