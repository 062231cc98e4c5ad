package kubebuilder

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/internal/codec"
)

// conversionOf is one direction between two Go types.
type conversionOf struct {
	decode, encode *codec.Codec
	read           *codec.Codec            // decode, or a codec that decodes less
	unmarshal      func([]byte, any) error // nil: decode
	convert        func(in, out any) error
	meta           resultMeta
	head           string // how the text of a result begins
	scratch        []byte

	// decoded is the value of the text that the converter of texts has left to object; nil if none.
	decoded unsafe.Pointer
	of      []byte
}

// newConversion returns the conversion that decodes an object to a new in, converts that to a new
// out, and encodes it. unmarshal nil means encoding/json's rules.
func newConversion(set *codec.Set, unmarshal func([]byte, any) error, in, out reflect.Type, convert func(in, out any) error) *conversionOf {
	decode := set.Codec(in)
	return &conversionOf{decode: decode, read: decode, encode: set.Codec(out), unmarshal: unmarshal, convert: convert}
}

// object is the converter of objects that are parsed.
func (c *conversionOf) object(o *crosswalk.Object) error {
	switch {
	case o.IsFragment():
		return c.fragment(o)
	case !c.encode.Members():
		return c.inParts(o)
	}
	return c.whole(o)
}

// textTo returns the converter of texts to a version; nil if the types decode or encode themselves
// as a whole.
func (c *conversionOf) textTo(apiVersion string) crosswalk.TextConverter {
	if c.unmarshal != nil || !c.encode.Members() {
		return nil
	}
	c.head = string(crosswalk.Quote([]byte(`{"apiVersion":`), apiVersion))
	return c.text
}

// text is the converter of objects that are not parsed; it leaves fragments and unusual objects to
// object.
func (c *conversionOf) text(dst, text []byte) (result []byte, done bool, err error) {
	var parts codec.Parts
	in := c.decode.New()
	c.decoded = nil
	if err := c.read.DecodeObject(text, in, &parts); err != nil {
		return dst, false, decodeError(err)
	}
	if uid := parts.UID; parts.Odd || uid.End == 0 || text[uid.Value] != '"' {
		c.decoded, c.of = in, text
		return dst, false, nil
	}
	out, err := c.typed(in)
	if err != nil {
		return dst, false, err
	}
	dst = append(dst, c.head...)
	if kind := parts.Kind; kind.End > 0 {
		dst = append(append(dst, ','), text[kind.Start:kind.End]...)
	}
	edits, changed, err := c.edits(out, func(name string) ([]byte, bool) {
		part := partOf(&parts, name)
		return text[part.Value:part.End], part.End > 0
	})
	if err != nil {
		return dst, false, err
	}
	dst = append(dst, ',')
	if metadata := parts.Metadata; !changed {
		dst = append(dst, text[metadata.Start:metadata.End]...)
	} else if whole, ok := appendMetadata(dst, text, &parts, edits); ok {
		dst = whole
	} else {
		o := crosswalk.Parse(text[metadata.Value:metadata.End])
		for _, e := range edits {
			e.apply(o.Value, crosswalk.Path{e.name})
		}
		if dst, err = o.AppendJSON(append(dst, `"metadata":`...)); err != nil {
			return dst, false, err
		}
	}
	if dst, err = c.encode.AppendMembers(dst, out); err != nil {
		return dst, false, encodeError(err)
	}
	return append(dst, '}'), true, nil
}

// run converts an object and returns a pointer to the result.
func (c *conversionOf) run(text []byte) (unsafe.Pointer, error) {
	if in := c.takeDecoded(text); in != nil {
		return c.typed(in)
	}
	in := c.decode.New()
	var err error
	if c.unmarshal != nil {
		err = c.unmarshal(text, c.decode.Pointer(in))
	} else {
		err = c.read.Decode(text, in)
	}
	if err != nil {
		return nil, decodeError(err)
	}
	return c.typed(in)
}

// takeDecoded returns the value that the converter of texts has decoded, once; nil if it is not that
// of this text. A conversion may change the value.
func (c *conversionOf) takeDecoded(text []byte) (in unsafe.Pointer) {
	if c.decoded != nil && len(text) == len(c.of) && unsafe.SliceData(text) == unsafe.SliceData(c.of) {
		in = c.decoded
	}
	c.decoded, c.of = nil, nil
	return in
}

// typed converts the value that in points to.
func (c *conversionOf) typed(in unsafe.Pointer) (out unsafe.Pointer, err error) {
	out = c.encode.New()
	c.meta.set(in, out)
	if err := c.convert(c.decode.Pointer(in), c.encode.Pointer(out)); err != nil {
		if err.Error() == "" {
			return nil, fmt.Errorf("the conversion failed with an error without a text, a %T", err)
		}
		return nil, err
	}
	return out, nil
}

// whole writes the converted object in one piece: apiVersion, kind and metadata as they were, and
// then the result's members.
func (c *conversionOf) whole(o *crosswalk.Object) error {
	text := o.Text()
	out, err := c.run(text)
	if err != nil {
		return err
	}
	result := make([]byte, 0, len(text)+len(text)/4+64)
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		if raw, ok := o.Raw(name); ok {
			result = append(append(crosswalk.Quote(append(result, ','), name), ':'), raw...)
		}
	}
	if result, err = c.encode.AppendMembers(result, out); err != nil {
		return encodeError(err)
	}
	if len(result) == 0 {
		result = append(result, '{')
	}
	result[0] = '{' // where the first comma is
	edits, _, err := c.edits(out, func(name string) ([]byte, bool) { return o.Raw("metadata", name) })
	if err != nil {
		return err
	}
	o.Replace(append(result, '}'))
	for _, e := range edits {
		e.apply(o.Value, crosswalk.Path{"metadata", e.name})
	}
	return o.Err()
}

// encoded converts an object and returns the result as the types write it. Of its metadata, it has
// the labels and annotations at least.
func (c *conversionOf) encoded(text []byte) (result []byte, err error) {
	out, err := c.run(text)
	if err != nil {
		return nil, err
	}
	result = make([]byte, 0, len(text)+len(text)/4+512)
	if !c.encode.Members() {
		if result, err = c.encode.Append(result, out); err != nil {
			err = encodeError(err)
		}
		return result, err
	}
	if result, err = c.encode.AppendMembers(result, out); err != nil {
		return nil, encodeError(err)
	}
	result = append(result, `,"metadata":{`...)
	for i, name := range []string{`"labels":`, `"annotations":`} {
		begin, there := len(result), false
		if result[begin-1] != '{' {
			result = append(result, ',')
		}
		result = append(result, name...)
		if result, there, err = c.encode.AppendMember(result, out, "metadata", []string{"labels", "annotations"}[i]); err != nil {
			return nil, encodeError(err)
		}
		if !there {
			result = result[:begin]
		}
	}
	result = append(result, "}}"...)
	result[0] = '{' // where the first comma is
	return result, nil
}

// inParts is whole for types that encode themselves as a whole, member by member.
func (c *conversionOf) inParts(o *crosswalk.Object) error {
	result, err := c.encoded(o.Text())
	if err != nil {
		return err
	}
	return replace(o, crosswalk.Parse(result))
}

// replace replaces o by result, except for its metadata: of that it takes labels and annotations
// only.
func replace(o, result *crosswalk.Object) error {
	for name, member := range o.Members() {
		if name == "apiVersion" || name == "kind" || name == "metadata" {
			continue
		}
		if _, ok := result.Raw(name); !ok {
			member.Remove()
		}
	}
	for name, member := range result.Members() {
		if name != "apiVersion" && name != "kind" && name != "metadata" {
			o.SetValue(crosswalk.Path{name}, member)
		}
	}
	metadata, _ := result.Get("metadata")
	for _, name := range []string{"labels", "annotations"} {
		if value, ok := metadata.Get(name); ok {
			o.SetValue(crosswalk.Path{"metadata", name}, value)
		} else {
			o.Remove("metadata", name)
		}
	}
	return result.Err()
}

func encodeError(err error) error {
	return fmt.Errorf("the converted object cannot be encoded: %w", err)
}

// decodeError names the place that is wrong, for the person who wrote the object.
func decodeError(err error) error {
	var wrong *codec.TypeError
	if errors.As(err, &wrong) {
		return wrong
	}
	if err := typeError(err); err != nil {
		return err
	}
	return fmt.Errorf("the object cannot be decoded: %w", err)
}

// resultMeta sets the apiVersion and the kind of a new object before a conversion fills it, as
// controller-runtime does: a conversion may read them. An object on the way to another version has
// none there, either.
type resultMeta struct {
	apiVersion          string // "": the types have no TypeMeta
	version, kind, from uintptr
}

// resultMetaOf finds the places in the types; both must have a field TypeMeta.
func resultMetaOf(in, out reflect.Type, apiVersion string) resultMeta {
	version, ok := stringIn(out, "APIVersion")
	kind, also := stringIn(out, "Kind")
	from, source := stringIn(in, "Kind")
	if !ok || !also || !source {
		return resultMeta{}
	}
	return resultMeta{apiVersion: apiVersion, version: version, kind: kind, from: from}
}

// stringIn returns the offset of a string in the field TypeMeta of a struct.
func stringIn(t reflect.Type, name string) (offset uintptr, ok bool) {
	outer, ok := t.FieldByName("TypeMeta")
	if !ok || len(outer.Index) != 1 || outer.Type.Kind() != reflect.Struct {
		return 0, false
	}
	inner, ok := outer.Type.FieldByName(name)
	if !ok || len(inner.Index) != 1 || inner.Type.Kind() != reflect.String {
		return 0, false
	}
	return outer.Offset + inner.Offset, true
}

func (m *resultMeta) set(in, out unsafe.Pointer) {
	if m.apiVersion == "" {
		return
	}
	*(*string)(unsafe.Add(out, m.version)) = m.apiVersion
	*(*string)(unsafe.Add(out, m.kind)) = *(*string)(unsafe.Add(in, m.from))
}
