package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/input"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// sample is an object of the operator's own files.
type sample struct {
	file    string // in the operator's module
	version string
	object  json.RawMessage
}

const (
	// maxSamples bounds the samples of one version: a sidecar has at most 1 MiB and 1,000 cases,
	// and a gateway converts all of them before the module serves.
	maxSamples = 20
	// maxSampleFile is how large a file with samples may be. The largest release manifests are
	// larger, and have definitions and no samples.
	maxSampleFile = 1 << 20
)

// crd is an operator's definition, with the file that has it.
type crd struct {
	file   string
	schema *schema.CRD
}

// findDefinition reads the definition of a kind.
func findDefinition(file, name string) (crd, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return crd{}, err
	}
	all, err := definition.Read(content)
	if err != nil {
		return crd{}, fmt.Errorf("%s: %w", file, err)
	}
	i := slices.IndexFunc(all, func(d definition.Definition) bool { return d.Kind() == name })
	if i < 0 {
		return crd{}, fmt.Errorf("%s has no definition of %s", file, name)
	}
	parsed, err := schema.Parse(all[i].Text)
	if err != nil {
		return crd{}, fmt.Errorf("%s: %w", file, err)
	}
	return crd{file, parsed}, nil
}

// findSamples returns the objects of the kind in the YAML and JSON files of the operator's modules,
// in the order of the files' names: at most maxSamples of a version, each once, if the definition
// accepts it and crosswalk adopt compared it. A file that is not YAML, such as a template of Helm, has
// none.
func findSamples(from source, e *entry, d crd) (list []sample, err error) {
	roots := []string{from.module}
	if from.files != from.module {
		roots = append(roots, from.files)
	}
	compared, err := comparedIn(e.project)
	if err != nil {
		return nil, err
	}
	there, count := map[string]bool{}, map[string]int{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
				return err
			}
			file, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			objects, err := objectsIn(path, e.Kind)
			if err != nil {
				return err
			}
			for _, object := range objects {
				version, ok := d.accepts(object, e)
				if key := canonical(object); ok && compared[key] && !there[key] && count[version] < maxSamples {
					there[key] = true
					count[version]++
					list = append(list, sample{filepath.ToSlash(file), version, object})
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// objectsIn returns the objects of a file that may have a kind.
func objectsIn(path, kind string) (list []json.RawMessage, err error) {
	info, err := os.Stat(path)
	if err != nil || info.Size() > maxSampleFile {
		return nil, err
	}
	content, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(content, []byte(kind)) {
		return nil, err
	}
	objects, err := input.Parse(path, content)
	if err != nil {
		return nil, nil
	}
	for _, o := range objects {
		list = append(list, o.JSON)
	}
	return list, nil
}

// accepts returns the version of an object of the entry's kind that an API server would store.
func (d crd) accepts(object json.RawMessage, e *entry) (version string, ok bool) {
	var head struct{ APIVersion, Kind string }
	if json.Unmarshal(object, &head) != nil || head.Kind != e.Kind {
		return "", false
	}
	for _, v := range e.Versions {
		if head.APIVersion == e.Group+"/"+v {
			ok = true
			err := d.schema.Check(v, object, schema.Options{}, func(schema.Violation) bool {
				ok = false
				return false
			})
			return v, ok && err == nil
		}
	}
	return "", false
}

// comparedIn returns the operator's samples that crosswalk adopt compared, in canonical form.
func comparedIn(project string) (map[string]bool, error) {
	content, err := os.ReadFile(filepath.Join(project, "inputs.json"))
	if err != nil {
		return nil, err
	}
	var inputs struct{ Samples map[string][]json.RawMessage }
	if err := json.Unmarshal(content, &inputs); err != nil {
		return nil, fmt.Errorf("inputs.json: %w", err)
	}
	compared := map[string]bool{}
	for _, list := range inputs.Samples {
		for _, object := range list {
			compared[canonical(object)] = true
		}
	}
	return compared, nil
}

// canonical is an object's text with its members sorted.
func canonical(object json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return string(object)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return string(object)
	}
	return string(text)
}
