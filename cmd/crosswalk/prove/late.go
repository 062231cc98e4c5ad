package prove

import (
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// look is a value of a version that the converter looks at when the object comes back, to decide
// whether it restores a value, or which elements it omits.
type look struct {
	line   int
	at     path
	inside bool // it looks at the value as a whole
}

// late is what a converter looks at on the way back, and the fields of converted objects that an API
// server sets before.
type late struct {
	looked [2][]look // by the version that has the values
	set    [2][]path
}

// looks notes a look at a value of a version.
func (l *late) looks(side int, one look) { l.looked[side] = append(l.looked[side], one) }

// lacks decides about a field that objects of the other version do not have: an API server sets it after
// the conversion if the schema has a default, and the object lacks it until then.
func (p *stash) lacks(side, line int, at path, f *schema.Structural) {
	if f.Default.Object == nil {
		return
	}
	p.late.set[side] = append(p.late.set[side], at)
	p.limit(unset, line, at, "objects that clients write at %s lack its default at %s: API servers set it when they decode, and not after a conversion", p.versions[1-side], p.versions[side])
}

// seen calls found with each look that sees such a field: the converter has to find the values that it
// looks at as it left them.
func (l *late) seen(found func(side int, one look, field path)) {
	for side, looked := range l.looked {
		for _, one := range looked {
			for _, f := range l.set[side] {
				n := f.Common(one.at)
				if n == len(f) || one.inside && n == len(one.at) && !(n == 0 && f[0] == "status") {
					found(side, one, f)
				}
			}
		}
	}
}
