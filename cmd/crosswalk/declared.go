package main

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/scaffold"
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

// doubtful returns a line for each declared field that the schema of its version does not have. A
// gateway serves such a module nevertheless, because its schemas may be newer.
func doubtful(m *module.Module, d defined) (lines []string) {
	if d.crd == nil {
		return nil
	}
	for i := range d.crd.Versions {
		v := &d.crd.Versions[i]
		for _, field := range m.Declared()[v.Name] {
			if !scaffold.InSchema(v, field) {
				lines = append(lines, fmt.Sprintf("declares %s of %s, which its schema does not have (%s): is it misspelt?", field, v.Name, filepath.Base(d.file)))
			}
		}
	}
	return lines
}

// definitionsOf reads the definition of each module's kind: from the named file or, if named is
// empty, from the files beside the module or in its project. It reads names only of the modules.
func definitionsOf(modules []string, named string) ([]defined, error) {
	list := make([]defined, len(modules))
	for i, path := range modules {
		name, err := artifact.ParseName(filepath.Base(path))
		if err != nil {
			return nil, err
		}
		if list[i], err = definitionOf(name.Kind, name.Group, path, named); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// definitionOf is definitionsOf for one module of a kind.
func definitionOf(kind, group, path, named string) (defined, error) {
	if named != "" {
		d, err := readDefinition(named, kind+"."+group)
		if err == nil && (d.crd.Group != group || d.crd.Kind != kind) {
			err = fmt.Errorf("%s defines %s.%s, and the module converts %s.%s", named, d.crd.Kind, d.crd.Group, kind, group)
		}
		return d, err
	}
	for _, dir := range projectDirs(path) {
		files, err := filepath.Glob(filepath.Join(dir, "*."+group+".crd.*"))
		if err != nil {
			return defined{}, err
		}
		slices.Sort(files)
		for _, file := range files {
			d, err := readDefinition(file, kind+"."+group)
			if err != nil {
				return defined{}, err
			}
			if d.crd.Group == group && d.crd.Kind == kind {
				return d, nil
			}
		}
	}
	return defined{}, nil
}
