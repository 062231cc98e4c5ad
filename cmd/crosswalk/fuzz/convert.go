package fuzz

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// converter converts objects as a gateway with the modules does: with its routes, its contract and
// its limits.
type converter struct {
	routes *host.Routes
	review *host.Converter
}

func newConverter(modules []*module.Module, wrap func(*module.Module) host.Module) *converter {
	var edges []host.Edge
	for _, m := range modules {
		for _, e := range m.Edges() {
			edges = append(edges, host.Edge{Group: e.Group, Kind: e.Kind, From: e.From, To: e.To, Module: wrap(m)})
		}
	}
	c := &converter{routes: host.NewRoutes(edges)}
	c.review = host.NewConverter(host.ConverterConfig{Modules: c})
	return c
}

// Pin makes a converter a host.Modules.
func (c *converter) Pin() (*host.Routes, func()) { return c.routes, func() {} }

// Missed does nothing: no module is waiting to be loaded.
func (*converter) Missed(_, _ string) {}

// Loading returns nothing: all modules are loaded.
func (*converter) Loading(_, _ string) host.Loading { return host.Loading{} }

// whole is a module that sees whole objects, regardless of its declaration.
type whole struct{ *module.Module }

func (whole) Fields(_, _ string) []string { return nil }

// answer is the result of converting one object.
type answer struct {
	text    json.RawMessage // nil if the conversion failed
	value   map[string]any  // text as an API server decodes it
	failure string          // one of host.Failures; "" for success
	message string
	reverts bool // the gateway reverted a change of metadata
}

// convert converts objects to a version ("group/version"), in one review if that succeeds.
//
// The error is one of the tool, not of the module: ctx ended, or the answer cannot be read.
func (c *converter) convert(ctx context.Context, to string, objects [][]byte) ([]answer, error) {
	body := []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"fuzz","desiredAPIVersion":`)
	body = append(rawjson.Quote(body, to), `,"objects":[`...)
	for i, o := range objects {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, o...)
	}
	text, outcome, refused := c.review.Review(ctx, append(body, "]}}"...))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if refused != nil {
		return nil, errors.New(refused.Message)
	}
	if len(objects) > 1 && (outcome.Failure != "" || outcome.Restored > 0) { // which object was it?
		first, err := c.convert(ctx, to, objects[:len(objects)/2])
		if err != nil {
			return nil, err
		}
		rest, err := c.convert(ctx, to, objects[len(objects)/2:])
		return append(first, rest...), err
	}
	if outcome.Failure != "" {
		return []answer{{failure: outcome.Failure, message: outcome.Message}}, nil
	}
	var got struct {
		Response struct{ ConvertedObjects []json.RawMessage }
	}
	if err := json.Unmarshal(text, &got); err != nil {
		return nil, fmt.Errorf("the gateway's answer cannot be read: %w", err)
	}
	answers := make([]answer, len(objects))
	for i, o := range got.Response.ConvertedObjects {
		value, err := decode(o)
		if err != nil {
			return nil, fmt.Errorf("the gateway's answer cannot be read: %w", err)
		}
		answers[i] = answer{text: o, value: value, reverts: outcome.Restored > 0}
	}
	return answers, nil
}

// decode decodes an object as an API server does: integers as int64, other numbers as float64.
func decode(text []byte) (map[string]any, error) {
	var value map[string]any
	err := utiljson.Unmarshal(text, &value)
	return value, err
}

// encode encodes an object of decoded JSON.
func encode(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic("fuzz: " + err.Error()) // decoded JSON has nothing that does not encode
	}
	return text
}

// variable are the parts of a message that differ from object to object.
var variable = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'|[0-9]+|\[[^\]]*\]`)

// template returns a message without the values of its object, so that one fault is one finding.
func template(message string) string {
	const most = 200
	text := variable.ReplaceAllString(message, "#")
	return text[:min(len(text), most)]
}
