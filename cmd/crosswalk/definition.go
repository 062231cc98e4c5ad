package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/schema"
)

// readDefinition reads the CustomResourceDefinition of a kind (<Kind>.<group>, or empty for the
// only definition) from a file, such as an operator's release manifest. text is the part of the
// file with the definition.
func readDefinition(file, kind string) (crd *schema.CRD, text []byte, err error) {
	if text, err = os.ReadFile(file); err != nil {
		return nil, nil, err
	}
	documents, err := schema.Split(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(documents) == 1 {
		text = documents[0].Text
	}
	if len(documents) > 1 {
		var kinds []string
		for _, d := range documents {
			kinds = append(kinds, d.Kind)
		}
		i := slices.Index(kinds, kind)
		if i < 0 {
			slices.Sort(kinds)
			return nil, nil, severalError{fmt.Errorf("%s defines %d kinds: %s", file, len(kinds), strings.Join(slices.Compact(kinds), ", "))}
		}
		text = documents[i].Text
	}
	if crd, err = schema.Parse(text); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	return crd, text, nil
}

// severalError is the error for a file with several definitions, none of them for the requested
// kind.
type severalError struct{ error }
