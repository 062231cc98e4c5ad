package fuzz

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// reaches reports whether the modules convert from one version to another, by a chain perhaps.
func (f *fuzzer) reaches(from, to string) bool {
	seen, queue := map[string]bool{from: true}, []string{from}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if at == to {
			return true
		}
		for _, m := range f.cfg.Modules {
			for _, e := range m.Edges() {
				if e.Kind == f.def.Kind && e.Group == f.def.Group && e.From == at && !seen[e.To] {
					seen[e.To] = true
					queue = append(queue, e.To)
				}
			}
		}
	}
	return false
}

// direct reports whether a module converts between two versions without a chain.
func (f *fuzzer) direct(from, to string) bool {
	for _, m := range f.cfg.Modules {
		if slices.Contains(m.Edges(), artifact.Edge{Group: f.def.Group, Kind: f.def.Kind, From: from, To: to}) {
			return true
		}
	}
	return false
}

// dependence converts objects together, one by one, and in reverse order after others: each answer
// must be the same.
func (f *fuzzer) dependence(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error) {
	symptoms := make([][]symptom, len(objects))
	texts := append(textsOf(objects), from.first.text)
	together, err := f.convert.convert(ctx, to.APIVersion, texts)
	if err != nil {
		return nil, err
	}
	reversed := slices.Clone(texts)
	slices.Reverse(reversed)
	backwards, err := f.convert.convert(ctx, to.APIVersion, reversed)
	if err != nil {
		return nil, err
	}
	slices.Reverse(backwards)
	for i, o := range objects {
		alone, err := f.convert.convert(ctx, to.APIVersion, [][]byte{o.text})
		if err != nil {
			return nil, err
		}
		for _, other := range []answer{together[i], backwards[i]} {
			if alone[0].failure == other.failure && bytes.Equal(alone[0].text, other.text) {
				continue
			}
			s := symptom{key: "", property: Dependent, path: ".", was: absent{}, is: absent{}, detail: "by itself and among others the object becomes different ones"}
			if alone[0].failure != other.failure {
				s.detail = fmt.Sprintf("by itself: %s; among others: %s", outcome(alone[0]), outcome(other))
			} else if list := differences(to.Schema, f.def.Group, alone[0].value(), other.value()); len(list) > 0 {
				s.path, s.key, s.at, s.was, s.is = list[0].general, list[0].general, list[0].path, list[0].was, list[0].is
			}
			symptoms[i] = append(symptoms[i], s)
			break
		}
	}
	return symptoms, nil
}

func outcome(a answer) string {
	if a.failure == "" {
		return "converted"
	}
	return firstLine(a.message)
}

// chains compares the direct conversion with the one by way of every other version.
func (f *fuzzer) chains(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error) {
	symptoms := make([][]symptom, len(objects))
	var direct []answer
	for _, over := range f.versions {
		if over == from || over == to || !f.direct(from.Name, to.Name) || !f.direct(from.Name, over.Name) || !f.direct(over.Name, to.Name) {
			continue
		}
		if direct == nil {
			var err error
			if direct, err = f.convert.batch(ctx, to.APIVersion, objects); err != nil {
				return nil, err
			}
		}
		if err := f.detour(ctx, over, to, objects, direct, symptoms); err != nil {
			return nil, err
		}
	}
	return symptoms, nil
}

// detour converts objects to a version by way of another, and compares the answers with the direct
// ones.
func (f *fuzzer) detour(ctx context.Context, over, to *version, objects []*subject, direct []answer, symptoms [][]symptom) error {
	texts, which, err := f.onward(ctx, over, objects)
	if err != nil || len(texts) == 0 {
		return err
	}
	second, err := f.convert.convert(ctx, to.APIVersion, texts)
	if err != nil {
		return err
	}
	for j, a := range second {
		i := which[j]
		if direct[i].failure != "" {
			continue // other checks report it
		}
		if a.failure != "" {
			s := failed(a, "by way of "+over.Name)
			s.property = Chain
			symptoms[i] = append(symptoms[i], s)
			continue
		}
		if bytes.Equal(direct[i].text, a.text) {
			continue
		}
		straight, value := direct[i].value(), a.value()
		to.Prune(straight)
		to.Prune(value)
		for _, d := range differences(to.Schema, f.def.Group, straight, value) {
			s := d.symptom(over.Name+" "+d.general, "directly, and by way of "+over.Name)
			s.property = Chain
			symptoms[i] = append(symptoms[i], s)
		}
	}
	return nil
}

// undeclared compares the answers of modules that see only their declared fields with those of
// modules that see whole objects.
func (f *fuzzer) undeclared(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error) {
	symptoms := make([][]symptom, len(objects))
	part, err := f.convert.batch(ctx, to.APIVersion, objects)
	if err != nil {
		return nil, err
	}
	all, err := f.whole.batch(ctx, to.APIVersion, objects)
	if err != nil {
		return nil, err
	}
	for i := range objects {
		if f.hasOwn(objects[i].value) {
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
		for _, d := range differences(to.Schema, f.def.Group, part, all) {
			symptoms[i] = append(symptoms[i], symptom{key: d.general, property: Undeclared, path: d.general, at: d.path, was: d.was, is: d.is,
				detail: "from the declared fields, and from the whole object"})
		}
	}
	return symptoms, nil
}

// undeclaredNames reports declared fields that the schema of their version does not have.
func (f *fuzzer) undeclaredNames() {
	for _, m := range f.cfg.Modules {
		for _, v := range f.versions {
			for _, path := range m.Declared()[v.Name] {
				steps, err := projection.Steps(path)
				if err != nil || steps[0].Name == "metadata" || v.Has(namesOf(steps)) {
					continue
				}
				f.report.Findings = append(f.report.Findings, Finding{
					Property: Undeclared, From: v.Name, To: v.Name, Path: path, Count: 1,
					Detail: fmt.Sprintf("%s declares it, and the schema of %s does not have it: is it misspelt?", filepath.Base(m.Name()), v.Name),
				})
			}
		}
	}
}

func namesOf(steps []projection.Step) (names []string) {
	for _, s := range steps {
		switch s.To {
		case '*':
			names = append(names, "*")
		case '[':
			names = append(names, "[]")
		default:
			names = append(names, s.Name)
		}
	}
	return names
}
