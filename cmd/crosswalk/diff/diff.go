// Package diff compares the answers of two sets of modules.
package diff

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/internal/difference"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

const (
	// batch is how many objects are converted in one review.
	batch = 64
	// maxPaths is the most paths that are kept for a pair of versions; further ones are counted.
	maxPaths = 200
	// maxShown is the most bytes of a value or a message.
	maxShown = 400
)

// Convert converts objects of one version to an apiVersion, in one review. The error has the
// message for the API server, and covers all objects.
type Convert func(ctx context.Context, to string, objects []json.RawMessage) ([]json.RawMessage, error)

// Pair is the comparison of one pair of versions.
type Pair struct {
	Context string `json:"context,omitempty"` // of the kubeconfig, if there are several
	Kind    string `json:"kind"`              // <Kind>.<group>
	From    string `json:"from"`              // bare versions
	To      string `json:"to"`
	Objects int    `json:"objects"` // compared
	Differ  int    `json:"differ"`  // of them
	Paths   []Path `json:"paths"`   // most objects first
	More    int    `json:"more"`    // differences at other paths
}

// Path is a field that differs, with an example. Its indices are [], so that it stands for the
// elements of all lists.
type Path struct {
	Path    string          `json:"path"` // "." for an object that only one of the two refuses
	Objects int             `json:"objects"`
	Object  json.RawMessage `json:"object"` // the smallest object that shows it
	Old     string          `json:"old"`
	New     string          `json:"new"`
}

// Compare converts objects of one version to another with both, and adds the differences to a pair.
func (p *Pair) Compare(ctx context.Context, old, new Convert, to string, objects []json.RawMessage) error {
	for part := range slices.Chunk(objects, batch) {
		if err := p.compare(ctx, old, new, to, part); err != nil {
			return err
		}
	}
	slices.SortStableFunc(p.Paths, func(a, b Path) int { return cmp.Or(b.Objects-a.Objects, cmp.Compare(a.Path, b.Path)) })
	return nil
}

// compare compares one batch; if one of the two fails at it, object by object.
func (p *Pair) compare(ctx context.Context, old, new Convert, to string, objects []json.RawMessage) error {
	before, oldErr := old(ctx, to, objects)
	after, newErr := new(ctx, to, objects)
	if err := ctx.Err(); err != nil {
		return err
	}
	if (oldErr != nil || newErr != nil) && len(objects) > 1 {
		for _, object := range objects {
			if err := p.compare(ctx, old, new, to, []json.RawMessage{object}); err != nil {
				return err
			}
		}
		return nil
	}
	p.Objects += len(objects)
	if oldErr != nil || newErr != nil {
		if was, is := outcome(oldErr), outcome(newErr); was != is {
			p.Differ++
			p.add(".", objects[0], was, is)
		}
		return nil
	}
	for i, object := range objects {
		if bytes.Equal(before[i], after[i]) || rawjson.Equal(before[i], after[i]) {
			continue
		}
		p.Differ++
		seen := map[string]bool{}
		difference.Each(before[i], after[i], func(path string, was, is any) {
			if path = index.ReplaceAllString(path, "[]"); !seen[path] {
				seen[path] = true
				p.add(path, object, shown(was), shown(is))
			}
		})
	}
	return nil
}

// add counts a difference and keeps the smallest object that shows it.
func (p *Pair) add(path string, object json.RawMessage, was, is string) {
	i := slices.IndexFunc(p.Paths, func(known Path) bool { return known.Path == path })
	if i < 0 {
		if len(p.Paths) == maxPaths {
			p.More++
			return
		}
		p.Paths = append(p.Paths, Path{Path: path, Object: object, Old: was, New: is})
		i = len(p.Paths) - 1
	}
	known := &p.Paths[i]
	known.Objects++
	if len(object) < len(known.Object) {
		known.Object, known.Old, known.New = object, was, is
	}
}

// index is the index of an element in a path: the fields of all elements are one.
var index = regexp.MustCompile(`\[[0-9]+\]`)

// digests are in the messages of failures, and differ between any two modules.
var digests = regexp.MustCompile(` \(sha256:[0-9a-f]+\)`)

// outcome describes an answer or a failure.
func outcome(err error) string {
	if err == nil {
		return "converts it"
	}
	return foreign.Shorten(digests.ReplaceAllString(err.Error(), ""), maxShown)
}

func shown(v any) string {
	if v == (any)(difference.Absent{}) {
		return "absent"
	}
	return difference.Shown(v, maxShown)
}
