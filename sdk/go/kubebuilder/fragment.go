package kubebuilder

import (
	"bytes"
	"fmt"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

// fragment converts a fragment: the result has no member that the types write unasked, which the
// applier of the fragment would own.
func (c *conversionOf) fragment(o *crosswalk.Object) error {
	text := o.Text()
	s := search{convert: c.try, text: text, kind: o.Kind(), budget: newBudget(len(text))}
	result, err := c.encoded(text)
	if err != nil {
		return err
	}
	s.grower.result, s.grower.said = newTree(result), newTree(text)
	if s.grower.result.kind(root) != '{' {
		return replace(o, crosswalk.Parse(result))
	}
	s.budget.converted()
	if s.budget.allows() {
		if nothing, err := c.try(s.grower.said.envelope(make([]byte, 0, 256))); err == nil { // else the members of a zero value are known without it
			s.grower.nothing = newTree(nothing)
		}
		s.budget.converted()
	}
	s.places = s.grower.root(c.encode.Shape())
	s.run()
	return s.grower.replace(o, s.places)
}

// try is encoded for an object that nobody sent. A conversion that panics for such an object has no
// fault: try returns an error, as for a refusal.
func (c *conversionOf) try(text []byte) (result []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the conversion panicked: %v", r)
		}
	}()
	return c.encoded(text)
}

// envelope appends an object without all but its apiVersion, kind and metadata.
func (t *tree) envelope(to []byte) []byte {
	to = append(to, '{')
	begin := len(to)
	for m := t.first(root); m > 0; m = t.next(m) {
		if envelope(t.name(m)) {
			if len(to) > begin {
				to = append(to, ',')
			}
			to = append(to, t.text[t.nodes[m].at:t.nodes[m].end]...)
		}
	}
	return append(to, '}')
}

// replace replaces the fragment by the result without the members that are still unasked, except for
// its metadata: of that it takes labels and annotations only.
func (g *grower) replace(o *crosswalk.Object, places []place) error {
	text := g.said.envelope(make([]byte, 0, len(g.said.text)+len(g.result.text)))
	text = text[:len(text)-1]
	var metadata place
	for m := g.result.first(root); m > 0; m = g.result.next(m) {
		var p place
		if i := placeOf(places, m); i >= 0 {
			p = places[i]
		}
		switch name := g.result.name(m); {
		case name == "metadata":
			metadata = place{node: m, inner: p.inner}
		case !envelope(name) && !p.unasked:
			text = g.member(text, 1, m, p.inner)
		}
	}
	var edits [2]edit
	for i, name := range []string{"labels", "annotations"} {
		edits[i] = g.edit(name, metadata)
	}
	o.Replace(append(text, '}'))
	for _, e := range edits {
		e.apply(o.Value, crosswalk.Path{"metadata", e.name})
	}
	return o.Err()
}

// edit returns the edit that makes the labels, or the annotations, those of the result's metadata.
func (g *grower) edit(name string, metadata place) edit {
	e := edit{name: name}
	if m := g.result.get(metadata.node, name); m > 0 {
		var p place
		if i := placeOf(metadata.inner, m); i >= 0 {
			p = metadata.inner[i]
		}
		if e.there = !p.unasked; e.there {
			e.raw = g.render(nil, m, p.inner)
		}
	}
	was := g.said.get(g.said.get(root, "metadata"), name)
	e.needed = (was > 0) != e.there || !bytes.Equal(g.said.raw(was), e.raw)
	return e
}

// placeOf returns the index of a value's place; -1 if it has none.
func placeOf(places []place, node int32) int {
	for i := range places {
		if places[i].node == node {
			return i
		}
	}
	return -1
}
