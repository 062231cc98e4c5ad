package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/internal/schema"
)

// defined is a definition of a command line, and the file that has it; the zero value if there is
// none.
type defined struct {
	definition.Definition
	crd  *schema.CRD // the same, as a gateway reads it
	file string
}

// readDefinition reads the definition of a kind (<Kind>.<group>, or empty for the only definition)
// from a file, such as an operator's release manifest.
func readDefinition(file, kind string) (d defined, err error) {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return defined{}, fmt.Errorf("%s is a directory: name the file with the definition", file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return defined{}, err
	}
	all, err := definition.Read(text)
	if err != nil {
		return defined{}, fmt.Errorf("%s: %w", file, err)
	}
	i := 0
	if len(all) > 1 {
		var kinds []string
		for _, one := range all {
			kinds = append(kinds, one.Kind())
		}
		if i = slices.Index(kinds, kind); i < 0 {
			slices.Sort(kinds)
			return defined{}, severalError{fmt.Errorf("%s defines %d kinds: %s", file, len(kinds), strings.Join(slices.Compact(kinds), ", "))}
		}
	}
	d = defined{Definition: all[i], file: file}
	if d.crd, err = schema.Parse(d.Text); err != nil {
		return defined{}, fmt.Errorf("%s: %w", file, err)
	}
	return d, nil
}

// severalError is the error for a file with several definitions, none of them for the requested
// kind.
type severalError struct{ error }
