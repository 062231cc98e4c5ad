package crosswalk

import "strconv"

// Path names a member of an object from the outside in: Path{"spec", "replicas"}.
type Path []string

// location returns the location of the value at path from n, as a JSONPath:
// ".spec.containers[0].image", ".metadata.labels['app.kubernetes.io/name']". The whole object is
// "the object".
func (d *document) location(n int32, path ...string) string {
	at := string(d.appendLocation(nil, n))
	for _, key := range path {
		at = string(appendKey([]byte(at), key))
	}
	if at == "" {
		return "the object"
	}
	return at
}

func (d *document) appendLocation(dst []byte, n int32) []byte {
	if n <= 0 {
		return dst
	}
	parent := d.nodes[n].parent
	dst = d.appendLocation(dst, parent)
	if d.kind(parent) == '{' {
		return appendKey(dst, d.keyOf(n))
	}
	index := 0
	for c := d.nodes[parent].first; c != n && c != 0; c = d.nodes[c].next {
		if d.nodes[c].flags&gone == 0 {
			index++
		}
	}
	dst = strconv.AppendInt(append(dst, '['), int64(index), 10)
	return append(dst, ']')
}

// appendKey appends ".key", or "['key']" if key is not a plain word.
func appendKey(dst []byte, key string) []byte {
	plain := key != ""
	for i := range len(key) {
		c := key[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			plain = false
		}
	}
	if plain {
		return append(append(dst, '.'), key...)
	}
	dst = append(dst, "['"...)
	dst = append(dst, key...)
	return append(dst, "']"...)
}
