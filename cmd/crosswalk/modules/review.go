package modules

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// ReviewOf returns a ConversionReview. It does not encode the objects, because an encoder would
// change their text.
func ReviewOf(to string, objects []json.RawMessage) []byte {
	body := []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"crosswalk","desiredAPIVersion":`)
	body = append(rawjson.Quote(body, to), `,"objects":[`...)
	for i, object := range objects {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, object...)
	}
	return append(body, "]}}"...)
}

// Review converts objects in one ConversionReview.
//
// The error has the message for the API server.
func Review(ctx context.Context, set Set, to string, objects []json.RawMessage) ([]json.RawMessage, error) {
	converter, err := host.NewConverter(host.ConverterConfig{Modules: host.Static(set.Routes())})
	if err != nil {
		return nil, err
	}
	answer, outcome, err := converter.Review(ctx, ReviewOf(to, objects))
	if err != nil {
		return nil, err
	}
	if outcome.Failure != "" {
		return nil, fmt.Errorf("%s (%s)", outcome.Message, outcome.Failure)
	}
	var got struct {
		Response struct{ ConvertedObjects []json.RawMessage }
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		return nil, err
	}
	return got.Response.ConvertedObjects, nil
}
