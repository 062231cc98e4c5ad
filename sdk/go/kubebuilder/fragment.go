package kubebuilder

import (
	"fmt"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/internal/codec"
)

// withholdUnsaid removes from result, which comes from a fragment, the members that the fragment
// did not set. The conversion of the fragment has allocated a number of bytes.
func (c *conversionOf) withholdUnsaid(result, fragment *crosswalk.Object, bytes uint64) {
	text, _ := fragment.Raw()
	s := search{convert: c.try, shape: c.encode.Shape(), fragment: fragment, result: result, left: most(len(text)) - int64(bytes), dearest: int64(bytes)}
	if o, err := s.try(onlyMetadata(fragment)); err == nil { // the members of a zero value are known without it
		s.nothing = o.Value
	}
	s.run()
	s.withhold(func(v crosswalk.Value) { v.Remove() })
}

// try is parsed for an object that nobody sent. A conversion that panics for such an object has no
// fault: try returns an error, as for a refusal.
func (c *conversionOf) try(text []byte) (o *crosswalk.Object, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the conversion panicked: %v", r)
		}
	}()
	return c.parsed(text)
}

// onlyMetadata returns the object without all but its apiVersion, kind and metadata.
func onlyMetadata(o *crosswalk.Object) []byte {
	text := []byte{'{'}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		if raw, ok := o.Raw(name); ok {
			if len(text) > 1 {
				text = append(text, ',')
			}
			text = append(append(crosswalk.Quote(text, name), ':'), raw...)
		}
	}
	return append(text, '}')
}

// withhold calls drop for the members of the result that the types write unasked: members that
// nothing has alike, or that a zero value of the shape has alike. It spares members that the
// fragment has, and members that differ in a probe's result.
func (s *search) withhold(drop func(crosswalk.Value)) {
	withhold(s.shape, s.result.Value, s.nothing, s.fragment.Value, s.changed, drop)
}

// withhold is search.withhold for the members of result, an object of a shape. All but result may
// be absent.
func withhold(shape codec.Shape, result, nothing, said crosswalk.Value, changed []crosswalk.Value, drop func(crosswalk.Value)) {
	zero := shape.Zeros()
	for name, member := range result.Members() {
		a, _ := member.Raw()
		unasked := false
		if there, ok := nothing.Raw(name); ok {
			unasked = string(a) == string(there)
		} else if there, ok := zero(name); ok {
			unasked = string(a) == string(there)
		}
		_, isSaid := said.Raw(name)
		inner := make([]crosswalk.Value, 0, len(changed))
		for _, other := range changed {
			if v, ok := other.Get(name); ok {
				inner = append(inner, v)
			}
			c, _ := other.Raw(name)
			isSaid = isSaid || unasked && string(c) != string(a)
		}
		if unasked && !isSaid {
			drop(member)
			continue
		}
		nothing, _ := nothing.Get(name)
		said, _ := said.Get(name)
		withholdWithin(shape.Member(name), member, nothing, said, inner, drop)
	}
}

// withholdWithin is withhold for the members of a value, or of a list's elements. An element with
// the place of one in nothing is not that one: a list that differs from nothing's keeps what its
// elements have alike.
func withholdWithin(shape codec.Shape, value, nothing, said crosswalk.Value, changed []crosswalk.Value, drop func(crosswalk.Value)) {
	switch value.Type() {
	case crosswalk.TypeObject:
		withhold(shape, value, nothing, said, changed, drop)
	case crosswalk.TypeArray:
		ofSaid := elements(said)
		lists := make([][]crosswalk.Value, len(changed))
		for i, other := range changed {
			lists[i] = elements(other)
		}
		for i, e := range elements(value) {
			inner := make([]crosswalk.Value, 0, len(changed))
			for _, list := range lists {
				if i < len(list) {
					inner = append(inner, list[i])
				}
			}
			withholdWithin(shape.Element(), e, crosswalk.Value{}, at(ofSaid, i), inner, drop)
		}
	}
}

// elements returns the elements of a list; none of another value.
func elements(v crosswalk.Value) (all []crosswalk.Value) {
	if v.Type() == crosswalk.TypeArray {
		for _, e := range v.Elements() {
			all = append(all, e)
		}
	}
	return all
}

// at returns an element; an absent value beyond the end.
func at(list []crosswalk.Value, n int) (v crosswalk.Value) {
	if n < len(list) {
		v = list[n]
	}
	return v
}
