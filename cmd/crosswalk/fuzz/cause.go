package fuzz

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

const (
	// causeRounded is the cause of integers that a converter reads as floating-point numbers, as
	// JSON.parse does.
	causeRounded = "integers become floating-point numbers"
	// leastAlike is how many fields show the same change of a text if it has one cause. Two fields may
	// be two mistakes.
	leastAlike = 3
	// leastWhole is how many fields an object has at least that is lost as a whole.
	leastWhole = 2
)

// explain gives the findings of one cause the same Cause. A finding without one stands for itself.
func (r *Report) explain(versions []*version) {
	type direction struct{ property, from, to, class string }
	groups := map[direction][]*Finding{}
	for i := range r.Findings {
		one := &r.Findings[i]
		if !one.hollow && !one.cutShort {
			d := direction{one.Property, one.From, one.To, one.Class}
			groups[d] = append(groups[d], one)
		}
	}
	for d, all := range groups {
		switch {
		case d.property == Changed || d.property == Rejected:
			alike(all)
		case d.property == Lost && (d.class == ClassValue || d.class == ClassDefault):
			for _, v := range versions {
				if v.Name == d.from {
					lostWhole(all, "", v.Schema)
				}
			}
		}
	}
}

// alike finds the changes that are the same in several fields.
func alike(all []*Finding) {
	texts := map[string][]*Finding{}
	for _, f := range all {
		was, is := f.Was, f.Is
		switch {
		case f.Property == Rejected && strings.Contains(f.Detail, " must be of type ") && beyondFloat(f) || f.Property == Changed && rounded(was, is):
			f.Cause = causeRounded
		case f.Property == Changed && isText(was) && isText(is):
			cause := fmt.Sprintf("%s becomes %s", foreign.Shorten(was, maxShown), foreign.Shorten(is, maxShown))
			texts[cause] = append(texts[cause], f)
		}
	}
	for cause, same := range texts {
		if len(same) >= leastAlike {
			for _, f := range same {
				f.Cause = cause
			}
		}
	}
}

// rounded reports whether a value is the floating-point number next to an integer.
func rounded(was, is json.RawMessage) bool {
	_, err := strconv.ParseInt(string(was), 10, 64)
	a, err1 := strconv.ParseFloat(string(was), 64)
	b, err2 := strconv.ParseFloat(string(is), 64)
	return err == nil && err1 == nil && err2 == nil && a == b && math.Abs(a) >= 1<<53
}

// beyondFloat reports whether the smallest object has an integer, at the place of the finding, that
// floating-point numbers do not count up to.
func beyondFloat(f *Finding) bool {
	object, err := decode(f.Object)
	if err != nil {
		return false
	}
	leaf := leafAt(object, f.At)
	if leaf == nil {
		return false
	}
	n, ok := valueOf(object, leaf).(int64)
	return ok && (n >= 1<<53 || n <= -1<<53)
}

// isText reports whether a value is a text that is not empty.
func isText(value json.RawMessage) bool { return len(value) > len(`""`) && value[0] == '"' }

// lostWhole finds the outermost objects of which each field is lost.
func lostWhole(all []*Finding, path string, s *schema.Structural) {
	if leaves, lost := 0, 0; path != "" {
		eachLeaf(s, path, 0, func(leaf string) {
			leaves++
			if slices.ContainsFunc(all, func(f *Finding) bool { return Within(f.Path, leaf) }) {
				lost++
			}
		})
		if lost == leaves && leaves >= leastWhole {
			for _, f := range all {
				if Within(f.Path, path) {
					f.Cause = "all fields of " + path + " are lost"
				}
			}
			return
		}
	}
	eachChild(s, path, func(child string, s *schema.Structural) {
		if slices.ContainsFunc(all, func(f *Finding) bool { return Within(f.Path, child) }) {
			lostWhole(all, child, s)
		}
	})
}

// eachLeaf calls a function with the path of each innermost value of a schema, and of each value that
// the schema describes no further.
func eachLeaf(s *schema.Structural, path string, depth int, found func(string)) {
	inner := false
	if depth < maxLeafDepth {
		eachChild(s, path, func(child string, s *schema.Structural) {
			inner = true
			eachLeaf(s, child, depth+1, found)
		})
	}
	if !inner && (s.Type != "object" || s.XPreserveUnknownFields || s.XEmbeddedResource || s.AdditionalProperties != nil) { // others are empty
		found(path)
	}
}

// maxLeafDepth bounds the depth of the fields that eachLeaf looks at.
const maxLeafDepth = 32

// eachChild calls a function with the schema of each child and its path in a report.
func eachChild(s *schema.Structural, path string, found func(string, *schema.Structural)) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if property := s.Properties[name]; path != "" || !slices.Contains([]string{"apiVersion", "kind", "metadata"}, name) {
			found(join(path, name), &property)
		}
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		found(join(path, "*"), s.AdditionalProperties.Structural)
	}
	if s.Items != nil {
		found(path+"[]", s.Items)
	}
}

// Join joins the findings of one cause to the first of them.
func Join(findings []Finding) (all []Finding) {
	for _, f := range findings {
		i := slices.IndexFunc(all, func(o Finding) bool {
			return f.Cause != "" && o.Cause == f.Cause && o.Property == f.Property && o.Class == f.Class && o.From == f.From && o.To == f.To && o.Reason == f.Reason
		})
		if i < 0 {
			all = append(all, f)
		} else if all[i].Path != f.Path && !slices.Contains(all[i].also, f.Path) {
			all[i].also = append(all[i].also, f.Path)
		}
	}
	return all
}

// alsoText names the fields that a finding was joined with, for its line.
func (f *Finding) alsoText() string {
	if len(f.also) == 0 {
		return ""
	}
	fields := "fields"
	if len(f.also) == 1 {
		fields = "field"
	}
	return fmt.Sprintf("; %d more %s alike, because %s: %s", len(f.also), fields, f.Cause, enumerated(f.also, maxPaths))
}
