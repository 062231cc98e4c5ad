package main

import (
	"context"
	_ "embed"
	"os"
	"strings"
)

//go:embed guide.md
var guideText string

// airGap is the file of a release that carries it to clusters without a network.
const airGap = "airgap.sh"

// guide writes README.md, which says what the files are for, because the files are the only
// documentation of their reader, and the script that carries them on.
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
	if err := os.WriteFile(r.path("README.md"), []byte(text), 0o644); err != nil {
		return err
	}
	script, err := os.ReadFile("deploy/" + airGap)
	if err != nil {
		return err
	}
	return os.WriteFile(r.path(airGap), script, 0o755)
}
