package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/projection"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// whole is a module that sees whole objects, regardless of its declaration.
type whole struct{ *module.Module }

func (whole) Fields(_, _ string) []string { return nil }

// declared converts objects twice: the module sees only its declared fields, and then whole
// objects. The declared fields of both results must be equal. Otherwise the module reads other
// fields, or treats an object as a fragment because it cannot see its uid.
func declared(ctx context.Context, s *subject) error {
	_, from, _ := strings.Cut(s.from, "/")
	group, to, _ := strings.Cut(s.to, "/")
	fields, err := projection.Parse(s.module.Fields(from, to))
	if err != nil {
		return err
	}
	all := *s
	all.routes = host.NewRoutes([]host.Edge{{Group: group, Kind: s.kind, From: from, To: to, Module: whole{s.module}}})
	objects, err := s.stored()
	if err != nil {
		return err
	}
	var elsewhere error
	for _, o := range objects {
		if annotations, err := metadataOf(o, "annotations"); err != nil || bytes.Contains(annotations, []byte(`"conversion.`+group+`/stash"`)) {
			continue // a stash from one view of the object is stale in the other
		}
		got, outcome, err := s.one(ctx, o)
		want, wantOutcome, wantErr := all.one(ctx, o)
		switch {
		case err != nil && wantErr != nil && outcome.Failure == wantOutcome.Failure && outcome.Failure != host.FailureRefused:
		case err != nil || wantErr != nil:
			if err == nil || wantErr == nil || err.Error() != wantErr.Error() {
				return fmt.Errorf("from its declared fields the object is answered with %v, and from the whole object with %v\n  the object: %s",
					orAnswer(got, err), orAnswer(want, wantErr), short(o))
			}
		default:
			got, want = levelled(got), levelled(want)
			if a, b := part(fields, got), part(fields, want); !rawjson.Equal(a, b) {
				return fmt.Errorf("it reads a field that it does not declare: from its declared fields the result is %s, and from the whole object %s\n  the object: %s",
					short(a), short(b), short(o))
			}
			if elsewhere == nil && !rawjson.Equal(got, want) {
				elsewhere = notef("from the whole object, it changes fields that it does not declare: %s, and otherwise %s", short(want), short(got))
			}
		}
	}
	return elsewhere
}

// stored returns the known objects unchanged and, as the API server stores them, with a uid.
func (s *subject) stored() (objects [][]byte, err error) {
	known := s.all
	if !s.given {
		known = [][]byte{s.base}
	}
	if s.refused != nil {
		known = append(known[:len(known):len(known)], s.refused)
	}
	for _, o := range known {
		base := *s
		base.base = o
		more, err := base.in("metadata", `{"uid":"6f1d","creationTimestamp":"2024-02-29T23:59:59Z"}`)
		if err != nil {
			return nil, err
		}
		objects = append(objects, o, more)
	}
	return objects, nil
}

// part returns the declared fields of an object.
func part(fields *projection.Fields, object []byte) []byte {
	view, _ := projection.View(nil, object, fields.Read(nil, object))
	return view
}

// levelled returns an object with all hashes in its stash removed, because they depend on the
// fields that the module saw.
func levelled(object json.RawMessage) json.RawMessage {
	return regexp.MustCompile(`\\"hash\\":\\"[0-9a-f]{16}\\"`).ReplaceAll(object, []byte(`\"hash\":\"\"`))
}
