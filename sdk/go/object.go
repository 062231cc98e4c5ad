package crosswalk

// Object is the Kubernetes object that a converter converts: a JSON text and the edits of it. Its
// methods, including those of [Value], work in place. The object has apiVersion, kind, metadata
// (without managedFields and resourceVersion) and the fields of its version. Any of them may be
// absent, because server-side apply converts fragments.
//
// Of the metadata, only changes to labels and annotations reach the API server. The gateway reverts
// all other changes.
type Object struct {
	// Value is the object itself as a value: paths begin at the top of the object.
	Value
	doc document
}

// Parse returns an object for JSON text, which must not change while the object is in use. It is
// for tests and for JSON in annotations; converters get their objects from the SDK.
func Parse(text []byte) *Object {
	o := new(Object)
	o.reset(text)
	return o
}

// Text returns the object as JSON text, with its edits. Unlike [Value.Raw], it does not scan an
// object without edits.
func (o *Object) Text() []byte {
	if o.doc.nodes[0].flags&edited == 0 {
		return o.doc.text
	}
	raw, _ := o.Raw()
	return raw
}

// Replace replaces the whole object by text, which must not change while o is in use. It discards
// all values and edits of the previous text.
func (o *Object) Replace(text []byte) {
	err := o.doc.err
	o.reset(text)
	o.doc.fail(err)
}

// AppendJSON appends the object with all its edits to dst.
//
// # Errors
//
// AppendJSON returns the error of the first edit that failed, or an error if the text is not JSON.
func (o *Object) AppendJSON(dst []byte) ([]byte, error) {
	if o.doc.err != nil {
		return dst, o.doc.err
	}
	out, _ := o.doc.render(dst, 0)
	return out, nil
}

// Err returns the error of the first edit that failed, which refuses the object, or nil.
func (o *Object) Err() error { return o.doc.err }

// APIVersion returns the object's apiVersion, "" if it has none.
func (o *Object) APIVersion() string { return o.text("apiVersion") }

// Kind returns the object's kind, "" if it has none.
func (o *Object) Kind() string { return o.text("kind") }

// Name returns metadata.name, "" if it has none.
func (o *Object) Name() string { return o.text("metadata", "name") }

// Namespace returns metadata.namespace, "" if it has none.
func (o *Object) Namespace() string { return o.text("metadata", "namespace") }

// Label returns the label's value.
func (o *Object) Label(key string) (value string, ok bool) {
	value, ok, _ = o.String("metadata", "labels", key)
	return value, ok
}

// SetLabel sets a label.
func (o *Object) SetLabel(key, value string) { o.SetString(Path{"metadata", "labels", key}, value) }

// RemoveLabel removes a label, and metadata.labels with the last label. It reports whether the
// label was present.
func (o *Object) RemoveLabel(key string) bool { return o.removeFrom("labels", key) }

// Annotation returns the annotation's value.
func (o *Object) Annotation(key string) (value string, ok bool) {
	value, ok, _ = o.String("metadata", "annotations", key)
	return value, ok
}

// SetAnnotation sets an annotation. Annotations can keep fields that the other version lacks; see
// also [Value.Stash].
func (o *Object) SetAnnotation(key, value string) {
	o.SetString(Path{"metadata", "annotations", key}, value)
}

// RemoveAnnotation removes an annotation, and metadata.annotations with the last annotation. It
// reports whether the annotation was present.
func (o *Object) RemoveAnnotation(key string) bool { return o.removeFrom("annotations", key) }

func (o *Object) removeFrom(field, key string) bool {
	if !o.Remove("metadata", field, key) {
		return false
	}
	for range o.Members("metadata", field) {
		return true
	}
	o.Remove("metadata", field)
	return true
}

func (o *Object) text(path ...string) string {
	s, _, _ := o.String(path...)
	return s
}

// reset makes o the object of text and keeps its buffers.
func (o *Object) reset(text []byte) {
	o.doc.reset(text)
	o.Value = Value{d: &o.doc}
}
