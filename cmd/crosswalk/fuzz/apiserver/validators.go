package apiserver

import (
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
)

// maxValidators bounds the validators that are kept: a schema has some hundreds of fields, but
// indices and the keys of maps are parts of their paths, too.
const maxValidators = 20_000

// validators is the API server's validator of a schema. That one makes a validator for every value
// that it visits; validators keeps those of the paths that it has seen, which is a third less work.
// It is not safe for concurrent use.
type validators struct {
	root *validate.SchemaValidator
	made map[place]validate.ValueValidator
}

// place identifies the validator of a value: its path, and a part of its schema that no other
// schema shares, because a key of a map may look like a path.
type place struct {
	path   string
	schema *string
}

func newValidators(schema *spec.Schema) *validators {
	v := &validators{made: map[place]validate.ValueValidator{}}
	v.root = validate.NewSchemaValidator(schema, nil, "", strfmt.Default, v.keep)
	return v
}

// keep is the option by which a validator asks v for those of its members and elements.
func (v *validators) keep(o *validate.SchemaValidatorOptions) {
	o.NewValidatorForField = func(_ string, schema *spec.Schema, root any, path string, formats strfmt.Registry, _ ...validate.Option) validate.ValueValidator {
		return v.of(schema, root, path, formats)
	}
	o.NewValidatorForIndex = func(_ int, schema *spec.Schema, root any, path string, formats strfmt.Registry, _ ...validate.Option) validate.ValueValidator {
		return v.of(schema, root, path, formats)
	}
}

func (v *validators) of(schema *spec.Schema, root any, path string, formats strfmt.Registry) validate.ValueValidator {
	if len(schema.Type) == 0 {
		return validate.NewSchemaValidator(schema, root, path, formats, v.keep)
	}
	at := place{path, &schema.Type[0]}
	made, known := v.made[at]
	if !known {
		made = validate.NewSchemaValidator(schema, root, path, formats, v.keep)
		if len(v.made) < maxValidators {
			v.made[at] = made
		}
	}
	return made
}

// Validate makes v a validation.SchemaCreateValidator.
func (v *validators) Validate(value any, _ ...validation.ValidationOption) *validate.Result {
	return v.root.Validate(value)
}
