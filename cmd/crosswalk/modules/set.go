package modules

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/review"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Set are the modules of one command line. The caller of OpenAll closes them.
type Set []*module.Module

// OpenAll opens modules. The error is a Finding if a gateway would not serve one; failed is its file.
func OpenAll(ctx context.Context, files []string, config runtime.OpenConfig) (all Set, failed string, err error) {
	for _, file := range files {
		m, err := Open(ctx, file, config)
		if err != nil {
			all.Close()
			return nil, file, err
		}
		all = append(all, m)
	}
	return all, "", nil
}

// Close closes all modules.
func (s Set) Close() {
	for _, m := range s {
		m.Close()
	}
}

// Routes returns the routes between the modules' versions, as the gateway computes them.
func (s Set) Routes() *host.Routes {
	var edges []host.Edge
	for _, m := range s {
		for _, e := range m.Edges() {
			edges = append(edges, host.Edge{Group: e.Group, Kind: e.Kind, From: e.From, To: e.To, Module: m})
		}
	}
	return host.NewRoutes(edges)
}

// Work returns the fuel that the modules have used so far.
func (s Set) Work() (fuel int64) {
	for _, m := range s {
		fuel += m.Work()
	}
	return fuel
}

// Review converts objects in one ConversionReview.
//
// The error has the message for the API server.
func Review(ctx context.Context, set Set, to string, objects []json.RawMessage) ([]json.RawMessage, error) {
	converter, err := host.NewConverter(host.ConverterConfig{Modules: host.Static(set.Routes())})
	if err != nil {
		return nil, err
	}
	answer, outcome, err := converter.Review(ctx, review.Request(to, objects...))
	if err != nil {
		return nil, err
	}
	if outcome.Failure != "" {
		return nil, fmt.Errorf("%s (%s)", outcome.Message, outcome.Failure)
	}
	return review.Objects(answer), nil
}
