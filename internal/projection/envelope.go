package projection

import (
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// Envelope returns the apiVersion and the kind of an answer, as JSON; nil for one that the answer
// omits.
func Envelope(answer []byte, answered []Part) (apiVersion, kind []byte) {
	for c := int32(1); c < answered[0].next; c = answered[c].next {
		switch p := &answered[c]; p.field.role {
		case isAPIVersion:
			apiVersion = answer[p.start:p.end]
		case isKind:
			kind = answer[p.start:p.end]
		}
	}
	return apiVersion, kind
}

// EachOther calls f for every member of the answer's metadata except labels and annotations, with
// its name, the value that the module saw (nil if it saw none) and the value in the answer. It ends
// when f returns false.
func EachOther(doc []byte, parts []Part, answer []byte, answered []Part, f func(name string, was, now []byte) bool) {
	n := findRole(answered, isMetadata)
	if n == none {
		return
	}
	o := findRole(parts, isMetadata)
	for c := n + 1; c < answered[n].next; c = answered[c].next {
		p := &answered[c]
		if p.field.role != isOtherMetadata {
			continue
		}
		var was []byte
		for d := o + 1; o != none && d < parts[o].next; d = parts[d].next {
			if parts[d].field == p.field {
				v := viewer{doc: doc, parts: parts}
				was = v.value(nil, d)
			}
		}
		if !f(p.field.name, was, answer[p.start:p.end]) {
			return
		}
	}
}

// findRole returns the index of the top-level member with the role, or none.
func findRole(parts []Part, r role) int32 {
	for c := int32(1); c < parts[0].next; c = parts[c].next {
		if parts[c].field.role == r {
			return c
		}
	}
	return none
}

// HasLabels says whether labels, or some of them, are declared; HasAnnotations likewise.
func (f *Fields) HasLabels() bool { return f.has(isLabels) }

// HasAnnotations says whether annotations, or some of them, are declared.
func (f *Fields) HasAnnotations() bool { return f.has(isAnnotations) }

func (f *Fields) has(r role) bool {
	for _, top := range f.root.named {
		for _, n := range top.named {
			if top.role == isMetadata && n.role == r {
				return true
			}
		}
	}
	return false
}

// OddKey returns the first undeclared top-level key that differs from apiVersion, kind or metadata
// only by case, and that name; "" if there is no such key. A Scanner must have passed the object.
func OddKey(doc []byte) (key, name string) {
	i := rawjson.Space(doc, rawjson.Space(doc, 0)+1)
	for i < len(doc) && doc[i] != '}' {
		if doc[i] == ',' {
			i = rawjson.Space(doc, i+1)
		}
		end, escaped := rawjson.EndOfString(doc, i)
		text := doc[min(i+1, len(doc)):max(end-1, min(i+1, len(doc)))]
		if escaped {
			text = rawjson.Unescape(nil, doc[i:end])
		}
		if name = Reserved(text); name != "" {
			return foreign.Shorten(text, maxKey), name
		}
		i = rawjson.EndOfValue(doc, rawjson.Space(doc, rawjson.Space(doc, end)+1))
		i = rawjson.Space(doc, i)
	}
	return "", ""
}
