package fuzz

import (
	"context"
	"regexp"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/shrink"
)

// maxShrinks is how often a finding's object is tried smaller.
const maxShrinks = 400

// shrink returns a smaller object with the same symptom, and its symptom. The lost value stays one
// that a reader recognises.
func (c check) shrink(ctx context.Context, from, to *version, object *subject, s symptom) (*subject, symptom, error) {
	var failed error
	found, settled := s, false
	keeps := func(candidate map[string]any) map[string]any {
		if failed != nil {
			return nil
		}
		if c.stored {
			if from.Store(candidate); len(from.Validate(ctx, candidate)) > 0 {
				return nil
			}
		}
		now, ok, err := c.shows(ctx, from, to, candidate, s)
		if err != nil {
			failed = err
		}
		if text, is := found.was.(string); !ok || settled && is && plainText.MatchString(text) && !same(found.was, now.was) {
			return nil
		}
		found = now
		return candidate
	}
	start := object.value
	if other := exemplary(object.value, s); c.stored && other != nil && keeps(other) != nil {
		start = other
	}
	settled = true
	least := shrink.Object(start, maxShrinks, c.stored, keeps)
	return &subject{value: least, text: encode(least)}, found, failed
}

// plainText matches texts that a reader recognises: words, names, addresses, numbers with a unit.
var plainText = regexp.MustCompile(`^[A-Za-z1-9][A-Za-z0-9._/:-]{1,39}$`)

// word matches texts that tell more than "example", such as those of a user's objects.
var word = regexp.MustCompile(`^[A-Za-z]{2}[A-Za-z0-9./-]{1,38}$`)

// exemplary returns a copy of an object in which the lost text of a symptom is an example, where a
// schema or a module may not accept it. It returns nil if the text is a word already, or if the
// symptom is about no text.
func exemplary(object map[string]any, s symptom) map[string]any {
	text, ok := s.was.(string)
	if !ok || text == "" || word.MatchString(text) {
		return nil
	}
	leaf := leafAt(object, s.at)
	if leaf == nil {
		return nil
	}
	other := runtime.DeepCopyJSON(object)
	shrink.Set(other, leaf, "example")
	return other
}

// shows reports whether an object has a symptom.
func (c check) shows(ctx context.Context, from, to *version, object map[string]any, s symptom) (symptom, bool, error) {
	symptoms, err := c.run(ctx, from, to, []*subject{{value: object, text: encode(object)}})
	if err != nil {
		return s, false, err
	}
	for _, other := range symptoms[0] {
		if other.property == s.property && other.key == s.key && other.object == nil {
			return other, true, nil
		}
	}
	return s, false, nil
}

// leastTries and maxTried bound the values that culprit leaves out, by the bytes that it converts.
const (
	leastTries = 16
	maxTried   = 4 << 20
)

// culprit returns the path of the value in a shrunk object that a symptom without a path depends
// on: without this value, the object does not show it. It returns "." if there is no single one.
func (c check) culprit(ctx context.Context, from, to *version, object *subject, s symptom) (string, error) {
	leaves := shrink.Leaves(object.value)
	for _, leaf := range leaves[:min(len(leaves), max(leastTries, maxTried/len(object.text)))] {
		if leaf[0] == "apiVersion" || leaf[0] == "kind" || leaf[0] == "metadata" && (len(leaf) < 3 || leaf[1] != "labels" && leaf[1] != "annotations") {
			continue
		}
		without := runtime.DeepCopyJSON(object.value)
		shrink.Remove(without, leaf)
		if _, still, err := c.shows(ctx, from, to, without, s); err != nil || !still {
			return generalPath(from.Schema, leaf), err
		}
	}
	return ".", nil
}
