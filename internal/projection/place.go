package projection

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

const (
	maxShown = 80  // bytes of a declared path in a message
	maxKey   = 253 // bytes of a key in a message: the longest that a label may have, with its prefix
)

// placeOf returns the path of a part, as messages show it.
func placeOf(doc []byte, p *Part) string {
	if p.key >= 0 {
		return place(doc, int(p.key))
	}
	return place(doc, int(p.start))
}

// place returns the path of the member or element that begins at the offset:
// spec.containers[2].image. A Scanner must have passed the document up to the offset.
func place(doc []byte, offset int) string {
	const most = 500 // bytes: as many steps as a message can use
	var path []byte
	i := rawjson.Space(doc, 0)
	for i < len(doc) && (doc[i] == '{' || doc[i] == '[') {
		isObject := doc[i] == '{'
		i = rawjson.Space(doc, i+1)
		for n := 0; i < len(doc) && doc[i] != '}' && doc[i] != ']'; n++ {
			if doc[i] == ',' {
				i = rawjson.Space(doc, i+1)
			}
			key, keyEnd := i, i
			if isObject {
				keyEnd, _ = rawjson.EndOfString(doc, key)
				i = rawjson.Space(doc, rawjson.Space(doc, keyEnd)+1)
			}
			if end := rawjson.EndOfValue(doc, i); offset >= end && end < len(doc) {
				i = rawjson.Space(doc, end)
				continue
			}
			if isObject {
				path = appendName(path, foreign.Shorten(rawjson.Unescape(nil, doc[key:keyEnd]), maxKey))
			} else {
				path = fmt.Appendf(path, "[%d]", n)
			}
			if offset <= i || len(path) > most {
				return string(path)
			}
			break // into the value
		}
	}
	return string(path)
}
