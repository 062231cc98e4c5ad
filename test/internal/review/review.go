// Package review writes ConversionReviews by hand and reads the answers as they are, for requests
// that no API server sends and answers that it would not show.
package review

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Request is the question of a review.
type Request struct {
	UID               string            `json:"uid"`
	DesiredAPIVersion string            `json:"desiredAPIVersion"`
	Objects           []json.RawMessage `json:"objects"`
}

// Review is a ConversionReview of either version.
type Review struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Request    *Request  `json:"request,omitempty"`
	Response   *Response `json:"response,omitempty"`
}

// Response is the answer of a review.
type Response struct {
	UID              string            `json:"uid"`
	ConvertedObjects []json.RawMessage `json:"convertedObjects"`
	Result           struct {
		Status  string `json:"status"`
		Message string `json:"message"`
	} `json:"result"`
}

// New returns a review of the version ("v1" or "v1beta1") that asks for the objects, which are
// JSON, in apiVersion.
func New(version, apiVersion string, objects ...string) *Review {
	r := &Review{APIVersion: "apiextensions.k8s.io/" + version, Kind: "ConversionReview", Request: &Request{
		UID: "6f3b2f6e-9a5b-4f0e-8d0a-3f1c2b7a9e10", DesiredAPIVersion: apiVersion,
	}, Response: &Response{}}
	for _, object := range objects {
		r.Request.Objects = append(r.Request.Objects, json.RawMessage(object))
	}
	return r
}

// Send posts the review and returns the answer's response. The error names an invalid part of the
// answer: a status other than 200, another version or uid.
func (r *Review) Send(client *http.Client, url string) (*Response, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	answer, err := client.Post(url+"?timeout=30s", "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, &StatusError{Code: answer.StatusCode, RetryAfter: answer.Header.Get("Retry-After"), Body: string(text)}
	}
	var got Review
	if err := json.Unmarshal(text, &got); err != nil {
		return nil, fmt.Errorf("the answer is not JSON: %w: %s", err, text)
	}
	if got.APIVersion != r.APIVersion || got.Kind != r.Kind || got.Response == nil || got.Response.UID != r.Request.UID {
		return nil, fmt.Errorf("the answer is not one to this review: %s", text)
	}
	return got.Response, nil
}

// StatusError is an answer with another HTTP status than 200.
type StatusError struct {
	Code             int
	RetryAfter, Body string
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("HTTP %d (Retry-After %q): %s", e.Code, e.RetryAfter, e.Body)
}
