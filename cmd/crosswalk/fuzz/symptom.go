package fuzz

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// symptom is a fault that one object shows.
type symptom struct {
	key      string // one finding for each
	property string
	path     string // general
	at       string
	was, is  any // absent{} where there is none
	detail   string
	class    string   // "" if no values are compared
	hollow   bool     // no value that is not empty is lost, changed or added
	cut      string   // the outermost field that the API server cuts, if that loses the value
	object   *subject // that shows it, if it is not the one that was tested
}

// judged returns the parts of an answer that the API server cuts, and its reasons to reject it, as
// symptoms.
func judged(to *version, cut []string, errs field.ErrorList) (symptoms []symptom) {
	for _, path := range cut {
		if slices.ContainsFunc(errs, func(e *field.Error) bool { return e.Field != "" && Within(path, e.Field) }) {
			continue // it is in a value that is rejected
		}
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

// own is a module's own text in a refusal, which the gateway words.
var own = regexp.MustCompile(`^cannot convert .*? (?:of|from) .*?: (.*) \[refused by .*\]$`)

// broke is the part of the gateway's message about a module that failed.
var broke = regexp.MustCompile(`^cannot convert .*? (?:of|from) .*?: module .*? \(sha256:[0-9a-f]*\) (.*)$`)

// variable are the parts of a message that differ from object to object.
var variable = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'|[0-9]+|\[[^\]]*\]`)

// template returns a message without the values of its object, so that one fault is one finding.
func template(message string) string {
	const most = 200
	text := variable.ReplaceAllString(message, "#")
	return text[:min(len(text), most)]
}

// symptom returns the difference as the symptom of a conversion.
func (d *difference) symptom(key, detail string) symptom {
	if d.hollow {
		key = emptyKey(key)
	}
	return symptom{key: key, property: d.property, path: d.general, at: d.path, was: d.was, is: d.is, detail: detail, class: d.class(), hollow: d.hollow}
}

// maxShown is the most bytes of a value, a message or an object in a line of a report.
const maxShown = 200

// shown returns a value for a finding; nil for an absent one.
func shown(v any) json.RawMessage {
	if _, gone := v.(absent); gone {
		return nil
	}
	return encode(v)
}

func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return foreign.Cut(text, maxShown)
}
