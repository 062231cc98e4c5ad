package kubebuilder

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/internal/codec"
)

// conversionOf is one direction between two Go types.
type conversionOf struct {
	in, out        reflect.Type // structs
	decode, encode *codec.Codec
	unmarshal      func([]byte, any) error // nil: decode
	convert        func(in, out any) error
}

// converter returns the converter that decodes an object to a new in, converts that to a new out, and encodes it. unmarshal nil
// means encoding/json's rules.
func converter(set *codec.Set, unmarshal func([]byte, any) error, in, out reflect.Type, convert func(in, out any) error) crosswalk.Converter {
	c := conversionOf{in: in, out: out, decode: set.Codec(in), encode: set.Codec(out), unmarshal: unmarshal, convert: convert}
	return func(o *crosswalk.Object) error {
		if o.IsFragment() || !c.encode.Members() {
			return c.fragment(o)
		}
		return c.whole(o)
	}
}

// run converts an object and returns a pointer to the result.
func (c *conversionOf) run(text []byte) (unsafe.Pointer, error) {
	in, out := reflect.New(c.in), reflect.New(c.out)
	var err error
	if c.unmarshal != nil {
		err = c.unmarshal(text, in.Interface())
	} else {
		err = c.decode.Decode(text, in.UnsafePointer())
	}
	if err != nil {
		return nil, decodeError(err)
	}
	if err := c.convert(in.Interface(), out.Interface()); err != nil {
		if err.Error() == "" {
			return nil, fmt.Errorf("the conversion failed with an error without a text, a %T", err)
		}
		return nil, err
	}
	return out.UnsafePointer(), nil
}

// whole writes the converted object in one piece: apiVersion, kind and metadata as they were, and then the result's members.
func (c *conversionOf) whole(o *crosswalk.Object) error {
	text := o.Text()
	out, err := c.run(text)
	if err != nil {
		return err
	}
	result := make([]byte, 1, len(text)+len(text)/4+64)
	result[0] = '{'
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		if raw, ok := o.Raw(name); ok {
			result = append(append(crosswalk.Quote(result, name), ':'), raw...)
			result = append(result, ',')
		}
	}
	before := len(result)
	if result, err = c.encode.AppendMembers(result, out, "apiVersion", "kind", "metadata"); err != nil {
		return encodeError(err)
	}
	if len(result) == before && before > 1 {
		result = result[:before-1] // the comma
	}
	result = append(result, '}')

	edits, end := [2]edit{{name: "labels"}, {name: "annotations"}}, len(result)
	for i := range edits {
		e := &edits[i]
		start := len(result)
		if result, e.there, err = c.encode.AppendMember(result, out, "metadata", e.name); err != nil {
			return encodeError(err)
		}
		e.raw = result[start:len(result):len(result)]
		was, had := o.Raw("metadata", e.name)
		e.needed = had != e.there || !bytes.Equal(was, e.raw)
	}
	o.Replace(result[:end:end])
	for _, e := range edits {
		switch {
		case e.needed && e.there && string(e.raw) != "null":
			o.SetRaw(crosswalk.Path{"metadata", e.name}, e.raw)
		case e.needed:
			o.Remove("metadata", e.name)
		}
	}
	return o.Err()
}

// edit is the change of the labels or of the annotations.
type edit struct {
	name          string
	raw           []byte
	there, needed bool
}

// object converts an object and returns the result as the types write it.
func (c *conversionOf) object(text []byte) (*crosswalk.Object, error) {
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
	result, err := c.object(text)
	if err != nil {
		return err
	}
	if o.IsFragment() {
		c.withholdUnsaid(result, o)
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
