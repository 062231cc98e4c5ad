package fuzz

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
)

// undeclared compares the answers of modules that see only their declared fields with those of
// modules that see whole objects.
func (c *checker) undeclared(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error) {
	symptoms := make([][]symptom, len(objects))
	part, err := c.convert.batch(ctx, to.APIVersion, objects)
	if err != nil {
		return nil, err
	}
	all, err := c.whole.batch(ctx, to.APIVersion, objects)
	if err != nil {
		return nil, err
	}
	for i := range objects {
		if c.stash().has(objects[i].value) {
			continue // a stash from one view of the object is stale in the other
		}
		a, b := part[i], all[i]
		if a.failure != b.failure {
			symptoms[i] = append(symptoms[i], symptom{key: "failure", property: Undeclared, was: absent{}, is: absent{},
				detail: fmt.Sprintf("from the declared fields: %s; from the whole object: %s", outcome(a), outcome(b))})
			continue
		}
		if a.failure != "" || bytes.Equal(a.text, b.text) {
			continue
		}
		part, all := a.value(), b.value()
		to.Prune(part)
		to.Prune(all)
		for _, d := range differences(to.Schema, c.def.Group, part, all) {
			symptoms[i] = append(symptoms[i], symptom{key: d.general, property: Undeclared, path: d.general, at: d.path, was: d.was, is: d.is,
				detail: "from the declared fields, and from the whole object"})
		}
	}
	return symptoms, nil
}

// undeclaredNames returns the declared fields that the schema of their version does not have.
func (c *checker) undeclaredNames() (found []Finding) {
	for _, m := range c.modules {
		for _, v := range c.versions {
			for _, path := range m.Declared()[v.Name] {
				steps, err := projection.Steps(path)
				if err != nil || steps[0].Name == "metadata" || v.Has(namesOf(steps)) {
					continue
				}
				found = append(found, Finding{
					Property: Undeclared, From: v.Name, To: v.Name, Path: path, Count: 1,
					Detail: fmt.Sprintf("%s declares it, and the schema of %s does not have it: is it misspelt?", filepath.Base(m.Name()), v.Name),
				})
			}
		}
	}
	return found
}

// metadata returns the labels and annotations among the declared fields of a version, but for the
// annotations in which converters keep values.
func (c *checker) metadata(version string) (labels, annotations []string) {
	for _, m := range c.modules {
		for _, path := range m.Declared()[version] {
			steps, err := projection.Steps(path)
			if err != nil || len(steps) != 3 || steps[0].Name != "metadata" || steps[2].To != '.' || c.stash().owns(steps[2].Name) {
				continue
			}
			switch steps[1].Name {
			case "labels":
				labels = append(labels, steps[2].Name)
			case "annotations":
				annotations = append(annotations, steps[2].Name)
			}
		}
	}
	return labels, annotations
}

func namesOf(steps []projection.Step) (names []string) {
	for _, s := range steps {
		names = append(names, s.Name)
	}
	return names
}
