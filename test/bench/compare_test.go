package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	reviewv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// agree fails unless every system gives the same answer to a body: the same JSON, including
// metadata and numbers. Only systems that do the same work can be compared.
func agree(tb testing.TB, all []system, body []byte, objects int) {
	tb.Helper()
	var want []any
	for i, s := range all {
		answer, err := s.review(body)
		if err != nil {
			tb.Fatalf("%s: %v", s.name, err)
		}
		got, err := converted(answer)
		switch {
		case err != nil:
			tb.Fatalf("%s: %v", s.name, err)
		case len(got) != objects:
			tb.Fatalf("%s answered %d objects to %d", s.name, len(got), objects)
		case i == 0:
			want = got
			continue
		}
		for n := range got {
			if !reflect.DeepEqual(got[n], want[n]) {
				tb.Fatalf("object %d: %s answered\n%s\nand %s\n%s", n, s.name, text(got[n]), all[0].name, text(want[n]))
			}
		}
	}
}

// converted returns the objects of a successful answer, with numbers as they are written.
func converted(answer []byte) ([]any, error) {
	var review reviewv1.ConversionReview
	if err := json.Unmarshal(answer, &review); err != nil {
		return nil, fmt.Errorf("the answer is no review: %w", err)
	}
	if review.Response == nil || review.Response.Result.Status != "Success" {
		return nil, fmt.Errorf("the answer is no success: %.300s", answer)
	}
	objects := make([]any, len(review.Response.ConvertedObjects))
	for i, raw := range review.Response.ConvertedObjects {
		decoder := json.NewDecoder(bytes.NewReader(raw.Raw))
		decoder.UseNumber()
		if err := decoder.Decode(&objects[i]); err != nil {
			return nil, fmt.Errorf("object %d: %w", i, err)
		}
	}
	return objects, nil
}

func text(v any) string {
	indented, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%.3000s", indented)
}
