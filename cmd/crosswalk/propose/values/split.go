package values

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// Parted is a text of which other fields have the parts.
type Parted struct {
	Parts     []*Field // in the order of the text
	Separator string
	Absent    string // the text of an absent part; "" if all are there
	Objects   int
	First     string // the first object, with the text
}

// maxParts is the number of parts of a text.
const maxParts = 16

// Split relates a text to the fields with its parts. All objects have to show it, and no other field
// may fit a place in the text. mayLack allows absent parts, which stand as * in the text.
func Split(c *Compared, f *Field, fields []*Field, mayLack bool) *Parted {
	texts := make([]map[int]string, len(fields)) // by object
	for i, g := range fields {
		texts[i] = map[int]string{}
		for _, one := range g.cells {
			s, isText := one.value.(string)
			if !isText || one.at.around != "" {
				return nil
			}
			texts[i][one.at.object] = s
		}
	}
	absents := []string{""}
	if mayLack {
		absents = append(absents, "*")
	}
	for _, separator := range []string{" ", ":", "/", "-", ",", ".", "@", "=", ";", "|"} {
		for _, absent := range absents {
			if p := splitAt(c, f, texts, separator, absent); p != nil {
				for i, part := range p.order {
					p.Parts[i] = fields[part]
				}
				return &p.Parted
			}
		}
	}
	return nil
}

type ordered struct {
	Parted
	order []int
}

func splitAt(c *Compared, f *Field, texts []map[int]string, separator, absent string) *ordered {
	p := &ordered{Parted: Parted{Separator: separator, Absent: absent, Objects: len(f.cells)}}
	var fitting [][]int // fields, by place in the text
	has := map[int]bool{}
	for n, one := range f.cells {
		s, isText := one.value.(string)
		parts := strings.Split(s, separator)
		has[one.at.object] = true
		if !isText || one.at.around != "" || len(parts) < 2 || len(parts) > maxParts || n > 0 && len(parts) != len(fitting) || slices.Contains(parts, "") {
			return nil
		}
		if n == 0 {
			p.First = fmt.Sprintf("%s has %s", c.Objects[one.at.object].Name, foreign.Shorten(one.text, maxShownName))
			for range parts {
				all := make([]int, len(texts))
				for i := range all {
					all[i] = i
				}
				fitting = append(fitting, all)
			}
		}
		for at, part := range parts {
			fitting[at] = slices.DeleteFunc(fitting[at], func(i int) bool {
				value, there := texts[i][one.at.object]
				return there && value != part || !there && (absent == "" || part != absent)
			})
		}
	}
	for _, all := range fitting {
		if len(all) != 1 || slices.Contains(p.order, all[0]) || len(texts[all[0]]) == 0 {
			return nil
		}
		for object := range texts[all[0]] {
			if !has[object] { // a part without the text
				return nil
			}
		}
		p.order = append(p.order, all[0])
	}
	if len(p.order) == 0 {
		return nil
	}
	p.Parts = make([]*Field, len(p.order))
	return p
}
