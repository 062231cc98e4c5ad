package main

import (
	"context"
	_ "embed"
	"os"
	"strings"
)

//go:embed guide.md
var guideText string

// guide writes README.md, which says what the files are for: whoever has the files alone has no
// other documentation.
func (r release) guide(context.Context) error {
	replace := []string{"VERSION", r.version, "NUMBER", strings.TrimPrefix(r.version, "v")}
	for _, program := range imaged() {
		index, err := r.index(program)
		if err != nil {
			return err
		}
		digest, err := index.Digest()
		if err != nil {
			return err
		}
		replace = append(replace, "DIGEST-OF-"+program, digest.String())
	}
	text := strings.NewReplacer(replace...).Replace(guideText)
	return os.WriteFile(r.path("README.md"), []byte(text), 0o644)
}
