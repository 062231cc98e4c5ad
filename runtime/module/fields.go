package module

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// declare stores the fields in the module's own description. Its sidecar may then not have fields.
func (m *Module) declare(description []byte) error {
	f, err := artifact.DescribedFields(m.name, description)
	switch {
	case err != nil:
		return err
	case f != nil && m.sidecar.Fields != nil:
		return fmt.Errorf("the module declares its fields itself: leave fields out of %s", m.sidecar.File)
	case f != nil:
		m.declared = f
	}
	return nil
}

// Fields returns the paths of the fields that the module declares for a conversion between two
// versions, those of both. It returns nil for a module that sees whole objects.
func (m *Module) Fields(from, to string) []string {
	if m.declared == nil {
		return nil
	}
	return append(append(make([]string, 0, len(m.declared[from])+len(m.declared[to])), m.declared[from]...), m.declared[to]...)
}

// Declared returns the paths of the fields that the module declares, by version; nil for a module
// that sees whole objects. The caller must not change them.
func (m *Module) Declared() map[string][]string { return m.declared }

// projection returns the parsed fields of an edge; nil for a module that sees whole objects.
func (m *Module) projection(e artifact.Edge) *projection.Fields {
	if m.declared == nil {
		return nil
	}
	f, err := projection.Parse(m.Fields(e.From, e.To))
	if err != nil {
		panic("fields that were checked: " + err.Error())
	}
	return f
}

// view returns the part of an object that the module sees.
func (m *Module) view(e artifact.Edge, object []byte) []byte {
	f := m.projection(e)
	if f == nil {
		return object
	}
	view, _ := projection.View(nil, object, f.Read(nil, object))
	return view
}

// convertWhole converts one object as the gateway does, without metrics: the module sees the
// declared fields, and its answer is put into the object. An error describes the problem with the
// answer and continues the words "the module's answer".
func (m *Module) convertWhole(ctx context.Context, e artifact.Edge, object []byte) (converted []byte, refused map[int]string, fault *FaultError, err error) {
	to := e.Group + "/" + e.To
	answers, refused, fault := m.once(ctx, to, [][]byte{m.view(e, object)}, nil)
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
			apiVersion = want // the converted object's; a wrong one is kept for the message
		}
		var spliced projection.Spliced
		spliced, broken = f.Splice(projection.Room{}, object, f.Read(nil, object), answers[0], answered, apiVersion)
		converted = spliced.Doc(nil, object)
	}
	if broken != "" {
		return nil, nil, nil, errors.New(strings.TrimSpace(string(broken)))
	}
	return converted, nil, nil, nil
}
