package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// fields are the fields that a module declares, as paths by version (docs/abi.md). With nil it declares none, and is shown whole objects.
type fields map[string][]string

// describedFields takes the fields out of what a module says of itself; nil if it says nothing of any.
func describedFields(name Name, description []byte) (fields, error) {
	var says struct {
		Fields json.RawMessage `json:"fields"`
	}
	if err := json.Unmarshal(description, &says); err != nil || says.Fields == nil {
		return nil, nil // what is wrong with it has been said before
	}
	var f fields
	if err := json.Unmarshal(says.Fields, &f); err != nil || f == nil {
		return nil, errors.New(`fields is not like {"v1": ["spec.size"], "v2": ["spec.replicas"]}`)
	}
	return f, f.check(name)
}

// declare takes over the fields that the module describes itself. They are its own business: a sidecar may not have others.
func (m *Module) declare(description []byte) error {
	f, err := describedFields(m.name, description)
	switch {
	case err != nil:
		return err
	case f != nil && m.sidecar.fields != nil:
		return fmt.Errorf("the module declares its fields itself: leave fields out of %s", m.sidecar.file)
	case f != nil:
		m.fields = f
	}
	return nil
}

// readFields reads the fields of a sidecar.
func (s *sidecar) readFields(name Name, n *yaml.Node) error {
	s.fields = fields{}
	err := eachMember("fields", n, nil, func(version string, list *yaml.Node) error {
		if list.Kind != yaml.SequenceNode {
			return wrongType("fields."+version, list, "a list of paths")
		}
		paths := []string{}
		for i, item := range list.Content {
			path, err := textAt(fmt.Sprintf("fields.%s[%d]", version, i), item)
			if err != nil {
				return err
			}
			paths = append(paths, path)
		}
		s.fields[version] = paths
		return nil
	})
	if err == nil {
		err = s.fields.check(name)
		if err != nil {
			err = fmt.Errorf("line %d: %w", n.Line, err)
		}
	}
	return err
}

// check holds the fields to the versions of the module's name, and the paths to what paths may be.
func (f fields) check(name Name) error {
	for _, version := range slices.Sorted(maps.Keys(f)) {
		if !slices.Contains(name.Versions, version) {
			return fmt.Errorf("fields has version %q, which %s does not name", shortened(version), name.File)
		}
		if _, err := projection.Parse(f[version]); err != nil {
			return fmt.Errorf("fields.%s: %w", version, err)
		}
	}
	for _, version := range name.Versions {
		if f[version] == nil {
			return fmt.Errorf("fields has no list for version %s: add one, empty if nothing of that version is read or written", version)
		}
	}
	for _, e := range name.Edges() {
		if _, err := projection.Parse(f[e.From], f[e.To]); err != nil {
			return fmt.Errorf("fields of %s and %s together: %w", e.From, e.To, err)
		}
	}
	return nil
}

// count is how many paths there are.
func (f fields) count() (n int) {
	for _, paths := range f {
		n += len(paths)
	}
	return n
}

// Fields returns the paths of the fields that the module declares for a conversion between two versions, those of both. It returns nil
// for a module that is shown whole objects.
func (m *Module) Fields(from, to string) []string {
	if m.fields == nil {
		return nil
	}
	return append(append(make([]string, 0, len(m.fields[from])+len(m.fields[to])), m.fields[from]...), m.fields[to]...)
}

// Declared returns the paths of the fields that the module declares, by version; nil for a module that is shown whole objects. The caller must
// not change them.
func (m *Module) Declared() map[string][]string { return m.fields }

// projection returns the fields of an edge, ready to be used; nil for a module that is shown whole objects.
func (m *Module) projection(e Edge) *projection.Fields {
	if m.fields == nil {
		return nil
	}
	f, err := projection.Parse(m.Fields(e.From, e.To))
	if err != nil {
		panic("fields that were checked: " + err.Error())
	}
	return f
}

// view returns what the module sees of an object.
func (m *Module) view(e Edge, object []byte) []byte {
	f := m.projection(e)
	if f == nil {
		return object
	}
	view, _ := projection.View(nil, object, f.Read(nil, object))
	return view
}

// convertWhole converts one object as the gateway does, outside of all counting: the module sees the declared fields, and its answer is
// put into the object. An error says what is wrong with the answer, made to follow the words "the module's answer".
func (m *Module) convertWhole(ctx context.Context, e Edge, object []byte) (converted []byte, refused map[int]string, fault *FaultError, err error) {
	to := e.Group + "/" + e.To
	answers, refused, fault := m.once(ctx, to, [][]byte{m.view(e, object)})
	f := m.projection(e)
	if fault != nil || refused != nil || f == nil {
		if len(answers) > 0 {
			converted = answers[0]
		}
		return converted, refused, fault, nil
	}
	var s rawjson.Scanner
	s.Reset(answers[0], 0)
	answered, broken := f.Check(&s, nil, answers[0])
	if s.Err() != nil {
		return nil, nil, nil, fmt.Errorf("is wrong: it is not strictly valid JSON: %w", s.Err())
	}
	if broken == "" {
		apiVersion, _ := projection.Envelope(answers[0], answered)
		if want := rawjson.Quote(nil, to); apiVersion == nil || rawjson.Equal(apiVersion, want) {
			apiVersion = want // what the object becomes; another one is shown as it is
		}
		var spliced projection.Spliced
		spliced, broken = f.Splice(projection.Room{}, object, f.Read(nil, object), answers[0], answered, apiVersion)
		converted = spliced.Doc(nil, object)
	}
	if broken != "" {
		return nil, nil, nil, errors.New(strings.TrimSpace(broken))
	}
	return converted, nil, nil, nil
}
