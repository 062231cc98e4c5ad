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
}

// newConversion returns the conversion that decodes an object to a new in, converts that to a new
// out, and encodes it. unmarshal nil means encoding/json's rules.
func newConversion(set *codec.Set, unmarshal func([]byte, any) error, in, out reflect.Type, convert func(in, out any) error) *conversionOf {
	decode := set.Codec(in)
	return &conversionOf{decode: decode, read: decode, encode: set.Codec(out), unmarshal: unmarshal, convert: convert}
}

// object is the converter of objects that are parsed.
func (c *conversionOf) object(o *crosswalk.Object) error {
	if o.IsFragment() || !c.encode.Members() {
		return c.fragment(o)
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
	if err := c.read.DecodeObject(text, in, &parts); err != nil {
		return dst, false, decodeError(err)
	}
	if uid := parts.UID; parts.Odd || uid.End == 0 || text[uid.Value] != '"' {
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

// parsed converts an object and returns the result as the types write it.
func (c *conversionOf) parsed(text []byte) (*crosswalk.Object, error) {
	out, err := c.run(text)
	if err != nil {
		return nil, err
	}
	result, err := c.encode.Append(nil, out)
	if err != nil {
		return nil, encodeError(err)
	}
	return crosswalk.Parse(result), nil
}

// fragment is whole for an object that may be a part of one, member by member.
func (c *conversionOf) fragment(o *crosswalk.Object) error {
	text, _ := o.Raw()
	before := allocated()
	result, err := c.parsed(text)
	if err != nil {
		return err
	}
	if o.IsFragment() {
		c.withholdUnsaid(result, o, allocated()-before)
	}
	return replace(o, result)
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
