package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/scaffold"
	"github.com/crosswalk-gateway/crosswalk/internal/schema"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// sees describes the part of an object that the gateway shows to a module.
func sees(m *module.Module) string {
	if m.Declared() == nil {
		return "whole objects: it declares no fields"
	}
	var versions []string
	for _, version := range slices.Sorted(maps.Keys(m.Declared())) {
		versions = append(versions, "of "+version+" "+cmp.Or(strings.Join(m.Declared()[version], ", "), "nothing"))
	}
	return strings.Join(versions, "; ")
}

// doubtful returns a line for each declared field that the schema of its version does not have. It
// takes the schema from the definition in a file or, without one, from the definitions beside the
// module. A gateway serves such a module nevertheless, because its schemas may be newer.
func doubtful(m *module.Module, path, file string) (lines []string, err error) {
	if len(m.Edges()) == 0 || m.Fields(m.Edges()[0].From, m.Edges()[0].To) == nil {
		return nil, nil
	}
	crd, file, err := definitionOf(m.Edges()[0], path, file)
	if err != nil || crd == nil {
		return nil, err
	}
	for i := range crd.Versions {
		v := &crd.Versions[i]
		for _, field := range m.Declared()[v.Name] {
			if !scaffold.InSchema(v, field) {
				lines = append(lines, fmt.Sprintf("declares %s of %s, which its schema does not have (%s): is it misspelt?", field, v.Name, filepath.Base(file)))
			}
		}
	}
	return lines, nil
}

// definitionOf reads the CustomResourceDefinition of a kind. It returns nil if there is no file
// argument and no definition beside the module.
func definitionOf(e artifact.Edge, path, named string) (crd *schema.CRD, file string, err error) {
	if named != "" {
		crd, _, err := readDefinition(named, e.Kind+"."+e.Group)
		if err == nil && (crd.Group != e.Group || crd.Kind != e.Kind) {
			return nil, "", fmt.Errorf("%s defines %s.%s, and the module converts %s.%s", named, crd.Kind, crd.Group, e.Kind, e.Group)
		}
		return crd, named, err
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*."+e.Group+".crd.*"))
	if err != nil {
		return nil, "", err
	}
	slices.Sort(files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		crd, err := schema.Parse(text) // as a gateway reads it: one definition, and nothing else
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", file, err)
		}
		if crd.Group == e.Group && crd.Kind == e.Kind {
			return crd, file, nil
		}
	}
	return nil, "", nil
}
