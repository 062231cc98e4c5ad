package host

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	kjson "sigs.k8s.io/json"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/crontabs"
)

// reviewTree is a ConversionReview as the API machinery decodes it.
type reviewTree struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Request    *struct {
		UID               string `json:"uid"`
		DesiredAPIVersion string `json:"desiredAPIVersion"`
		Objects           []any  `json:"objects"`
	} `json:"request"`
	Response *struct {
		UID              string `json:"uid"`
		ConvertedObjects []any  `json:"convertedObjects"`
		Result           struct {
			Status  string `json:"status"`
			Message string `json:"message"`
			Reason  string `json:"reason"`
		} `json:"result"`
	} `json:"response"`
}

// FuzzReview sends any request, and any answers of a guest. The result is a rejected request, or a
// complete review that keeps every promise of docs/spec/contract.md.
func FuzzReview(f *testing.F) {
	guests := []string{
		``, `{}`, `{"spec":{"x":9007199254740993}}`, `{"metadata":{}}`, `{"metadata":{"labels":{"app":"cron"},"annotations":null}}`,
		`{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"my-cron","namespace":"default"},"spec":{}}`,
		`{"metadata":{"name":"other"}}`, `{"Metadata":{}}`, `{"m\u0065tadata":{"labels":{"a b":"c"}}}`, `{"a":1e400}`, `[1]`, `{"metadata":{"finalizers":["x"],"generation":0}}`,
	}
	reviews, err := filepath.Glob("testdata/reviews/*.json")
	if err != nil || len(reviews) == 0 {
		f.Fatalf("no reviews: %v", err)
	}
	for i, file := range reviews {
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for j, guest := range guests {
			f.Add(body, []byte(guest), byte(i+j))
			f.Add(body, []byte(guest), byte(32+i+j))
		}
	}
	f.Add([]byte(reviewOf("v1", "stable.example.com/v3", cron, `{"spec":90071992e4740993}`)), []byte(`{}`), byte(0))
	for i, guest := range guests {
		f.Add([]byte(reviewOf("v1", "stable.example.com/v3", cron, cron)), []byte(guest), byte(32+i))
		f.Add([]byte(reviewOf("v1", "stable.example.com/v3", cron, `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":1}`)), []byte(guest), byte(i))
	}
	f.Fuzz(func(t *testing.T, body, guest []byte, mode byte) {
		c := converter(edges(hostile(t, guest, mode), "v1→v2", "v2→v3", "v1beta1→v1", "v2→v1")...)
		answer, outcome, rerr := c.Review(context.Background(), bytes.Clone(body))
		if rerr != nil {
			if rerr.Error() == "" || answer != nil || outcome.Failure != FailureInvalid {
				t.Fatalf("error %+v, answer %s, outcome %+v", rerr, answer, outcome)
			}
			return
		}
		checkAnswer(t, body, answer, outcome)
	})
}

// hostile returns a module that answers with the given bytes, in a way that the mode decides, and
// that checks its input.
func hostile(t *testing.T, guest []byte, mode byte) *funcModule {
	m := &funcModule{File: "hostile.wasm"}
	if mode&32 != 0 {
		m.Paths = []string{"spec.x", "spec.cronSpec", "spec.list[].a", "metadata.labels", "metadata.annotations.note", "metadata.name", "status"}
	}
	m.All = func(_ context.Context, from, _ string, objects [][]byte) ([][]byte, map[int]string, error) {
		out := make([][]byte, len(objects))
		for i, o := range objects {
			var seen struct {
				APIVersion string                     `json:"apiVersion"`
				Metadata   map[string]json.RawMessage `json:"metadata"`
			}
			if err := kjson.UnmarshalCaseSensitivePreserveInts(o, &seen); err != nil || seen.APIVersion != from {
				t.Fatalf("from %s the module was given %s: %v", from, o, err)
			}
			for _, key := range []string{"managedFields", "resourceVersion"} {
				if _, ok := seen.Metadata[key]; ok {
					t.Fatalf("the module was shown %s in %s", key, o)
				}
			}
			switch mode % 4 {
			case 0:
				out[i] = guest
			case 1: // its input without the apiVersion
				out[i] = bytes.Replace(o, []byte(`"apiVersion":"`+from+`"`), []byte(`"x":1`), 1)
			case 2: // its own members, and then those of its input
				if inner := bytes.TrimSpace(guest); len(inner) > 2 {
					out[i] = bytes.Replace(bytes.Replace(o, []byte(`"apiVersion":`), []byte(`"was":`), 1), []byte("{"), append(inner[:len(inner)-1:len(inner)-1], ','), 1)
				}
			case 3: // nothing for every other object
				if i%2 == 0 {
					out[i] = guest
				}
			}
		}
		switch mode >> 2 % 8 {
		case 1:
			return out[1:], nil, nil
		case 2:
			return append(out, guest), nil, nil
		case 3:
			return out, map[int]string{len(objects) / 2: string(guest)}, nil
		case 4:
			return nil, nil, crontabs.Fault(string(guest), string(guest))
		case 5:
			return out, map[int]string{-1: "x", len(objects): "y"}, nil
		}
		return out, nil, nil
	}
	return m
}

// checkAnswer checks an answer against the request.
func checkAnswer(t *testing.T, body, answer []byte, outcome Outcome) {
	t.Helper()
	if !json.Valid(answer) {
		t.Fatalf("the answer is no JSON: %s", answer)
	}
	var in, out reviewTree
	if err := kjson.UnmarshalCaseSensitivePreserveInts(body, &in); err != nil || in.Request == nil {
		if outcome.Failure != FailureInvalid || !bytes.Contains(answer, []byte(`"status":"Failed","message":"the request cannot be read: `)) {
			t.Fatalf("answered a request that is none (%v): %s", err, answer)
		}
		return // it is told so by its uid, which comes before what cannot be read
	}
	if strict, err := kjson.UnmarshalStrict(answer, &out); err != nil || len(strict) > 0 {
		t.Fatalf("the answer cannot be read: %v %v", err, strict)
	}
	if out.Kind != "ConversionReview" || out.APIVersion != in.APIVersion || out.Request != nil || out.Response == nil || out.Response.ConvertedObjects == nil {
		t.Fatalf("not an answer: %s", answer)
	}
	if out.Response.UID != in.Request.UID || outcome.UID != in.Request.UID || in.Request.UID == "" {
		t.Fatalf("uid %q, outcome %q, want %q", out.Response.UID, outcome.UID, in.Request.UID)
	}
	objects := out.Response.ConvertedObjects
	switch result := out.Response.Result; result.Status {
	case "Failed":
		if len(objects) != 0 || result.Message == "" || outcome.Failure == "" || result.Reason != outcome.Failure || len(result.Message) > 16<<10 {
			t.Fatalf("failed with %d objects and message %q, outcome %+v", len(objects), result.Message, outcome)
		}
		return
	case "Success":
		if result.Message != "" || result.Reason != "" || outcome.Failure != "" || outcome.Objects != len(objects) {
			t.Fatalf("success with message %q, outcome %+v", result.Message, outcome)
		}
	default:
		t.Fatalf("status %q", result.Status)
	}
	if len(objects) != len(in.Request.Objects) {
		t.Fatalf("%d objects for %d", len(objects), len(in.Request.Objects))
	}
	for i := range objects {
		checkObject(t, in.Request.Objects[i].(map[string]any), objects[i].(map[string]any), in.Request.DesiredAPIVersion)
	}
}

// checkObject checks a converted object against the one of the request.
func checkObject(t *testing.T, in, out map[string]any, desired string) {
	t.Helper()
	if in["apiVersion"] == desired {
		if !reflect.DeepEqual(in, out) {
			t.Fatalf("changed %v to %v", in, out)
		}
		return
	}
	if out["apiVersion"] != desired || out["kind"] != in["kind"] {
		t.Fatalf("apiVersion %v, kind %v, want %v and %v", out["apiVersion"], out["kind"], desired, in["kind"])
	}
	for key := range out {
		for _, name := range []string{"apiVersion", "kind", "metadata"} {
			if strings.EqualFold(key, name) && key != name {
				t.Fatalf("there is a %s", key)
			}
		}
	}
	before, _ := in["metadata"].(map[string]any)
	after, ok := out["metadata"].(map[string]any)
	if !ok {
		t.Fatalf("metadata is %v", out["metadata"])
	}
	for key, value := range before {
		if key != "labels" && key != "annotations" && !reflect.DeepEqual(value, after[key]) {
			t.Fatalf("metadata.%s is %v, want %v", key, after[key], value)
		}
	}
	for key, value := range after {
		if key != "labels" && key != "annotations" {
			if _, ok := before[key]; !ok {
				t.Fatalf("metadata.%s was invented", key)
			}
			continue
		}
		if reflect.DeepEqual(value, before[key]) {
			continue // the request's own
		}
		values, ok := value.(map[string]any)
		if !ok {
			t.Fatalf("metadata.%s is %v", key, value)
		}
		for k, v := range values {
			if _, ok := v.(string); !ok {
				t.Fatalf("metadata.%s[%q] is %v", key, k, v)
			}
		}
	}
}
