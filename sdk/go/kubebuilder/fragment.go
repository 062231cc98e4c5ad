package kubebuilder

import (
	"fmt"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

// withholdUnsaid removes from result, which comes from a fragment, the members that the fragment
// did not set. The conversion of the fragment has allocated a number of bytes.
func (c *conversionOf) withholdUnsaid(result, fragment *crosswalk.Object, bytes uint64) {
	text, _ := fragment.Raw()
	s := search{convert: c.try, fragment: crosswalk.Parse(text), text: text, result: result, grower: newGrower(), left: most(len(text)) - int64(bytes), dearest: int64(bytes)}
	if c.unmarshal == nil {
		s.decoded = c.decode.Shape()
	}
	var nothing crosswalk.Value                                // absent if the types refuse it
	if o, err := c.try(onlyMetadata(s.fragment)); err == nil { // the members of a zero value are known without it
		nothing = o.Value
	}
	s.places = s.grower.root(c.encode.Shape(), result.Value, nothing, s.fragment.Value)
	s.run()
	for _, p := range s.places {
		p.withhold()
	}
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
