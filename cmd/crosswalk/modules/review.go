package modules

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/review"
)

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
