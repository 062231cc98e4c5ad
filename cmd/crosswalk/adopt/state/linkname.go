package state

import (
	"bytes"
	"go/token"
	"regexp"
)

var linkname = regexp.MustCompile(`(?m)^//go:linkname[ \t]+\S+[ \t]+(\S+)\.(\w+)[ \t\r]*$`)

// linknames notes the declarations of the operator's packages that a file names for the linker.
func (o *outside) linknames(name string, text []byte) {
	for _, m := range linkname.FindAllSubmatchIndex(text, -1) {
		if s := (symbol{string(text[m[2]:m[3]]), string(text[m[4]:m[5]])}); o.linked[s] {
			o.found[s] = append(o.found[s], o.place.Name(token.Position{Filename: name, Line: 1 + bytes.Count(text[:m[0]], []byte("\n"))}))
		}
	}
}
