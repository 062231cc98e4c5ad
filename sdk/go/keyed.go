package crosswalk

// ListFromMap turns the map at path into a list in the same order: with the key "name",
// {"web":{"port":80}} becomes [{"name":"web","port":80}]. If value names a member, {"a":1} becomes
// [{"name":"a","value":1}]; if value is "", the map's values must be objects without a member
// called key. ListFromMap reports whether the map was present.
func (v Value) ListFromMap(path Path, key, value string) bool {
	d := v.d
	n := v.container(path, TypeObject, "an object")
	if n < 0 {
		return false
	}
	list := []byte{'['}
	for c := d.after(n, 0); c != 0; c = d.after(n, c) {
		raw := d.raw(c)
		list = append(Quote(append(separated(list), '{'), key), ':')
		list = append(list, d.keyText(c)...)
		if value != "" {
			list = append(Quote(append(list, ','), value), ':')
			list = append(append(list, raw...), '}')
			continue
		}
		if d.kind(c) != '{' {
			d.fail(d.wrong(c, "an object"))
			return false
		}
		if taken := d.find(c, key); taken != 0 {
			d.fail(Errorf("%s must not be there: it is where the key of a list element goes", d.location(taken)))
			return false
		}
		if rest := raw[skipSpace(raw, 1):]; len(rest) > 0 && rest[0] != '}' {
			list = append(list, ',')
			list = append(list, rest...)
		} else {
			list = append(list, '}')
		}
	}
	v.replace(path, append(list, ']'))
	return true
}

// MapFromList is the inverse of [Value.ListFromMap]: it turns the list at path into a map, keyed by
// the elements' member key, which it removes from them. If value names a member, elements must have
// exactly the members key and value. An element without the key or the value, or with the key of
// another element, refuses the object. MapFromList reports whether the list was present.
func (v Value) MapFromList(path Path, key, value string) bool {
	d := v.d
	n := v.container(path, TypeArray, "an array")
	if n < 0 {
		return false
	}
	seen := map[string]bool{}
	object := []byte{'{'}
	for c := d.after(n, 0); c != 0; c = d.after(n, c) {
		element := Value{d, c}
		if d.kind(c) != '{' {
			d.fail(d.wrong(c, "an object"))
			return false
		}
		name, ok := element.text(Path{key})
		switch {
		case d.err != nil:
			return false
		case !ok:
			d.fail(Errorf("%s must be there: it becomes the key of a map", element.Location(key)))
			return false
		case seen[name]:
			d.fail(Errorf("%s must be there once only, but %q is there twice", element.Location(key), name))
			return false
		}
		seen[name] = true
		object = append(Quote(separated(object), name), ':')
		body, ok := element.entry(key, value)
		if !ok {
			return false
		}
		object = append(object, body...)
	}
	v.replace(path, append(object, '}'))
	return true
}

// entry returns the map value that a list element becomes.
func (v Value) entry(key, value string) (raw []byte, ok bool) {
	if value == "" {
		body := []byte{'{'}
		for name, member := range v.Members() {
			if name != key {
				raw, _ := member.Raw()
				body = append(append(append(separated(body), v.d.keyText(member.n)...), ':'), raw...)
			}
		}
		return append(body, '}'), true
	}
	for name, member := range v.Members() {
		if name != key && name != value {
			v.d.fail(Errorf("%s has no place in a map from %s to %s", member.Location(), key, value))
			return nil, false
		}
	}
	if raw, ok = v.Raw(value); !ok {
		v.d.fail(Errorf("%s must be there: it becomes the value in a map", v.Location(value)))
	}
	return raw, ok
}
