package crosswalk

// Restore has what the conversion to this version kept with [Value.Stash] put back, as far as it is not stale: call it before
// anything else. Whether it is stale is found out at once, from the object as it came; it is put back when the converter has
// returned. Without a stash it does nothing, and a stash never refuses an object: what cannot be put back is logged.
func (o *Object) Restore() {
	s := o.doc.kept
	if s == nil || s.restore {
		return
	}
	s.restore = true
	text, ok := o.Annotation(stashKey(s.to))
	if !ok {
		return
	}
	layers := readStash(text)
	if layers == nil {
		Logf(LevelWarn, "the stash of %s is no JSON object, and was dropped", o.title())
		return
	}
	layer, ok := layers.Get(bareVersion(s.to))
	if !ok {
		return
	}
	if in, _, _ := layer.String("in"); in != bareVersion(s.from) {
		Logf(LevelInfo, "the stash of %s was taken in %q, not in %s, and was dropped", o.title(), in, bareVersion(s.from))
		return
	}
	if kept, _ := layer.Get("kept"); kept.Type() != TypeArray {
		Logf(LevelWarn, "the stash of %s has no list of what was kept, and was dropped", o.title())
		return
	}
	for _, parcel := range layer.Elements("kept") {
		var taken []byte
		if raw, ok := parcel.Raw("for"); ok {
			taken = raw
		}
		want, _, _ := parcel.String("hash")
		sum, ok := o.doc.hashFor(taken)
		switch {
		case !ok:
			Logf(LevelWarn, "the stash of %s has a parcel that is malformed, which was dropped", o.title())
		case string(appendHash(nil, sum)) != want:
			Logf(LevelInfo, "%s was changed in %s: what was kept for %s is stale, and was dropped", o.title(), bareVersion(s.from), bareVersion(s.to))
		default:
			raw, _ := parcel.Raw()
			s.fresh = append(s.fresh, string(raw))
		}
	}
}

// put puts back what Restore found fresh, into the converted object.
func (s *stash) put(o *Object) {
	for _, text := range s.fresh {
		parcel := Parse([]byte(text))
		set, _ := parcel.Get("set")
		if set.Type() == TypeObject {
			for pointer, value := range set.Members() {
				raw, _ := value.Raw()
				if restorable(pointer) && !o.doc.setAt(pointer, raw) {
					Logf(LevelInfo, "%s has no place for %s any more, which was kept for %s, and was dropped", o.title(), pointer, bareVersion(s.to))
				}
			}
		}
		gone, _ := parcel.Get("gone")
		if gone.Type() != TypeArray {
			continue
		}
		for _, element := range gone.Elements() {
			pointer, _, _ := element.String()
			if n := o.doc.at(pointer); restorable(pointer) && n > 0 && o.doc.kind(o.doc.nodes[n].parent) == '{' {
				o.doc.detach(n)
			}
		}
	}
}

// readStash returns the layers in a stash's annotation; nil if it has none.
func readStash(text string) *Object {
	raw := []byte(text)
	from := skipBlank(raw, 0)
	if end := validEnd(raw, from, 0); end < 0 || skipBlank(raw, end) != len(raw) || raw[from] != '{' {
		return nil
	}
	return Parse(raw)
}

// title names the object for the log. A module that declares its fields may not know the name.
func (o *Object) title() string {
	name := o.Name()
	if name == "" {
		return "a " + o.Kind()
	}
	if namespace := o.Namespace(); namespace != "" {
		name = namespace + "/" + name
	}
	return o.Kind() + " " + name
}
