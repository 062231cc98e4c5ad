// Package native is the conversion webhook that the Kubernetes documentation shows how to write: a
// Go program that decodes every object into maps, changes them and encodes them again. The tests
// hold the gateway against it, and benchmarks may.
package native

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	reviewv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	reviewv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Convert converts an object in place to apiVersion ("group/version"); the handler sets the
// apiVersion itself. It must be safe for concurrent use.
type Convert func(object *unstructured.Unstructured, apiVersion string) error

// Handler answers conversion reviews of both versions with convert. The first object that cannot be
// converted fails its review.
func Handler(convert Convert) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		review, err := answer(body, convert)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review) // the client has gone
	})
}

// answer returns a review with the response to the one in body.
func answer(body []byte, convert Convert) (any, error) {
	var kind metav1.TypeMeta
	if err := json.Unmarshal(body, &kind); err != nil {
		return nil, err
	}
	switch kind.APIVersion {
	case reviewv1.SchemeGroupVersion.String():
		var review reviewv1.ConversionReview
		if err := json.Unmarshal(body, &review); err != nil {
			return nil, err
		}
		if review.Request == nil {
			return nil, fmt.Errorf("the review has no request")
		}
		converted, result := convertAll(review.Request.Objects, review.Request.DesiredAPIVersion, convert)
		return &reviewv1.ConversionReview{TypeMeta: kind, Response: &reviewv1.ConversionResponse{
			UID: review.Request.UID, ConvertedObjects: converted, Result: result,
		}}, nil
	case reviewv1beta1.SchemeGroupVersion.String():
		var review reviewv1beta1.ConversionReview
		if err := json.Unmarshal(body, &review); err != nil {
			return nil, err
		}
		if review.Request == nil {
			return nil, fmt.Errorf("the review has no request")
		}
		converted, result := convertAll(review.Request.Objects, review.Request.DesiredAPIVersion, convert)
		return &reviewv1beta1.ConversionReview{TypeMeta: kind, Response: &reviewv1beta1.ConversionResponse{
			UID: review.Request.UID, ConvertedObjects: converted, Result: result,
		}}, nil
	default:
		return nil, fmt.Errorf("apiVersion %q is not a version of ConversionReview", kind.APIVersion)
	}
}

func convertAll(objects []runtime.RawExtension, apiVersion string, convert Convert) ([]runtime.RawExtension, metav1.Status) {
	converted := make([]runtime.RawExtension, 0, len(objects))
	for _, raw := range objects {
		object := &unstructured.Unstructured{}
		err := object.UnmarshalJSON(raw.Raw)
		if err == nil && object.GetAPIVersion() != apiVersion {
			err = convert(object, apiVersion)
		}
		if err != nil {
			return nil, metav1.Status{Status: metav1.StatusFailure, Message: err.Error()}
		}
		object.SetAPIVersion(apiVersion)
		converted = append(converted, runtime.RawExtension{Object: object})
	}
	return converted, metav1.Status{Status: metav1.StatusSuccess}
}
