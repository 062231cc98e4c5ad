package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// manyObjects is the maximum number of objects that a gateway accepts in one review by default.
const manyObjects = 10_000

func checks() []check {
	return []check{
		{"known objects are converted", knownObjects},
		{"metadata stays unchanged", metadata},
		{"ten thousand objects in one call, each answered in its place", many},
		{"fragments are converted without added fields", fragments},
		{"wrong types are refused without a crash", wrongTypes},
		{"a refusal leaves the other objects alone", refusal},
		{"text comes through: escapes, emoji, NUL, line separators", unicode},
		{"numbers come through as they are written", numbers},
		{"an object of a megabyte", large},
		{"an object nested 500 deep", deep},
		{"white space makes no difference", whiteSpace},
		{"an answer depends on its object alone", alone},
		{"the order of members makes no difference", memberOrder},
	}
}

func knownObjects(ctx context.Context, s *subject) error {
	if !s.given {
		if _, _, err := s.one(ctx, s.base); err != nil {
			return notef("no object of %s is known (add golden cases to the sidecar, or use -f), and one with an empty spec is not converted: %w", s.from, err)
		}
		return notef("no object of %s is known, so the checks use one with an empty spec: add golden cases to the sidecar, or use -f", s.from)
	}
	for _, o := range s.all {
		if _, _, err := s.one(ctx, o); err != nil {
			return fmt.Errorf("%w\n  the object: %s", err, short(o))
		}
	}
	return nil
}

func metadata(ctx context.Context, s *subject) error {
	o, err := s.with(`{"metadata":{"name":"conformance","namespace":"default","uid":"6f1d","generation":3,"creationTimestamp":"2024-02-29T23:59:59Z","finalizers":["example.com/f"],"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"a","uid":"1"}],"labels":{"a":"b"},"annotations":{"example.com/a":"b"}}}`)
	if err != nil {
		return err
	}
	got, outcome, err := s.one(ctx, o)
	if err != nil {
		return err
	}
	if outcome.Restored > 0 {
		return notef("it changes metadata that no conversion may change; the gateway reverts the change")
	}
	labels, err := metadataOf(got, "labels")
	if err != nil {
		return err
	}
	if !rawjson.Equal(labels, []byte(`{"a":"b"}`)) {
		return notef("the label a: b became %s", short(labels))
	}
	return nil
}

// metadataOf returns a member of an object's metadata, or null if it is absent.
func metadataOf(object []byte, member string) ([]byte, error) {
	var o struct{ Metadata map[string]json.RawMessage }
	if err := json.Unmarshal(object, &o); err != nil {
		return nil, err
	}
	if v, ok := o.Metadata[member]; ok {
		return v, nil
	}
	return []byte("null"), nil
}

const indexAnnotation = "conformance.crosswalk.example/index"

func many(ctx context.Context, s *subject) error {
	objects := make([][]byte, manyObjects)
	for i := range objects {
		o, err := s.with(fmt.Sprintf(`{"metadata":{"name":"o%d","annotations":{%q:"%d"}}}`, i, indexAnnotation, i))
		if err != nil {
			return err
		}
		objects[i] = o
	}
	got, _, err := s.convert(ctx, objects...)
	if err != nil {
		return err
	}
	for i, o := range got {
		annotations, err := metadataOf(o, "annotations")
		if err != nil {
			return err
		}
		if !bytes.Contains(annotations, fmt.Appendf(nil, `"%d"`, i)) {
			return fmt.Errorf("answer %d lacks the annotation of its object; it has %s", i, short(annotations))
		}
	}
	return nil
}

// fragments tests objects as server-side apply sends them, with only the fields that one manager
// owns.
func fragments(ctx context.Context, s *subject) error {
	var made []string
	for _, members := range []string{
		`"spec":{}`,
		`"metadata":{"name":"a"}`,
		`"metadata":{"labels":{"a":"b"}}`,
		`"metadata":{"annotations":{"example.com/a":"b"}}`,
		`"metadata":{"name":"a"},"spec":{}`,
		`"metadata":{"name":"a"},"status":{}`,
		`"metadata":{"name":"a"},"spec":null`,
	} {
		o := s.object(members)
		got, _, err := s.one(ctx, o)
		if err != nil {
			return fmt.Errorf("%w\n  the fragment: %s", err, o)
		}
		before, err := fields(o)
		if err != nil {
			return err
		}
		after, err := fields(got)
		if err != nil {
			return err
		}
		for name, value := range after {
			was, there := before[name]
			if rank(name) == 3 && (!there || string(was) == "{}" && !rawjson.Equal(value, []byte("{}"))) {
				made = append(made, fmt.Sprintf("%s becomes %s", o, short(got)))
				break
			}
		}
	}
	if len(made) > 0 {
		return notef("absent fields should stay absent, because server-side apply treats added fields as the applier's intent: %s", strings.Join(made, "; "))
	}
	return nil
}

func wrongTypes(ctx context.Context, s *subject) error {
	for _, members := range []string{
		`"spec":"text"`, `"spec":5`, `"spec":[]`, `"spec":[{}]`, `"spec":true`, `"status":"x"`, `"status":[1]`,
	} {
		o, err := s.with("{" + members + "}")
		if err != nil {
			return err
		}
		_, outcome, err := s.one(ctx, o)
		if err != nil && outcome.Failure != host.FailureRefused {
			return fmt.Errorf("%w\n  with %s", err, members)
		}
	}
	return nil
}

func refusal(ctx context.Context, s *subject) error {
	refused := s.refused
	if refused == nil {
		for _, members := range []string{`{"spec":"text"}`, `{"spec":[1]}`} {
			o, err := s.with(members)
			if err != nil {
				return err
			}
			if _, outcome, _ := s.one(ctx, o); outcome.Failure == host.FailureRefused {
				refused = o
				break
			}
		}
	}
	if refused == nil {
		return errNothing
	}
	alone, words, err := s.module.Convert(ctx, s.from, s.to, [][]byte{s.base})
	if err != nil {
		return err
	}
	if len(words) > 0 {
		return errRefused
	}
	got, words, err := s.module.Convert(ctx, s.from, s.to, [][]byte{s.base, refused, s.base})
	switch {
	case err != nil:
		return err
	case words[1] == "" || len(words) != 1:
		return fmt.Errorf("of three objects, the second of which it refuses, it refused %v", words)
	case !bytes.Equal(got[0], alone[0]) || !bytes.Equal(got[2], alone[0]):
		return fmt.Errorf("beside an object that it refuses, it converts others differently")
	}
	return nil
}

// maxShown is the maximum number of bytes of an object in a finding.
const maxShown = 300

func short(b []byte) string { return foreign.Shorten(b, maxShown) }
