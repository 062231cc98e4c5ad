package host

import (
	"bytes"
	"fmt"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// stringMap checks that the next value, the answer's labels or annotations, is a map of strings,
// and returns its place. Null counts as absent.
func (k *checker) stringMap(name string) (value rawjson.Span, broken projection.Breach) {
	s := &k.scan
	switch is := s.Peek(); is {
	case rawjson.Object:
	case rawjson.Null, rawjson.Invalid:
		s.Skip()
		return rawjson.Span{}, ""
	default:
		return rawjson.Span{}, notA("an object", "metadata."+name, is)
	}
	s.Object()
	value.Start = s.Offset() - 1
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		if is := s.Peek(); is != rawjson.String {
			return rawjson.Span{}, notA("a string", k.keyed(name, m.Start), is)
		}
		s.Skip()
	}
	value.End = s.Offset()
	return value, ""
}

// hasStringMaps reports whether labels and annotations of the request are maps of strings, or
// absent: then the same ones in an answer are.
func (m *metadata) hasStringMaps(body []byte) bool {
	return isStringMap(m.value(partLabels, body)) && isStringMap(m.value(partAnnotations, body))
}

// isStringMap reports whether a value that a Scanner has passed is a map of strings. nil stands for
// an empty one.
func isStringMap(doc []byte) bool {
	if doc == nil {
		return true
	}
	if doc[0] != '{' {
		return false
	}
	for i := rawjson.Space(doc, 1); doc[i] != '}'; i = rawjson.Space(doc, i) {
		if doc[i] == ',' {
			i = rawjson.Space(doc, i+1)
		}
		i, _ = rawjson.EndOfString(doc, i)
		i = rawjson.Space(doc, i) + len(":")
		if i = rawjson.Space(doc, i); doc[i] != '"' {
			return false
		}
		i, _ = rawjson.EndOfString(doc, i)
	}
	return true
}

// keyed names the member of a map whose key begins at the offset: metadata.labels["key"].
func (k *checker) keyed(name string, start int) string {
	k.second.Reset(k.answer[start:], 0)
	_, key := k.second.String()
	return "metadata." + name + "[" + quoted(key) + "]"
}

// annotated checks the labels and annotations that the answer sets, and returns them.
func (k *checker) annotated() (a annotated, broken projection.Breach) {
	a.set = true
	if k.labels != (rawjson.Span{}) {
		a.labels = k.labels.Of(k.answer)
		broken = k.changed(partLabels, a.labels)
	}
	if broken == "" && k.annotations != (rawjson.Span{}) {
		a.annotations = k.annotations.Of(k.answer)
		broken = k.changed(partAnnotations, a.annotations)
	}
	return a, broken
}

// changed checks labels or annotations by the API machinery's rules if they differ from the
// request's. Labels of the request are not checked again, because rules may have become stricter
// since the object was stored; the API server does the same.
func (k *checker) changed(which partKind, now []byte) (broken projection.Breach) {
	was := k.object.meta.value(which, k.body)
	if bytes.Equal(was, now) {
		return ""
	}
	m := &k.maps
	if m.read(&k.second, now, &m.now); m.read(&k.second, was, &m.was) && maps.Equal(m.was, m.now) {
		return ""
	}
	if which == partLabels {
		return m.judge("labels", validLabel)
	}
	return m.judge("annotations", validAnnotation)
}

// maxAnnotations is the limit of API servers for all keys and values of an object's annotations
// together, in bytes: TotalAnnotationSizeLimitB of k8s.io/apimachinery/pkg/api/validation. That
// package and the one with ValidateLabels would link all of metav1, for the two rules below.
const maxAnnotations = 256 << 10

// validLabel returns the reasons why API servers refuse a label, as ValidateLabels of
// k8s.io/apimachinery/pkg/apis/meta/v1/validation does.
func validLabel(key, value string) []string {
	return append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...)
}

// validAnnotation returns the reasons why API servers refuse an annotation, as ValidateAnnotations
// of k8s.io/apimachinery/pkg/api/validation does: the case of a key does not matter.
func validAnnotation(key, value string) []string {
	reasons := validation.IsQualifiedName(strings.ToLower(key))
	if len(key)+len(value) > maxAnnotations {
		reasons = append(reasons, fmt.Sprintf("may not be more than %d bytes", maxAnnotations))
	}
	return reasons
}

// stringMaps are two maps to compare, used again and again.
type stringMaps struct {
	was, now map[string]string
	overfull bool // the last breach refuses the object for its stash: see judge. Its reader clears it
}

// keepKeys is the largest map that is kept for the next use.
const keepKeys = 1000

func (m *stringMaps) recycle() {
	for _, kept := range []*map[string]string{&m.was, &m.now} {
		if len(*kept) > keepKeys {
			*kept = nil
		}
		clear(*kept)
	}
}

// read decodes a map of strings; an empty document is an empty map. It returns false if a value is
// not a string.
func (m *stringMaps) read(s *rawjson.Scanner, doc []byte, into *map[string]string) bool {
	if *into == nil {
		*into = map[string]string{}
	}
	clear(*into)
	if doc == nil {
		return true
	}
	s.Reset(doc, 0)
	s.Object()
	for member, ok := s.Member(); ok; member, ok = s.Member() {
		key := string(member.Key)
		if s.Peek() != rawjson.String {
			return false
		}
		_, text := s.String()
		(*into)[key] = string(text)
	}
	return s.Err() == nil
}

// judge finds the first key, in lexical order, that the rules refuse, alone or with its value. The
// words of the rules are taken over, the value is not. Annotations that are too large only with the
// stash that the module wrote break no contract: an SDK does not know the limits of others, and may
// not see their annotations.
func (m *stringMaps) judge(name string, rules func(key, value string) []string) (broken projection.Breach) {
	size, first, why, stash, kept := 0, "", "", "", 0
	for key, value := range m.now {
		size += len(key) + len(value)
		if strings.HasPrefix(key, "conversion.") && strings.HasSuffix(key, "/stash") && m.was[key] != value {
			stash, kept = key, len(key)+len(value)
		}
		if why != "" && key > first {
			continue
		}
		if reasons := rules(key, value); len(reasons) > 0 {
			first, why = key, reasons[0]
		}
	}
	if why != "" {
		return projection.Breachf("has an invalid metadata.%s[%s]: %s", name, quoted(first), why)
	}
	if name == "annotations" && size > maxAnnotations {
		if m.overfull = stash != "" && size-kept <= maxAnnotations; m.overfull {
			return projection.Breachf("with the kept values in %s, all annotations need %d bytes, and may have %d", stash, size, maxAnnotations)
		}
		return projection.Breachf("has metadata.annotations of more than %d bytes in all", maxAnnotations)
	}
	return ""
}
