package fuzz

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// roundTrips converts stored objects to another version and back, as a client causes it that reads
// an object in the other version and writes it unchanged. The API server prunes each answer, and
// sets defaults before it stores an object; see package apiserver.
func (f *fuzzer) roundTrips(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error) {
	return f.trips(ctx, from, to, objects, to.Validate)
}

// trips are round trips. validate decides about the answers on their way to the other version.
func (f *fuzzer) trips(ctx context.Context, from, to *version, objects []*subject, validate func(context.Context, map[string]any) field.ErrorList) ([][]symptom, error) {
	symptoms := make([][]symptom, len(objects))
	answers, err := f.convert.batch(ctx, to.APIVersion, objects)
	if err != nil {
		return nil, err
	}
	var back []trip
	for i, a := range answers {
		if a.failure != "" {
			symptoms[i] = append(symptoms[i], failed(a, ""))
			continue
		}
		if a.reverts {
			symptoms[i] = append(symptoms[i], symptom{key: "metadata", property: Violation, path: "metadata", was: absent{}, is: absent{},
				detail: "it changes metadata that no conversion may change; the gateway reverts the change"})
		}
		value := a.value()
		cut := to.Prune(value)
		symptoms[i] = append(symptoms[i], judged(to, cut, validate(ctx, value))...)
		if !from.back[to] {
			continue
		}
		back = append(back, trip{i, to.Name, encode(value), cut, ""})
		if !to.defaults {
			continue
		}
		before := membersOf(value)
		if to.Default(value); membersOf(value) != before {
			back = append(back, trip{i, to.Name, encode(value), cut, "after the API server sets the defaults of " + to.Name})
		}
	}
	return symptoms, f.comeBack(ctx, from, objects, back, symptoms)
}

// membersOf counts the members of all objects within a value, which defaults add to: also to an empty
// object, whose innermost values they do not make more.
func membersOf(value any) (n int) {
	switch v := value.(type) {
	case map[string]any:
		n = len(v)
		for _, child := range v {
			n += membersOf(child)
		}
	case []any:
		for _, child := range v {
			n += membersOf(child)
		}
	}
	return n
}

// trip is an object of the other version on its way back.
type trip struct {
	object int
	to     string // the other version
	text   []byte
	cut    []string // fields that the API server pruned
	detail string
}

// comeBack converts objects back and compares them with the first ones.
func (f *fuzzer) comeBack(ctx context.Context, from *version, objects []*subject, back []trip, symptoms [][]symptom) error {
	if len(back) == 0 {
		return nil
	}
	texts := make([][]byte, len(back))
	for i, t := range back {
		texts[i] = t.text
	}
	answers, err := f.convert.convert(ctx, from.APIVersion, texts)
	if err != nil {
		return err
	}
	reported := map[string]bool{} // by object, property and path: the way without defaults is the first
	for i, a := range answers {
		t := back[i]
		add := func(s symptom) {
			id := fmt.Sprint(t.object, s.property, s.key)
			if reported[id] {
				return
			}
			reported[id] = true
			symptoms[t.object] = append(slices.DeleteFunc(symptoms[t.object], func(other symptom) bool {
				return other.property == Cut && s.cut == other.path // it says no more than that the value is lost
			}), s)
		}
		if a.failure != "" {
			add(failed(a, "on the way back"))
			continue
		}
		value := a.value()
		if same(objects[t.object].value, value) {
			continue
		}
		from.Prune(value)
		from.Default(value)
		for _, d := range differences(from.Schema, f.def.Group, objects[t.object].value, value) {
			add(f.explained(d, t))
		}
	}
	return nil
}

// explained returns a difference as a symptom. If the other version's schema has no such field, the
// outermost field that it cuts stands for all within.
func (f *fuzzer) explained(d difference, t trip) symptom {
	s := d.symptom(d.general, t.detail)
	for _, cut := range t.cut {
		if d.property != Lost || !within(d.path, cut) {
			continue
		}
		s.path = general(cut)
		s.key, s.cut = "cut "+s.path, s.path
		if s.hollow {
			s.key = emptyKey(s.key)
		}
		s.detail = t.to + " has no " + s.path + ": the API server cuts it"
	}
	return s
}

// index is the index of an element in a path.
var index = regexp.MustCompile(`\[[0-9]+\]`)

// general returns a path of an API server's error as a report shows it, as far as the path says it.
func general(path string) string { return index.ReplaceAllString(path, "[]") }

// judged returns the parts of an answer that the API server cuts, and its reasons to reject it, as
// symptoms.
func judged(to *version, cut []string, errs field.ErrorList) (symptoms []symptom) {
	for _, path := range cut {
		symptoms = append(symptoms, symptom{key: general(path), property: Cut, path: general(path), at: path, was: absent{}, is: absent{},
			detail: "the schema of " + to.Name + " does not have it"})
	}
	for _, e := range errs {
		if len(errs) == 1 || strings.Trim(e.Field, "<nil>") != "" { // an error without a field repeats the others
			symptoms = append(symptoms, rejected(e))
		}
	}
	return symptoms
}

func rejected(e *field.Error) symptom {
	path := general(e.Field)
	if path == "" || path == "<nil>" {
		path = "."
	}
	return symptom{key: path + string(e.Type), property: Rejected, path: path, at: e.Field, was: absent{}, is: absent{}, detail: firstLine(e.ErrorBody())}
}

func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return foreign.Cut(text, maxShown)
}

// own is a module's own text in a refusal, which the gateway words.
var own = regexp.MustCompile(`^cannot convert .*? (?:of|from) .*?: (.*) \[refused by .*\]$`)

// broke is the part of the gateway's message about a module that failed.
var broke = regexp.MustCompile(`^cannot convert .*? (?:of|from) .*?: module .*? \(sha256:[0-9a-f]*\) (.*)$`)

// failed returns a failed conversion as a symptom.
func failed(a answer, when string) symptom {
	message, property := a.message, Violation
	if a.failure == host.FailureRefused {
		property = Refused
		if m := own.FindStringSubmatch(message); m != nil {
			message = m[1]
		}
	} else if m := broke.FindStringSubmatch(message); m != nil {
		message = "the module " + m[1]
	}
	detail := firstLine(message)
	if when != "" {
		detail = when + ": " + detail
	}
	return symptom{key: a.failure + " " + when + template(message), property: property, was: absent{}, is: absent{}, detail: detail}
}

func textsOf(objects []*subject) [][]byte {
	texts := make([][]byte, len(objects))
	for i, o := range objects {
		texts[i] = o.text
	}
	return texts
}
