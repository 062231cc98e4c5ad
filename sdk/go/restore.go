package crosswalk

// Restore restores the values that the conversion to this version kept with [Value.Stash], unless
// they are stale. Call it first: it decides from the unedited object which values are stale, and
// restores the others after the converter returns. Without a stash it does nothing. A stash never
// refuses an object; values that cannot be restored are logged and dropped.
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
		Logf(LevelWarn, "the stash of %s is not a JSON object, and was dropped", o.title())
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
			Logf(LevelWarn, "the stash of %s has a malformed parcel, which was dropped", o.title())
		case string(appendHash(nil, sum)) != want:
			Logf(LevelInfo, "%s was changed in %s: what was kept for %s is stale, and was dropped", o.title(), bareVersion(s.from), bareVersion(s.to))
		default:
			raw, _ := parcel.Raw()
			s.fresh = append(s.fresh, string(raw))
		}
	}
}

// put sets the values that Restore found not to be stale in the converted object.
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

// readStash returns the layers in a stash's annotation, or nil if it has no layers.
func readStash(text string) *Object {
	raw := []byte(text)
	from := skipBlank(raw, 0)
	if end := validEnd(raw, from, 0); end < 0 || skipBlank(raw, end) != len(raw) || raw[from] != '{' {
		return nil
	}
	return Parse(raw)
}

// title names the object in log lines. A module that declares its fields may not see the object's
// name.
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
