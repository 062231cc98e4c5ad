package fuzz

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/shrink"
)

const (
	// storeLimit is the largest object that etcd stores by default, in bytes.
	storeLimit = 3 << 19
	// nearLimit is the size of an object near the limit: it may grow by a third.
	nearLimit = storeLimit * 3 / 4
	// maxLarge is how many large objects of a version are tested, besides those with a large kept value.
	maxLarge = 8
	// maxKept is how many kept values of a version are tested.
	maxKept = 64
	// sampleGrowth is how much a value grows to see whether an annotation keeps it.
	sampleGrowth = 1024
	// maxLargeShrinks is how often the small object of a finding is tried smaller: each try
	// converts a large one.
	maxLargeShrinks = 40
)

// large converts objects near the size limit: each answer must fit, too. The objects are small ones
// with one long string, list or map: each value that an annotation keeps, and some others.
func (f *fuzzer) large(ctx context.Context) error {
	if !f.cfg.Large {
		return nil
	}
	given := f.given()
	for _, from := range f.versions {
		if len(from.targets) == 0 || from.objects == 0 {
			continue
		}
		done := map[string]bool{}
		for _, to := range from.targets {
			e := &experiment{checker: f.checker, from: from, to: to, given: given[from.APIVersion], generator: from.generator, limit: ctx}
			if err := f.largeKept(ctx, e, done); err != nil {
				return err
			}
		}
		most := len(done) + maxLarge
		for tries := 0; tries < 4*maxLarge && len(done) < most; tries++ {
			object := from.generator.Next(ctx)
			if object == nil {
				break
			}
			path, large := inflate(ctx, from, object, done)
			if path == "" {
				continue
			}
			for _, to := range from.targets {
				if err := f.fits(ctx, from, to, object, large, path); err != nil {
					return err
				}
			}
		}
	}
	return over(ctx)
}

// largeKept tests each value of the fields that differ that an annotation keeps in the other version.
func (f *fuzzer) largeKept(ctx context.Context, e *experiment, done map[string]bool) error {
	kept := map[string]map[string]any{}
	var paths []string
	for _, part := range differing(e.from.Schema, e.to.Schema) {
		if part.alike {
			continue
		}
		for _, path := range growable(schemaOf(e.from.Schema, part.path), part.path) {
			object, err := e.keeps(ctx, path)
			if err != nil {
				return err
			}
			if object != nil && kept[path] == nil {
				kept[path], paths = object, append(paths, path)
			}
		}
	}
	e.from.kept += len(paths)
	for _, path := range paths[:min(len(paths), maxKept)] {
		if large := enlargedAgain(ctx, e.from, kept[path], path, nearLimit); large != nil {
			if err := f.fits(ctx, e.from, e.to, kept[path], large, path); err != nil {
				return err
			}
			e.from.large++
			done[path] = true
		}
	}
	return nil
}

// keeps returns an object whose value at a path makes the annotation longer if it is longer; nil if it
// finds none.
func (e *experiment) keeps(ctx context.Context, path string) (map[string]any, error) {
	within := path
	if values := valuesOf(schemaOf(e.from.Schema, path)); values != nil {
		within = join(path, "*") // one that is not empty
	}
	for object := range e.objects(ctx, within) {
		longer := enlargedAgain(ctx, e.from, object, path, len(encode(object))+sampleGrowth)
		if longer == nil {
			continue
		}
		answers, err := e.convert.convert(ctx, e.to.APIVersion, [][]byte{encode(object), encode(longer)})
		if err != nil {
			return nil, err
		}
		if answers[0].failure != "" || answers[1].failure != "" {
			continue
		}
		if e.stash().bytes(answers[1].value())-e.stash().bytes(answers[0].value()) < sampleGrowth/2 {
			return nil, nil
		}
		return object, nil
	}
	return nil, over(ctx)
}

// growable returns the paths of the texts, lists and maps in a value that have no low bound.
func growable(s *schema.Structural, path string) (paths []string) {
	if s == nil {
		return nil
	}
	v := s.ValueValidation
	if v == nil {
		v = &schema.ValueValidation{}
	}
	text := s.Type == "string" && len(v.Enum) == 0 && v.Format == "" && (v.MaxLength == nil || *v.MaxLength > nearLimit)
	list := s.Items != nil && (v.MaxItems == nil || *v.MaxItems > sampleGrowth)
	members := (valuesOf(s) != nil || s.XPreserveUnknownFields) && (v.MaxProperties == nil || *v.MaxProperties > sampleGrowth)
	if text || list || members {
		paths = append(paths, path)
	}
	eachChild(s, path, func(child string, s *schema.Structural) {
		if len(paths) < maxVisited {
			paths = append(paths, growable(s, child)...)
		}
	})
	return paths
}

// inflate returns a copy of an object in which one value is large, so that the copy is near the
// limit and still valid, and the path of the value. The path is "" if there is none that is not
// done.
func inflate(ctx context.Context, v *version, object map[string]any, done map[string]bool) (path string, large map[string]any) {
	for _, leaf := range shrink.Leaves(object) {
		for i := len(leaf); i > 0; i-- {
			general := generalPath(v.Schema, leaf[:i])
			if done[general] {
				continue
			}
			done[general] = true
			if large := enlarged(v.Schema, object, leaf[:i], nearLimit); large != nil && len(v.ValidateSchema(ctx, large)) == 0 {
				return general, large
			}
		}
	}
	return "", nil
}

// enlarged returns a copy of an object with a size: with more text in a string, more elements in a
// list, or more members in a map. It returns nil if there is none of these, or if the object has the
// size already.
func enlarged(s *schema.Structural, object map[string]any, at shrink.Path, size int) map[string]any {
	room := size - len(encode(object))
	if room <= 0 || at[0] == "apiVersion" || at[0] == "kind" || at[0] == "metadata" {
		return nil
	}
	large := runtime.DeepCopyJSON(object)
	switch value := valueOf(large, at).(type) {
	case string:
		shrink.Set(large, at, value+strings.Repeat("x", room))
		return large
	case []any:
		if len(value) == 0 {
			return nil
		}
		each := len(encode(value[0])) + 1
		shrink.Set(large, at, append(value, slices.Repeat(value[:1], room/each)...))
		return large
	case map[string]any:
		s, _ := place(s, at)
		switch {
		case s == nil || s == unnamed:
		case s.XPreserveUnknownFields:
			value["unknownField"] = strings.Repeat("x", room)
			return large
		case valuesOf(s) != nil && len(value) > 0:
			member := value[slices.Sorted(maps.Keys(value))[0]]
			for i := range room / (len(encode(member)) + len(`,"large123456":`)) {
				value[fmt.Sprintf("large%d", i)] = member
			}
			return large
		}
	}
	return nil
}

// enlargedAgain is enlarged for the first value with the general path at which the object stays valid.
func enlargedAgain(ctx context.Context, v *version, object map[string]any, path string, size int) map[string]any {
	for _, leaf := range shrink.Leaves(object) {
		for i := range leaf {
			if at := leaf[:len(leaf)-i]; generalPath(v.Schema, at) == path {
				if large := enlarged(v.Schema, object, at, size); large != nil && len(v.ValidateSchema(ctx, large)) == 0 {
					return large
				}
			}
		}
	}
	return nil
}

// fits records a finding if a large object does not come through a conversion that the small object
// comes through. The small object is shrunk.
func (f *fuzzer) fits(ctx context.Context, from, to *version, object, large map[string]any, path string) error {
	detail, err := f.convert.tooLarge(ctx, to, object, large)
	if err != nil || detail == "" {
		return err
	}
	if len(f.report.Findings) >= maxFindings {
		f.report.Truncated = true
		return nil
	}
	var failed error
	least := shrink.Object(object, maxLargeShrinks, false, func(candidate map[string]any) map[string]any {
		from.Store(candidate)
		again := enlargedAgain(ctx, from, candidate, path, nearLimit)
		if again == nil || failed != nil || len(from.Validate(ctx, candidate)) > 0 {
			return nil
		}
		now, err := f.convert.tooLarge(ctx, to, candidate, again)
		if failed = err; now == "" {
			return nil
		}
		detail, large = now, again
		return candidate
	})
	f.report.Findings = append(f.report.Findings, Finding{
		Property: Size, From: from.Name, To: to.Name, Path: path, Detail: detail, Object: encode(least), Large: encode(large),
		Fields: fieldsOf(least), Objects: f.report.Objects, Count: 1,
	})
	return failed
}

// tooLarge says how a large object does not come through a conversion; "" if it does, or if the
// small one does not either.
func (c *converter) tooLarge(ctx context.Context, to *version, object, large map[string]any) (detail string, err error) {
	small, err := c.convert(ctx, to.APIVersion, [][]byte{encode(object)})
	if err != nil || small[0].failure != "" {
		return "", err
	}
	text := encode(large)
	answers, err := c.convert(ctx, to.APIVersion, [][]byte{text})
	if err != nil {
		return "", err
	}
	switch a := answers[0]; {
	case a.failure != "":
		detail = fmt.Sprintf("with a long value there, of %d bytes in all, it fails: %s", len(text), firstLine(failed(a, "").detail))
	case len(a.text) > storeLimit:
		detail = fmt.Sprintf("with a long value there, it grows from %d bytes to %d, and etcd stores %d", len(text), len(a.text), storeLimit)
	}
	return detail, nil
}
