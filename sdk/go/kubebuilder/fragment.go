package kubebuilder

import (
	"fmt"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/internal/codec"
)

// maxProbes bounds the conversions that one fragment may cost beside its own. Fragments rarely say
// zero more than a few times; the zeros beyond are taken for unsaid, unless they keep their place.
const maxProbes = 32

// withholdUnsaid removes from result, which comes from a fragment, the members that the fragment
// did not set.
func (c *conversionOf) withholdUnsaid(result, fragment *crosswalk.Object) {
	var nothing crosswalk.Value // absent if the types refuse such an object; the members of a zero value are known nevertheless
	if o, err := c.try(onlyMetadata(fragment)); err == nil {
		nothing = o.Value
	}
	// A zero in the result may be one that the fragment says, at another place. It is if it changes
	// with it.
	var changed []crosswalk.Value
	for _, p := range probes(fragment.Value, nil, nil) {
		text, _ := fragment.Raw()
		other := crosswalk.Parse(text)
		p.put(other.Value)
		text, err := other.AppendJSON(nil)
		if err != nil {
			continue
		}
		if o, err := c.try(text); err == nil {
			changed = append(changed, o.Value)
		}
	}
	withhold(c.encode.Shape(), result.Value, nothing, fragment.Value, changed)
}

// try is parsed for an object that nobody sent. A conversion that panics for such an object has no
// fault: it is as if it refused.
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

// probe is a value to put in place of a zero.
type probe struct {
	path  []step
	value string
}

// step goes to a member of an object, or to an element of a list.
type step struct {
	name    string
	element int // counted from 1; 0: a member
}

// put sets the probe's value in an object.
func (p probe) put(v crosswalk.Value) {
	for _, s := range p.path[:len(p.path)-1] {
		v = s.from(v)
	}
	v.SetRaw(crosswalk.Path{p.path[len(p.path)-1].name}, []byte(p.value))
}

func (s step) from(v crosswalk.Value) crosswalk.Value {
	if s.element == 0 {
		inner, _ := v.Get(s.name)
		return inner
	}
	return element(v, s.element-1)
}

// element returns an element of a list; nothing if there is none.
func element(v crosswalk.Value, n int) (found crosswalk.Value) {
	if v.Type() != crosswalk.TypeArray {
		return found
	}
	for i, e := range v.Elements() {
		if i == n {
			return e
		}
	}
	return found
}

// probes appends one for each zero in v, an object at path. Zeros that are elements of lists are
// not members: none of them is written unasked.
func probes(v crosswalk.Value, path []step, to []probe) []probe {
	for name, member := range v.Members() {
		if len(path) == 0 && name == "metadata" {
			continue
		}
		at := append(path[:len(path):len(path)], step{name: name})
		switch member.Type() {
		case crosswalk.TypeObject:
			to = probes(member, at, to)
			continue
		case crosswalk.TypeArray:
			for i, e := range member.Elements() {
				if e.Type() == crosswalk.TypeObject {
					to = probes(e, append(at[:len(at):len(at)], step{element: i + 1}), to)
				}
			}
			continue
		}
		raw, _ := member.Raw()
		other, ok := map[string]string{"0": "1", "false": "true", `""`: `"x"`}[string(raw)]
		if ok && len(to) < maxProbes {
			to = append(to, probe{at, other})
		}
	}
	return to
}

// withhold deletes the members of result, an object of a shape, that the types write unasked: those
// that nothing has alike, and those that a zero value of the shape has alike. It keeps those that
// said has, and those that changed has otherwise. All but result may be absent.
func withhold(shape codec.Shape, result, nothing, said crosswalk.Value, changed []crosswalk.Value) {
	for name, member := range result.Members() {
		a, _ := member.Raw()
		unasked := false
		if there, ok := nothing.Raw(name); ok {
			unasked = string(a) == string(there)
		} else if zero, ok := shape.Zero(name); ok {
			unasked = string(a) == string(zero)
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
			member.Remove()
			continue
		}
		withholdWithin(shape.Member(name), member, step{name: name}, nothing, said, inner)
	}
}

// withholdWithin is withhold for the members of a value; nothing and said belong to the enclosing
// value.
func withholdWithin(shape codec.Shape, value crosswalk.Value, at step, nothing, said crosswalk.Value, changed []crosswalk.Value) {
	nothing, said = at.from(nothing), at.from(said)
	switch value.Type() {
	case crosswalk.TypeObject:
		withhold(shape, value, nothing, said, changed)
	case crosswalk.TypeArray:
		for i, e := range value.Elements() {
			inner := make([]crosswalk.Value, 0, len(changed))
			for _, other := range changed {
				if v := element(other, i); v.Type() != crosswalk.TypeInvalid {
					inner = append(inner, v)
				}
			}
			withholdWithin(shape.Element(), e, step{element: i + 1}, nothing, said, inner)
		}
	}
}
