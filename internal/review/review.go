// Package review writes requests for conversions and reads answers, and changes the text of no object.
package review

import (
	"encoding/json"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// Request returns a ConversionReview that asks for objects in an apiVersion.
func Request[T ~[]byte](to string, objects ...T) []byte {
	body := []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"crosswalk","desiredAPIVersion":`)
	body = append(rawjson.Quote(body, to), `,"objects":[`...)
	for i, o := range objects {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, o...)
	}
	return append(body, "]}}"...)
}

// Objects returns the converted objects of an answer that a gateway wrote; nil if it has none.
func Objects(answer []byte) []json.RawMessage {
	var got struct {
		Response struct{ ConvertedObjects []json.RawMessage }
	}
	_ = json.Unmarshal(answer, &got) // the gateway wrote it
	return got.Response.ConvertedObjects
}
