package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// kindFiles are the modules of one kind, and its definition.
type kindFiles struct {
	kind, group string
	files       []string
	crd         definition.Definition
}

func (k kindFiles) name() string { return k.kind + "." + k.group }

// byKind groups modules by their kinds and finds the definition of each kind: among those given, in
// a named file, or beside its first module.
func byKind(files []string, given []definition.Definition, named string) (kinds []kindFiles, err error) {
	for _, file := range files {
		name, err := artifact.ParseName(filepath.Base(file))
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(kinds, func(k kindFiles) bool { return k.kind == name.Kind && k.group == name.Group })
		if i < 0 {
			i = len(kinds)
			kinds = append(kinds, kindFiles{kind: name.Kind, group: name.Group})
		}
		kinds[i].files = append(kinds[i].files, file)
	}
	for i := range kinds {
		k := &kinds[i]
		at := slices.IndexFunc(given, func(d definition.Definition) bool { return d.Kind() == k.name() })
		if at >= 0 && named == "" {
			k.crd = given[at]
			continue
		}
		d, err := modules.Definition(k.kind, k.group, k.files[0], named)
		if err != nil {
			return nil, err
		}
		if d.Schemas == nil {
			return nil, fmt.Errorf("there is no definition of %s: name the file with its CustomResourceDefinition with --crd, or put it beside %s", k.name(), filepath.Base(k.files[0]))
		}
		k.crd = d.Definition
	}
	return kinds, nil
}

// literals returns the texts in the modules of a kind, except for packed ones.
func literals(files []string) (words []string) {
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && filepath.Ext(file) == ".wasm" {
			words = append(words, fuzz.Literals(text)...)
		}
	}
	return words
}
