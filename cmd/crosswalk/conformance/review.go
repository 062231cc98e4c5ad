package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
	"github.com/crosswalk-gateway/crosswalk/internal/review"
)

// object returns an object of the subject's version and kind with more members.
func (s *subject) object(members string) []byte {
	o := append(rawjson.Quote([]byte(`{"apiVersion":`), s.from), `,"kind":`...)
	o = rawjson.Quote(o, s.kind)
	if members != "" {
		o = append(append(o, ','), members...)
	}
	return append(o, '}')
}

// with returns the base object with the members of another document in place of its own of the same
// names.
func (s *subject) with(members string) ([]byte, error) {
	all, err := fields(s.base)
	if err != nil {
		return nil, err
	}
	more, err := fields([]byte(members))
	if err != nil {
		return nil, err
	}
	maps.Copy(all, more)
	return compose(all), nil
}

// in returns the base object with members added to one of its members, which it creates if absent.
func (s *subject) in(member, members string) ([]byte, error) {
	all, err := fields(s.base)
	if err != nil {
		return nil, err
	}
	inner := map[string]json.RawMessage{}
	if text, ok := all[member]; ok {
		if inner, err = fields(text); err != nil {
			return nil, fmt.Errorf("%s of the object: %w", member, err)
		}
	}
	more, err := fields([]byte(members))
	if err != nil {
		return nil, err
	}
	maps.Copy(inner, more)
	all[member] = compose(inner)
	return compose(all), nil
}

func fields(object []byte) (map[string]json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(object, &all); err != nil {
		return nil, err
	}
	return all, nil
}

// compose writes an object with apiVersion and kind first, as clients do, and the other members by
// name. Values keep their text.
func compose(members map[string]json.RawMessage) []byte {
	names := slices.Sorted(maps.Keys(members))
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	return written(names, members)
}

// written writes the members of an object in an order.
func written(names []string, members map[string]json.RawMessage) []byte {
	out := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(rawjson.Quote(out, name), ':'), members[name]...)
	}
	return append(out, '}')
}

func rank(name string) int {
	if i := slices.Index([]string{"apiVersion", "kind", "metadata"}, name); i >= 0 {
		return i
	}
	return 3
}

// convert converts objects with the gateway's own converter, in one review.
//
// The error has the message for the API server.
func (s *subject) convert(ctx context.Context, objects ...[]byte) ([]json.RawMessage, host.Outcome, error) {
	converter, err := host.NewConverter(host.ConverterConfig{Modules: host.Static(s.routes)})
	if err != nil {
		return nil, host.Outcome{}, err
	}
	answer, outcome, err := converter.Review(ctx, review.Request(s.to, objects...))
	if err != nil {
		return nil, outcome, err
	}
	if outcome.Failure != "" {
		return nil, outcome, fmt.Errorf("%s: %s", outcome.Failure, outcome.Message)
	}
	return review.Objects(answer), outcome, nil
}

// one converts one object.
func (s *subject) one(ctx context.Context, object []byte) (json.RawMessage, host.Outcome, error) {
	got, outcome, err := s.convert(ctx, object)
	if err != nil {
		return nil, outcome, err
	}
	return got[0], outcome, nil
}
