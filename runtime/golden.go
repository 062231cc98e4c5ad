package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// goldenCase is an object and what a module must make of it before it may serve.
type goldenCase struct {
	label     string // what messages call it: cases[0] (splits the schedule)
	edge      Edge
	object    []byte // with apiVersion and kind
	want      []byte // with apiVersion, kind and metadata; nil where a refusal is wanted
	wantError string
}

func (c *goldenCase) from() string { return c.edge.Group + "/" + c.edge.From }
func (c *goldenCase) to() string   { return c.edge.Group + "/" + c.edge.To }

func (s *sidecar) readCases(name Name, n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return wrongType("cases", n, "a list")
	}
	if len(n.Content) > maxCases {
		return fmt.Errorf("line %d: there are %d cases; a sidecar may have %d", n.Line, len(n.Content), maxCases)
	}
	for i, item := range n.Content {
		c := goldenCase{label: fmt.Sprintf("cases[%d]", i)}
		if err := c.read(name, item); err != nil {
			return err
		}
		s.cases = append(s.cases, c)
	}
	return nil
}

// read reads one case. Its errors have the line and the label.
func (c *goldenCase) read(name Name, n *yaml.Node) error {
	at := map[string]*yaml.Node{}
	text := map[string]string{}
	err := eachMember(c.label, n, []string{"name", "from", "to", "object", "want", "wantError"}, func(key string, value *yaml.Node) (err error) {
		at[key] = value
		if key != "object" && key != "want" {
			text[key], err = textAt(c.label+"."+key, value)
		}
		return err
	})
	if err != nil {
		return err
	}
	if text["name"] != "" {
		c.label += " (" + words([]byte(shortened(text["name"]))) + ")"
	}
	fail := func(format string, args ...any) error {
		return fmt.Errorf("line %d: %s: %w", n.Line, c.label, fmt.Errorf(format, args...))
	}
	for _, key := range []string{"from", "to", "object"} {
		if at[key] == nil {
			return fail("it has no %s", key)
		}
	}
	c.edge = Edge{name.Group, name.Kind, text["from"], text["to"]}
	if !slices.Contains(name.Edges(), c.edge) {
		return fail("%s is not named to convert from %q to %q", name.File, shortened(c.edge.From), shortened(c.edge.To))
	}
	switch {
	case at["want"] != nil && at["wantError"] != nil:
		return fail("it has both want and wantError: keep one of them")
	case at["want"] == nil && at["wantError"] == nil:
		return fail("it has neither want, the converted object, nor wantError, the text of a refusal")
	case at["wantError"] != nil && text["wantError"] == "":
		return fail("its wantError is empty: write the text that the module refuses the object with")
	}
	c.wantError = text["wantError"]
	if c.object, err = c.readObject("object", at["object"], c.from()); err != nil {
		return err
	}
	if c.object, err = fillIn(c.object, c.from(), c.edge.Kind, nil); err != nil {
		return fail("its object: %w", err)
	}
	if at["want"] == nil {
		return nil
	}
	if c.want, err = c.readObject("want", at["want"], c.to()); err != nil {
		return err
	}
	if c.want, err = fillIn(c.want, c.to(), c.edge.Kind, c.object); err != nil {
		return fail("its want: %w", err)
	}
	return nil
}

// readObject reads an object or what it should become, as JSON. apiVersion and kind may be left out, but not be others.
func (c *goldenCase) readObject(what string, n *yaml.Node, apiVersion string) ([]byte, error) {
	must := map[string]string{"apiVersion": apiVersion, "kind": c.edge.Kind}
	err := eachMember("it", n, nil, func(key string, value *yaml.Node) error {
		if should := must[key]; should != "" && (value.Kind != yaml.ScalarNode || value.Value != should) {
			return fmt.Errorf("line %d: %s is %q; it must be %q or be left out", value.Line, key, shortened(value.Value), should)
		}
		return nil
	})
	var doc []byte
	if err == nil {
		doc, err = appendJSON(nil, n)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: its %s: %w", c.label, what, err)
	}
	return doc, nil
}

// passCases converts every case's object and returns what is wrong with the first answer that is not what it should be. The
// cases run as in production, one after another: a module that is led astray by what it remembers fails here. They may take
// half of CompileTime, so that the process that vets a module can say itself that they take too long.
func (m *Module) passCases(ctx context.Context) error {
	limit := m.limits.CompileTime / 2
	deadline := time.Now().Add(limit)
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	for i := range m.sidecar.cases {
		c := &m.sidecar.cases[i]
		err := m.passCase(ctx, c)
		if err != nil && !time.Now().Before(deadline) {
			return fmt.Errorf("%s: its cases take longer than %v, the limit for all cases of a module: use fewer or cheaper cases", m.sidecar.file, limit)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: from %s to %s %w", m.sidecar.file, c.label, c.edge.From, c.edge.To, err)
		}
	}
	return nil
}

// passCase converts one case's object. It goes around what counts calls: a test is no traffic.
func (m *Module) passCase(ctx context.Context, c *goldenCase) error {
	converted, refused, fault, wrong := m.convertWhole(ctx, c.edge, c.object)
	refusal, isRefusal := refused[0]
	switch {
	case wrong != nil:
		return fmt.Errorf("the module's answer %w", wrong)
	case fault != nil:
		return fmt.Errorf("the module failed: %w", fault)
	case isRefusal && c.want != nil:
		return fmt.Errorf("the module refuses the object, which it should convert: %s", foreign.Fit(refusal, maxShown))
	case isRefusal && refusal != c.wantError:
		return fmt.Errorf("the module refuses the object with %q, not with %q", foreign.Fit(refusal, maxShown), foreign.Fit(c.wantError, maxShown))
	case isRefusal:
		return nil
	case c.want == nil:
		return fmt.Errorf("the module converts the object, which it should refuse with %q", foreign.Fit(c.wantError, maxShown))
	}
	got, err := fillIn(converted, c.to(), c.edge.Kind, c.object)
	if err != nil {
		return fmt.Errorf("the module's answer is wrong: %w", err)
	}
	if !rawjson.Equal(c.want, got) {
		return fmt.Errorf("the module's answer differs from want in %s", differenceOf(c.want, got))
	}
	return nil
}

// fillIn returns an object with those of apiVersion, kind and metadata that it leaves out, the metadata as another object has
// it; a nil other has none.
//
// The error says why the object is none.
func fillIn(object []byte, apiVersion, kind string, other []byte) ([]byte, error) {
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
// The error says why it is no object.
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
