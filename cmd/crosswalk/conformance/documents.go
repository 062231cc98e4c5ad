package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// The checks in this file test how a module reads and writes JSON.

func unicode(ctx context.Context, s *subject) error {
	const annotations = `{"example.com/a":"é \u00e9 \ud83d\ude00 😀 \u2028 \"\\\/ \b\f\n\r\t \u0000 <>& 漢字","example.com/b":""}`
	o, err := s.in("metadata", `{"name":"a","annotations":`+annotations+`}`)
	if err != nil {
		return err
	}
	got, _, err := s.one(ctx, o)
	if err != nil {
		return err
	}
	after, err := metadataOf(got, "annotations")
	if err != nil {
		return err
	}
	var before, now map[string]string
	if err := json.Unmarshal([]byte(annotations), &before); err != nil {
		return err
	}
	if err := json.Unmarshal(after, &now); err != nil {
		return err
	}
	for key, want := range before {
		if got, ok := now[key]; !ok || got != want {
			return fmt.Errorf("the annotation %s was %q and becomes %q", key, want, got)
		}
	}
	return nil
}

func numbers(ctx context.Context, s *subject) error {
	const list = `[9007199254740993,-9223372036854775808,9223372036854775807,1.50,1e2,-0,0.1,3.141592653589793,100000000000000000000,-18446744073709552000]`
	o, err := s.in("spec", `{"conformanceNumbers":`+list+`}`)
	if err != nil {
		return err
	}
	got, _, err := s.one(ctx, o)
	if err != nil {
		return err
	}
	var answer struct {
		Spec struct{ ConformanceNumbers json.RawMessage }
	}
	if err := json.Unmarshal(got, &answer); err != nil {
		return err
	}
	switch after := answer.Spec.ConformanceNumbers; {
	case after == nil:
		return notef("it drops unknown fields: objects with newer fields lose them")
	case !rawjson.Equal(after, []byte(list)):
		return fmt.Errorf("%s becomes %s", list, short(after))
	}
	return nil
}

func large(ctx context.Context, s *subject) error {
	o, err := s.in("spec", `{"conformancePadding":[`+strings.Repeat(`{"a":["\"}]",1.50,null]},`, 1<<20/25)+`{}]}`)
	if err != nil {
		return err
	}
	_, _, err = s.one(ctx, o)
	return err
}

func deep(ctx context.Context, s *subject) error {
	o, err := s.in("spec", `{"conformanceDepth":`+strings.Repeat(`[{"a":`, 249)+"1"+strings.Repeat("}]", 249)+"}")
	if err != nil {
		return err
	}
	_, _, err = s.one(ctx, o)
	return err
}

func whiteSpace(ctx context.Context, s *subject) error {
	var indented bytes.Buffer
	if err := json.Indent(&indented, s.base, " \t", "\r\n\t"); err != nil {
		return err
	}
	return s.alike(ctx, indented.Bytes(), "written with white space")
}

func memberOrder(ctx context.Context, s *subject) error {
	all, err := fields(s.base)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(all))
	slices.Reverse(names)
	return s.alike(ctx, written(names, all), "with its members in another order")
}

// alike checks that an object, a different spelling of the base object, has the same result.
func (s *subject) alike(ctx context.Context, object []byte, how string) error {
	want, outcome, wantErr := s.one(ctx, s.base)
	if wantErr != nil && outcome.Failure != host.FailureRefused {
		return wantErr
	}
	got, _, err := s.one(ctx, object)
	switch {
	case (err == nil) != (wantErr == nil):
		return fmt.Errorf("%s the object is answered with %v, and otherwise with %v", how, orAnswer(got, err), orAnswer(want, wantErr))
	case err != nil:
		return errRefused
	case !rawjson.Equal(compactAnnotations(want), compactAnnotations(got)):
		return fmt.Errorf("%s the object becomes %s, and otherwise %s", how, short(got), short(want))
	}
	return nil
}

// compactAnnotations removes white space from annotations that are JSON: a converter may keep
// values there as they are written in the object (docs/spec/stash.md).
func compactAnnotations(object []byte) []byte {
	all, err := fields(object)
	if err != nil {
		return object
	}
	metadata, err := fields(all["metadata"])
	if err != nil {
		return object
	}
	var annotations map[string]string
	if json.Unmarshal(metadata["annotations"], &annotations) != nil || len(annotations) == 0 {
		return object
	}
	for key, text := range annotations {
		var compact bytes.Buffer
		if json.Compact(&compact, []byte(text)) == nil {
			annotations[key] = compact.String()
		}
	}
	metadata["annotations"], err = json.Marshal(annotations)
	if err != nil {
		return object
	}
	all["metadata"] = compose(metadata)
	return compose(all)
}

func orAnswer(answer json.RawMessage, err error) string {
	if err != nil {
		return err.Error()
	}
	return short(answer)
}

// alone converts the base object by itself, after others and in a batch with others.
func alone(ctx context.Context, s *subject) error {
	first, refused, err := s.module.Convert(ctx, s.from, s.to, [][]byte{s.base})
	if err != nil {
		return err
	}
	if len(refused) > 0 {
		return errRefused
	}
	other, err := s.in("metadata", `{"name":"another","annotations":{"example.com/x":"`+strings.Repeat("x", 5000)+`"}}`)
	if err != nil {
		return err
	}
	again, _, err := s.module.Convert(ctx, s.from, s.to, [][]byte{other, s.object(`"spec":{}`), s.base, other, s.base})
	if err != nil {
		return err
	}
	if !bytes.Equal(again[2], first[0]) || !bytes.Equal(again[4], first[0]) {
		return fmt.Errorf("by itself the object becomes %s, and among others %s and %s", short(first[0]), short(again[2]), short(again[4]))
	}
	return nil
}
