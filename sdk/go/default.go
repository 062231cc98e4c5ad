package crosswalk

import "strconv"

// IsFragment reports whether the object may be a fragment: it has no metadata.uid, which every
// object has that is stored or about to be stored. Server-side apply converts fragments to compute
// field ownership: if a conversion adds a field to a fragment, the applier owns a field that it
// never set. A module that declares [Fields] must declare metadata.uid to call IsFragment;
// otherwise the object is refused.
func (o *Object) IsFragment() bool { return o.doc.isFragment() }

func (d *document) isFragment() bool {
	if !d.kept.shown("metadata.uid") {
		d.fail(Errorf("the module declares fields, and asks whether an object is a fragment: it has to declare metadata.uid too (crosswalk.Fields)"))
	}
	_, ok, _ := Value{d, 0}.String("metadata", "uid")
	return !ok
}

// DefaultString sets the value at path to a string if that is absent or null. It does nothing in a
// fragment (see [Object.IsFragment]), or if the parent object is absent: a default of spec.size
// does not create spec. It reports whether it set the value.
func (v Value) DefaultString(path Path, s string) bool {
	return v.setDefault(path, Quote(nil, s))
}

// DefaultInt is [Value.DefaultString] for integers.
func (v Value) DefaultInt(path Path, i int64) bool {
	return v.setDefault(path, strconv.AppendInt(nil, i, 10))
}

// DefaultBool is [Value.DefaultString] for booleans.
func (v Value) DefaultBool(path Path, b bool) bool {
	return v.setDefault(path, strconv.AppendBool(nil, b))
}

// DefaultRaw is [Value.DefaultString] for JSON text. Text that is not JSON refuses the object.
func (v Value) DefaultRaw(path Path, raw []byte) bool {
	if !v.lacks(path) {
		return false
	}
	v.SetRaw(path, raw)
	return v.d.err == nil
}

func (v Value) setDefault(path Path, raw []byte) bool {
	if !v.lacks(path) {
		return false
	}
	v.replace(path, raw)
	return true
}

// lacks reports whether a default applies at path: the object is not a fragment, the parent is
// present and the value is not.
func (v Value) lacks(path []string) bool {
	if len(path) == 0 || v.d == nil || v.d.isFragment() {
		return false
	}
	parent, ok := v.Get(path[:len(path)-1]...)
	if !ok || parent.Type() != TypeObject {
		return false
	}
	_, there := parent.Get(path[len(path)-1])
	return !there
}
