package extract

import (
	"go/types"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// Opaque are the struct types that every version has and no reached function looks into. Each
// becomes a struct with a string, the JSON text of the value, which a conversion copies as a whole.
type Opaque struct {
	Types map[*types.TypeName]string // the JSON text of a zero value
	shown map[*types.TypeName]bool   // values of these types get into interfaces: fmt may print them

	Metadata []string // the members of the metadata that conversions read; nil: all
	Proof    *Proof   // has the SSA form of the packages
}

// keepText says whether fmt's methods of a type are kept.
func (o *Opaque) keepText(t *types.TypeName) bool { return o.shown[t] }

// drops says whether a method is left out: those of opaque types, except for copies.
func (o *Opaque) drops(f *types.Func) bool {
	return o.Types[code.ReceiverName(f)] != "" && f.Name() != "DeepCopy" && f.Name() != "DeepCopyInto"
}

// Names returns the import paths and names of the opaque types.
func (o *Opaque) Names() (names []string) {
	for t := range o.Types {
		names = append(names, t.Pkg().Path()+"."+t.Name())
	}
	slices.Sort(names)
	return names
}
