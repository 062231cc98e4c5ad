package crosswalk

import "strconv"

// maxStash is the maximum size of a stash's annotation in bytes: half of Kubernetes' limit for all
// annotations of an object (256 KiB), because kubectl's last-applied configuration needs room, too.
const maxStash = 128 << 10

// stash holds the values that one conversion keeps for the conversion back, and the values of an
// earlier conversion that it restores. docs/spec/stash.md defines the format.
type stash struct {
	from, to string // apiVersions of the conversion; "" outside of one
	parcels  []parcel
	declared []declaration // of fields, by the module
	restore  bool          // Restore was called
	fresh    []string      // JSON texts of the parcels that Restore found fresh
}

// finish restores what is fresh, and writes the stash, after a converter.
func (s *stash) finish(o *Object) {
	s.put(o)
	s.write(o)
}

// parcel holds the values that depend on the same part of the object.
type parcel struct {
	taken     []byte // the part of the object: a JSON list of pointers; nil = everything but metadata and status
	set, gone []byte // members and elements, with commas between them
}

// statusOnly is the taken list for values below .status.
const statusOnly = `["/status"]`

// Stash removes the value at path from the object and keeps it in an annotation, for a version that
// has no field for it. The conversion back restores it if that begins with [Object.Restore] and
// only metadata and status changed in between. A value below .status is restored if the status did
// not change. Stash reports whether the value was present.
//
// Call Stash before you rename or move an object that contains the value: Stash records the current
// path. A fragment without metadata cannot hold a stash, and the value is dropped. An object is
// refused if its stash exceeds 128 KiB.
func (v Value) Stash(path ...string) bool {
	return v.stash(nil, false, path)
}

// StashFor is [Value.Stash] for a value that depends on a part of the object only: the value is
// restored if the values at the paths unchanged have not changed in the other version. Without such
// paths it is always restored, which suits a field that the other version does not know. An index
// names a list element: Path{"spec", "hosts", "0"}.
func (v Value) StashFor(path Path, unchanged ...Path) bool {
	return v.stash(unchanged, true, path)
}

func (v Value) stash(taken []Path, narrow bool, path []string) bool {
	d := v.d
	n := v.target(path)
	if n < 0 {
		return false
	}
	pointer := string(d.appendPointer(nil, n))
	if !restorable(pointer) {
		d.fail(Errorf("%s cannot be stashed: only what is beside apiVersion, kind and metadata can", d.location(n)))
		return false
	}
	if d.kind(d.nodes[n].parent) != '{' {
		d.fail(Errorf("%s cannot be stashed: it is an element of a list, which can be stashed as a whole", d.location(n)))
		return false
	}
	if d.kept != nil {
		d.kept.keep(guard(pointer, taken, narrow), pointer, d.raw(n))
	}
	d.detach(n)
	return true
}

// guard returns the taken list of a value.
func guard(pointer string, taken []Path, narrow bool) []byte {
	if !narrow {
		if first, _, _ := cutToken(pointer); first == "status" {
			return []byte(statusOnly)
		}
		return nil
	}
	list := []byte{'['}
	for i, path := range taken {
		if i > 0 {
			list = append(list, ',')
		}
		list = Quote(list, pointerOf(path))
	}
	return append(list, ']')
}

// restorable reports whether a value at the pointer may be restored.
func restorable(pointer string) bool {
	first, _, ok := cutToken(pointer)
	return ok && first != "apiVersion" && first != "kind" && first != "metadata"
}

// keep adds a value to the parcel with the same taken list.
func (s *stash) keep(taken []byte, pointer string, value []byte) {
	p := s.parcel(taken)
	if len(p.set) > 0 {
		p.set = append(p.set, ',')
	}
	p.set = append(append(Quote(p.set, pointer), ':'), value...)
}

// keepGone records that the conversion back adds a value that the original object did not have.
func (s *stash) keepGone(taken []byte, pointer string) {
	p := s.parcel(taken)
	if len(p.gone) > 0 {
		p.gone = append(p.gone, ',')
	}
	p.gone = Quote(p.gone, pointer)
}

func (s *stash) parcel(taken []byte) *parcel {
	for i := range s.parcels {
		if p := &s.parcels[i]; string(p.taken) == string(taken) && (p.taken == nil) == (taken == nil) {
			return p
		}
	}
	s.parcels = append(s.parcels, parcel{taken: taken})
	return &s.parcels[len(s.parcels)-1]
}

// begin prepares s for a conversion.
func (s *stash) begin(from, to string, declared []declaration) {
	*s = stash{from: from, to: to, declared: declared, parcels: s.parcels[:0], fresh: s.fresh[:0]}
}

// stashKey returns the annotation for the group of an apiVersion.
func stashKey(apiVersion string) string { return "conversion." + groupOf(apiVersion) + "/stash" }

func groupOf(apiVersion string) string {
	return apiVersion[:max(0, len(apiVersion)-len(bareVersion(apiVersion))-1)]
}

// bareVersion returns "v1" of "example.com/v1".
func bareVersion(apiVersion string) string {
	for i := len(apiVersion) - 1; i >= 0; i-- {
		if apiVersion[i] == '/' {
			return apiVersion[i+1:]
		}
	}
	return apiVersion
}

// write writes the stash to o after the rest of the conversion. It does so even if the converter
// has kept nothing: a layer left over of the version that o comes from would be restored later.
func (s *stash) write(o *Object) {
	idle := len(s.parcels) == 0 && !s.restore
	if _, annotated := o.Get("metadata", "annotations"); idle && !annotated || o.doc.err != nil {
		return
	}
	key := stashKey(s.to)
	old, found := o.Annotation(key)
	shown := s.shown("metadata.annotations", "metadata.annotations['"+key+"']", `metadata.annotations["`+key+`"]`)
	if idle && !(found && shown) {
		return
	}
	if !shown {
		o.doc.fail(Errorf("the module declares fields, and keeps a stash: it has to declare metadata.annotations['%s'] too (crosswalk.Fields)", key))
		return
	}
	if metadata, _ := o.Get("metadata"); metadata.Type() != TypeObject {
		return
	}
	text := []byte{'{'}
	if layers := readStash(old); layers != nil {
		for version, layer := range layers.Members() {
			if version == bareVersion(s.from) || version == bareVersion(s.to) {
				continue
			}
			raw, _ := layer.Raw()
			text = append(append(Quote(separated(text), version), ':'), raw...)
		}
	}
	if len(s.parcels) > 0 {
		text = append(Quote(separated(text), bareVersion(s.from)), `:{"in":`...)
		text = append(Quote(text, bareVersion(s.to)), `,"kept":[`...)
		for i := range s.parcels {
			text = s.parcels[i].append(separated(text), &o.doc)
		}
		text = append(text, "]}"...)
	}
	text = append(text, '}')
	switch {
	case len(text) > maxStash:
		o.doc.fail(Errorf("%s cannot hold this object: what it has no place for needs %d bytes in the annotation %s, which may have %d",
			bareVersion(s.to), len(text), key, maxStash))
	case len(text) > len("{}"):
		o.SetAnnotation(key, string(text))
	default:
		o.RemoveAnnotation(key)
	}
}

// separated appends a comma unless text ends with an opening bracket.
func separated(text []byte) []byte {
	if last := text[len(text)-1]; last == '{' || last == '[' {
		return text
	}
	return append(text, ',')
}

// append appends the parcel as JSON, with the hash of its part of the converted object.
func (p *parcel) append(dst []byte, converted *document) []byte {
	dst = append(dst, '{')
	if p.taken != nil {
		dst = append(append(append(dst, `"for":`...), p.taken...), ',')
	}
	sum, _ := converted.hashFor(p.taken)
	dst = append(appendHash(append(dst, `"hash":"`...), sum), '"')
	if len(p.set) > 0 {
		dst = append(append(append(dst, `,"set":{`...), p.set...), '}')
	}
	if len(p.gone) > 0 {
		dst = append(append(append(dst, `,"gone":[`...), p.gone...), ']')
	}
	return append(dst, '}')
}

// appendHash appends 16 hexadecimal digits.
func appendHash(dst []byte, sum uint64) []byte {
	text := strconv.FormatUint(sum, 16)
	for range 16 - len(text) {
		dst = append(dst, '0')
	}
	return append(dst, text...)
}

// hashFor returns the hash of the part of the object that taken lists; ok is false if taken is not
// a list of pointers.
func (d *document) hashFor(taken []byte) (sum uint64, ok bool) {
	if taken == nil {
		if d.kind(0) != '{' {
			return 0, false
		}
		return d.hashMembers(0, func(c int32) bool {
			return !d.keyIs(c, "apiVersion") && !d.keyIs(c, "kind") && !d.keyIs(c, "metadata") && !d.keyIs(c, "status")
		}), true
	}
	list := Parse(taken)
	if list.Type() != TypeArray {
		return 0, false
	}
	h := fnv(fnvBasis).byte('a')
	for _, element := range list.Elements() {
		pointer, found, _ := element.String()
		if _, _, isPointer := cutToken(pointer); !found || !isPointer {
			return 0, false
		}
		h = h.word(d.hash(d.at(pointer)))
	}
	return h.sum(), true
}
