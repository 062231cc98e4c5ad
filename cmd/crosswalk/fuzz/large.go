package fuzz

import (
	"context"
	"fmt"
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
			small := encode(object)
			path, size := f.inflate(ctx, from, object, done)
			if path == "" {
				continue
			}
			for _, to := range from.targets {
				answers, err := f.convert.convert(ctx, to.APIVersion, [][]byte{small})
				if err != nil {
					return err
				}
				if answers[0].failure != "" {
					continue // it is not for its size
				}
				if err := f.fits(ctx, from, to, object, path, size); err != nil {
					return err
				}
			}
		}
	}
	return ctx.Err()
}

// inflate makes a value of an object large, so that the object is near the limit and still valid.
// It returns the path of the value, "" if there is none that was not used before.
func (f *fuzzer) inflate(ctx context.Context, v *version, object map[string]any, done map[string]bool) (path string, size int) {
	for _, leaf := range shrink.Leaves(object) {
		if leaf[0] == "apiVersion" || leaf[0] == "kind" || leaf[0] == "metadata" {
			continue
		}
		general := generalPath(v.Schema, leaf)
		if done[general] {
			continue
		}
		done[general] = true
		candidate := runtime.DeepCopyJSON(object)
		if text, ok := valueOf(candidate, leaf).(string); ok {
			shrink.Set(candidate, leaf, text+strings.Repeat("x", nearLimit-len(encode(object))))
			if len(v.ValidateSchema(ctx, candidate)) == 0 {
				clear(object)
				for key, value := range candidate {
					object[key] = value
				}
				return general, len(encode(object))
			}
		}
		for i := len(leaf) - 1; i >= 0; i-- {
			if _, ok := leaf[i].(int); !ok {
				continue
			}
			list, _ := valueOf(candidate, leaf[:i]).([]any)
			each := len(encode(list[0])) + 1
			long := make([]any, 0, nearLimit/each+1)
			for len(long) < nearLimit/each {
				long = append(long, list[0])
			}
			shrink.Set(candidate, leaf[:i], long)
			general := generalPath(v.Schema, leaf[:i])
			if len(v.ValidateSchema(ctx, candidate)) == 0 && !done[general] {
				done[general] = true
				clear(object)
				for key, value := range candidate {
					object[key] = value
				}
				return general, len(encode(object))
			}
			break
		}
	}
	return "", 0
}

// fits records a finding if a large object does not come through a conversion.
func (f *fuzzer) fits(ctx context.Context, from, to *version, object map[string]any, path string, size int) error {
	answers, err := f.convert.convert(ctx, to.APIVersion, [][]byte{encode(object)})
	if err != nil {
		return err
	}
	a := answers[0]
	detail := ""
	switch {
	case a.failure != "":
		detail = fmt.Sprintf("an object of %d bytes fails: %s", size, firstLine(failed(a, "").detail))
	case len(a.text) > storeLimit:
		detail = fmt.Sprintf("an object of %d bytes becomes one of %d, and etcd stores %d", size, len(a.text), storeLimit)
	default:
		return nil
	}
	if len(f.report.Findings) < maxFindings {
		f.report.Findings = append(f.report.Findings, Finding{Property: Size, From: from.Name, To: to.Name, Path: path, Detail: detail, Objects: f.report.Objects, Count: 1})
	}
	return nil
}
