// Package schema keeps the verdicts that the gateway's schema check is held to, and makes sure that
// they are the API server's own.
package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// judge does the API server's work on a converted object of one schema, and then on the same object
// when a client writes it: drop unknown fields and nulls, and validate. It sets no defaults.
type judge struct {
	structural *structural.Structural
	validator  validation.SchemaValidator
}

// newJudge returns an error if no API server would take the schema.
func newJudge(schema []byte) (*judge, error) {
	var v1 apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(schema, &v1); err != nil {
		return nil, err
	}
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &props, nil); err != nil {
		return nil, err
	}
	s, err := structural.NewStructural(&props)
	if err != nil {
		return nil, err
	}
	if errs := structural.ValidateStructural(nil, s); len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	validator, _, err := validation.NewSchemaValidator(&props)
	return &judge{s, validator}, err
}

// verdict lists the violations of an object.
type verdict struct {
	Unknown []string `json:"unknown,omitempty"` // the paths of the fields that are dropped
	Invalid []string `json:"invalid,omitempty"` // the paths of the values that break rules, each with the sort of the error
}

func (j *judge) judge(t testing.TB, object []byte) verdict {
	t.Helper()
	var tree map[string]any
	if err := utiljson.Unmarshal(object, &tree); err != nil {
		t.Fatalf("%v: %s", err, object)
	}
	var v verdict
	for _, path := range pruning.PruneWithOptions(tree, j.structural, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}) {
		v.Unknown = append(v.Unknown, normal(path))
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(tree, j.structural)
	errs := validation.ValidateCustomResource(nil, tree, j.validator)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, j.structural, tree)...)
	errs = append(errs, objectmeta.Validate(context.Background(), nil, tree, j.structural, true)...)
	for _, err := range errs {
		if strings.Contains(err.Error(), "must validate all the schemas (allOf)") {
			continue // beside the errors of those schemas
		}
		v.Invalid = append(v.Invalid, normal(where(err))+" "+strings.TrimPrefix(string(err.Type), "FieldValue"))
	}
	slices.Sort(v.Unknown)
	slices.Sort(v.Invalid)
	v.Invalid = slices.Compact(v.Invalid)
	return v
}

var (
	quotedPath = regexp.MustCompile(`^<nil>: Invalid value: "": "([^"]*)" must `)
	pathAtEnd  = regexp.MustCompile(`^<nil>: Invalid value: "": .* in ([^ ]*)$`)
	mapKey     = regexp.MustCompile(`\[([^\]0-9][^\]]*)\]`)
)

// where returns the path of an error. Some have it only in their text.
func where(err *field.Error) string {
	for _, pattern := range []*regexp.Regexp{quotedPath, pathAtEnd} {
		if match := pattern.FindStringSubmatch(err.Error()); match != nil {
			return match[1]
		}
	}
	return err.Field
}

// normal makes one spelling of the two that there are for the keys of maps: a.b and a[b].
func normal(path string) string {
	if path == "<nil>" {
		return ""
	}
	return strings.TrimPrefix(mapKey.ReplaceAllString(path, ".$1"), ".")
}

// compact returns the JSON of a value. Numbers written as json.RawMessage stay as they are.
func compact(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("%v: %v", err, value))
	}
	return bytes.TrimSpace(out.Bytes())
}
