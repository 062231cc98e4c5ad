package crosswalk

import "strconv"

// IsFragment says that the object may be a part of one: it has no metadata.uid, which every stored object has, and one that
// is about to be stored. Server-side apply converts fragments to find out who owns which field; a field that a conversion puts
// into a fragment becomes the applier's, who did not ask for it. A module that declares [Fields] has to declare metadata.uid for it; else
// the object is refused.
func (o *Object) IsFragment() bool { return o.doc.isFragment() }

func (d *document) isFragment() bool {
	if !d.kept.shown("metadata.uid") {
		d.fail(Errorf("the module declares fields, and asks whether an object is a fragment: it has to declare metadata.uid too (crosswalk.Fields)"))
	}
	_, ok, _ := Value{d, 0}.String("metadata", "uid")
	return !ok
}

// DefaultString puts a string at path if nothing, or null, is there; not in a fragment (see [Object.IsFragment]), and not where
// the object that would have it is absent: a default of spec.size makes no spec. It says whether it did.
func (v Value) DefaultString(s string, path ...string) bool {
	return v.setDefault(Quote(nil, s), path)
}

// DefaultInt is [Value.DefaultString] for integers.
func (v Value) DefaultInt(i int64, path ...string) bool {
	return v.setDefault(strconv.AppendInt(nil, i, 10), path)
}

// DefaultBool is [Value.DefaultString] for booleans.
func (v Value) DefaultBool(b bool, path ...string) bool {
	return v.setDefault(strconv.AppendBool(nil, b), path)
}

// DefaultRaw is [Value.DefaultString] for JSON text. Text that is not JSON refuses the object.
func (v Value) DefaultRaw(raw []byte, path ...string) bool {
	if !v.lacks(path) {
		return false
	}
	v.SetRaw(raw, path...)
	return v.d.err == nil
}

func (v Value) setDefault(raw []byte, path []string) bool {
	if !v.lacks(path) {
		return false
	}
	v.replace(raw, path)
	return true
}

// lacks says that there is a place for a default at path, and that it is empty.
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
