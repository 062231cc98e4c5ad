package load

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// convertWhole converts one object as the gateway does, without metrics: the module sees the
// declared fields, and its answer is put into the object. An error describes the problem with the
// answer and continues the words "the module's answer".
func convertWhole(ctx context.Context, m *module.Module, e artifact.Edge, object []byte) (converted []byte, refused map[int]string, fault *module.FaultError, err error) {
	to := e.Group + "/" + e.To
	answers, refused, fault := m.Try(ctx, to, [][]byte{m.View(e, object)})
	if fault != nil || refused != nil || m.Declared() == nil {
		if len(answers) > 0 {
			converted = answers[0]
		}
		return converted, refused, fault, nil
	}
	f, err := projection.Parse(m.Fields(e.From, e.To))
	if err != nil {
		return nil, nil, nil, fmt.Errorf("cannot be put into the object: %w", err)
	}
	var s rawjson.Scanner
	s.Reset(answers[0], 0)
	answered, broken := f.Check(&s, nil, answers[0])
	if s.Err() != nil {
		return nil, nil, nil, fmt.Errorf("is wrong: it is not strictly valid JSON: %w", s.Err())
	}
	if broken == "" {
		apiVersion, _ := projection.Envelope(answers[0], answered)
		if apiVersion == nil { // else it is kept as it is, for the message about a wrong one
			apiVersion = rawjson.Quote(nil, to)
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
