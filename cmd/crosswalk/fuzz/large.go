package fuzz

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/shrink"
)

const (
	// storeLimit is the largest object that etcd stores by default, in bytes.
	storeLimit = 3 << 19
	// nearLimit is the size of an object near the limit: it may grow by a third.
	nearLimit = storeLimit * 3 / 4
	// maxLarge is how many large objects of a version are tested.
	maxLarge = 8
	// maxLargeShrinks is how often the small object of a finding is tried smaller: each try
	// converts a large one.
	maxLargeShrinks = 40
)

// large converts objects near the size limit: each answer must fit, too. The objects are small ones
// with one long string or list.
func (f *fuzzer) large(ctx context.Context) error {
	if !f.cfg.Large {
		return nil
	}
	for _, from := range f.versions {
		if len(from.targets) == 0 || from.objects == 0 {
			continue
		}
		done := map[string]bool{}
		for tries := 0; tries < 4*maxLarge && len(done) < maxLarge; tries++ {
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
			if large := enlarged(object, leaf[:i]); large != nil && len(v.ValidateSchema(ctx, large)) == 0 {
				return general, large
			}
		}
	}
	return "", nil
}

// enlarged returns a copy of an object near the size limit: with more text in a string, or more
// elements in a list. It returns nil if there is neither, or if the object is that large already.
func enlarged(object map[string]any, at shrink.Path) map[string]any {
	room := nearLimit - len(encode(object))
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
	}
	return nil
}

// enlargedAgain is enlarged for a smaller object: at the first value with the general path.
func enlargedAgain(ctx context.Context, v *version, object map[string]any, path string) map[string]any {
	for _, leaf := range shrink.Leaves(object) {
		for i := range leaf {
			if at := leaf[:len(leaf)-i]; generalPath(v.Schema, at) == path {
				if large := enlarged(object, at); large != nil && len(v.ValidateSchema(ctx, large)) == 0 {
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
		again := enlargedAgain(ctx, from, candidate, path)
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
