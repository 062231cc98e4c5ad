package artifact

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// GoldenCase is an object and the result that a module must produce for it before it may serve.
type GoldenCase struct {
	Label     string // what messages call it: cases[0] (splits the schedule)
	Edge      Edge
	Object    []byte // with apiVersion and kind
	Want      []byte // with apiVersion, kind and metadata; nil where a refusal is wanted, or only ThereAndBack
	WantError string
	// Stash are the values that the answer must keep for the version of Object, by pointer, as a
	// JSON object; the annotation with them is then not compared with Want. nil: it is compared.
	Stash []byte
	// ThereAndBack: the answer, converted back, must equal Object.
	ThereAndBack bool
}

func (c *GoldenCase) from() string { return c.Edge.Group + "/" + c.Edge.From }
func (c *GoldenCase) To() string   { return c.Edge.Group + "/" + c.Edge.To }

func (s *Sidecar) readCases(name Name, n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return wrongType("cases", n, "a list")
	}
	if len(n.Content) > maxCases {
		return fmt.Errorf("line %d: there are %d cases; a sidecar may have %d", n.Line, len(n.Content), maxCases)
	}
	for i, item := range n.Content {
		c := GoldenCase{Label: fmt.Sprintf("cases[%d]", i)}
		if err := c.read(name, item); err != nil {
			return err
		}
		s.Cases = append(s.Cases, c)
	}
	return nil
}

// read reads one case. Its errors have the line and the label.
func (c *GoldenCase) read(name Name, n *yaml.Node) error {
	at := map[string]*yaml.Node{}
	values := map[string]string{}
	err := eachMember(c.Label, n, []string{"name", "from", "to", "object", "want", "wantError", "stash", "thereAndBack"}, func(key string, value *yaml.Node) (err error) {
		at[key] = value
		if !slices.Contains([]string{"object", "want", "stash", "thereAndBack"}, key) {
			values[key], err = textAt(c.Label+"."+key, value)
		}
		return err
	})
	if err != nil {
		return err
	}
	if values["name"] != "" {
		c.Label += " (" + foreign.Clean(foreign.Fit(values["name"], maxQuoted), maxQuoted) + ")"
	}
	fail := func(format string, args ...any) error {
		return fmt.Errorf("line %d: %s: %w", n.Line, c.Label, fmt.Errorf(format, args...))
	}
	for _, key := range []string{"from", "to", "object"} {
		if at[key] == nil {
			return fail("it has no %s", key)
		}
	}
	c.Edge = Edge{name.Group, name.Kind, values["from"], values["to"]}
	if !slices.Contains(name.Edges(), c.Edge) {
		return fail("%s is not named to convert from %q to %q", name.File, foreign.Fit(c.Edge.From, maxQuoted), foreign.Fit(c.Edge.To, maxQuoted))
	}
	if err := c.readThereAndBack(name, at["thereAndBack"]); err != nil {
		return fail("%w", err)
	}
	switch {
	case at["wantError"] != nil && (c.ThereAndBack || at["stash"] != nil):
		return fail("it has wantError, so nothing comes back and nothing is kept: leave out thereAndBack and stash")
	case at["want"] == nil && at["stash"] != nil:
		return fail("it has stash, but not want, the rest of the converted object")
	case at["want"] != nil && at["wantError"] != nil:
		return fail("it has both want and wantError: keep one of them")
	case at["want"] == nil && at["wantError"] == nil && !c.ThereAndBack:
		return fail("it has neither want, the converted object, nor wantError, the text of a refusal")
	case at["wantError"] != nil && values["wantError"] == "":
		return fail("its wantError is empty: write the text that the module refuses the object with")
	}
	c.WantError = values["wantError"]
	if c.Object, err = c.readObject("object", at["object"], c.from()); err != nil {
		return err
	}
	if c.Object, err = FillIn(c.Object, c.from(), c.Edge.Kind, nil); err != nil {
		return fail("its object: %w", err)
	}
	if at["want"] == nil {
		return nil
	}
	if c.Want, err = c.readObject("want", at["want"], c.To()); err != nil {
		return err
	}
	if c.Want, err = FillIn(c.Want, c.To(), c.Edge.Kind, c.Object); err != nil {
		return fail("its want: %w", err)
	}
	if n := at["stash"]; n != nil {
		if n.Kind != yaml.MappingNode {
			return wrongType(c.Label+".stash", n, "a mapping of pointers, such as /spec/tls, to values")
		}
		if c.Stash, err = appendJSON(nil, n); err != nil {
			return fail("its stash: %w", err)
		}
	}
	return nil
}

// readThereAndBack reads whether the answer must come back; nil says no.
func (c *GoldenCase) readThereAndBack(name Name, n *yaml.Node) error {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" || n.Value != "true" && n.Value != "false" {
		return errors.New("its thereAndBack must be true or false")
	}
	c.ThereAndBack = n.Value == "true"
	if back := (Edge{c.Edge.Group, c.Edge.Kind, c.Edge.To, c.Edge.From}); c.ThereAndBack && !slices.Contains(name.Edges(), back) {
		return fmt.Errorf("%s is not named to convert back from %q to %q", name.File, back.From, back.To)
	}
	return nil
}

// readObject reads the object or the wanted object of a case as JSON. It may omit apiVersion and
// kind, but not change them.
func (c *GoldenCase) readObject(what string, n *yaml.Node, apiVersion string) ([]byte, error) {
	must := map[string]string{"apiVersion": apiVersion, "kind": c.Edge.Kind}
	err := eachMember("it", n, nil, func(key string, value *yaml.Node) error {
		if should := must[key]; should != "" && (value.Kind != yaml.ScalarNode || value.Value != should) {
			return fmt.Errorf("line %d: %s is %q; it must be %q or be left out", value.Line, key, foreign.Fit(value.Value, maxQuoted), should)
		}
		return nil
	})
	var doc []byte
	if err == nil {
		doc, err = appendJSON(nil, n)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: its %s: %w", c.Label, what, err)
	}
	return doc, nil
}

// FillIn adds the apiVersion, kind and metadata that an object omits, with the metadata of another
// object; a nil other has none.
//
// It returns an error if either is not a JSON object.
func FillIn(object []byte, apiVersion, kind string, other []byte) ([]byte, error) {
	members, err := topLevel(object)
	if err != nil {
		return nil, err
	}
	filled := []byte{'{'}
	add := func(key string, value []byte) {
		if _, has := members[key]; !has && value != nil {
			filled = append(rawjson.Quote(filled, key), ':')
			filled = append(append(filled, value...), ',')
		}
	}
	add("apiVersion", rawjson.Quote(nil, apiVersion))
	add("kind", rawjson.Quote(nil, kind))
	if other != nil {
		others, err := topLevel(other)
		if err != nil {
			return nil, err
		}
		add("metadata", others["metadata"])
	}
	if len(members) == 0 {
		filled = filled[:len(filled)-1] // no comma before the closing brace
	}
	return append(filled, object[bytes.IndexByte(object, '{')+1:]...), nil
}

// topLevel returns the members of an object by name.
//
// It returns an error if it is not a JSON object.
func topLevel(object []byte) (map[string][]byte, error) {
	var s rawjson.Scanner
	s.Reset(object, 0)
	if s.Peek() != rawjson.Object {
		if s.Skip(); s.Err() == nil {
			return nil, errors.New("it is not a JSON object")
		}
	}
	members := map[string][]byte{}
	s.Object()
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		key := string(m.Key)
		members[key] = s.Skip().Of(object)
	}
	if !s.End() {
		return nil, fmt.Errorf("it is not strictly valid JSON: %w", s.Err())
	}
	return members, nil
}
