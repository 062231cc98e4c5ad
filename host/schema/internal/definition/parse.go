package definition

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crosswalk-gateway/crosswalk/host/schema/internal/format"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// Parse reads a CustomResourceDefinition of apiextensions.k8s.io/v1, as YAML or as JSON: one
// document of at most 4 MiB.
//
// # Errors
//
// The message begins with the field:
// spec.versions[0].schema.openAPIV3Schema.properties[spec].minimum: must be a number, not a string.
// Parse fails for a keyword that every API server rejects and that has no meaning here. It ignores
// a keyword that it merely cannot check, with a warning if the author should know.
func Parse(file []byte) (*Definition, error) {
	doc, err := ToJSON(file)
	if err != nil {
		return nil, err
	}
	d := &Definition{}
	r := newReader(doc)
	e := envelope{reader: r, Definition: d, schemas: schemas{reader: r, into: d, formats: map[string]*format.Format{}}}
	if err := e.read(); err != nil {
		return nil, err
	}
	if r.decoder.More() {
		return nil, errors.New("the file has more than one JSON document; one CustomResourceDefinition belongs in a file")
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	return d, nil
}

// envelope reads everything of a definition but its schemas.
type envelope struct {
	*reader
	*Definition
	schemas          schemas
	apiVersion, kind string
	name, scope      string
	stored           []string
}

func (e *envelope) read() error {
	return e.object(func(key string) error {
		switch key {
		case "apiVersion":
			return e.text(&e.apiVersion)
		case "kind":
			return e.text(&e.kind)
		case "metadata":
			return e.one("name", &e.name)
		case "spec":
			if err := e.checkKind(); err != nil { // before the errors that another kind of object would give
				return err
			}
			return e.spec()
		case "status":
			return e.object(func(key string) error {
				if key == "storedVersions" {
					return e.texts(&e.stored)
				}
				return e.skip()
			})
		default:
			return e.skip()
		}
	})
}

// one reads one member of an object, a string.
func (e *envelope) one(name string, value *string) error {
	return e.object(func(key string) error {
		if key == name {
			return e.text(value)
		}
		return e.skip()
	})
}

func (e *envelope) spec() error {
	return e.object(func(key string) error {
		switch key {
		case "group":
			return e.text(&e.Group)
		case "scope":
			return e.text(&e.scope)
		case "preserveUnknownFields":
			return e.flag(&e.Unpruned)
		case "names":
			return e.object(func(key string) error {
				switch key {
				case "kind":
					return e.text(&e.Kind)
				case "plural":
					return e.text(&e.Plural)
				default:
					return e.skip()
				}
			})
		case "versions":
			return e.array(func(int) error { return e.version() })
		case "version", "validation":
			return e.fail("belongs to apiextensions.k8s.io/v1beta1; v1 has versions[].name and versions[].schema")
		default:
			return e.skip()
		}
	})
}

func (e *envelope) version() error {
	var v Version
	err := e.object(func(key string) error {
		switch key {
		case "name":
			return e.text(&v.Name)
		case "served":
			return e.flag(&v.Served)
		case "storage":
			return e.flag(&v.Storage)
		case "deprecated":
			return e.flag(&v.Deprecated)
		case "schema":
			return e.object(func(key string) error {
				if key != "openAPIV3Schema" {
					return e.skip()
				}
				var err error
				v.Schema, err = e.schemas.schema(0)
				return err
			})
		default:
			return e.skip()
		}
	})
	if err != nil {
		return err
	}
	if v.Schema == nil {
		return e.within(".schema.openAPIV3Schema", func() error { return e.fail("is required") })
	}
	e.Versions = append(e.Versions, v)
	return nil
}

// checkKind rejects objects of other kinds.
func (e *envelope) checkKind() error {
	switch {
	case e.kind != "" && e.kind != "CustomResourceDefinition":
		return fmt.Errorf("kind: must be CustomResourceDefinition, not %q", foreign.Shorten(e.kind, MaxName))
	case e.apiVersion == "apiextensions.k8s.io/v1beta1":
		return errors.New("apiVersion: apiextensions.k8s.io/v1beta1 is not read any more; write the definition in apiextensions.k8s.io/v1 (every API server since 1.16 gives it out so)")
	case e.apiVersion != "" && e.apiVersion != "apiextensions.k8s.io/v1":
		return fmt.Errorf("apiVersion: must be apiextensions.k8s.io/v1, not %q", foreign.Shorten(e.apiVersion, MaxName))
	}
	return nil
}

// check applies the rules that need the whole definition.
func (e *envelope) check() error {
	if err := e.checkKind(); err != nil {
		return err
	}
	c := e.Definition
	for _, field := range []struct {
		name, value string
		rules       func(string) []string
	}{
		{"apiVersion", e.apiVersion, nil},
		{"kind", e.kind, nil},
		{"spec.group", c.Group, validation.IsDNS1123Subdomain},
		{"spec.names.kind", c.Kind, func(kind string) []string { return validation.IsDNS1035Label(strings.ToLower(kind)) }},
		{"spec.names.plural", c.Plural, validation.IsDNS1035Label},
		{"spec.scope", e.scope, func(scope string) []string {
			if scope != "Namespaced" && scope != "Cluster" {
				return []string{"must be Namespaced or Cluster"}
			}
			return nil
		}},
	} {
		if field.value == "" {
			return fmt.Errorf("%s: is required", field.name)
		}
		if field.rules == nil {
			continue
		}
		if broken := field.rules(field.value); len(broken) > 0 {
			return fmt.Errorf("%s: %s", field.name, broken[0])
		}
	}
	if want := c.Plural + "." + c.Group; e.name != want {
		return fmt.Errorf("metadata.name: must be <spec.names.plural>.<spec.group>, which is %s", want)
	}
	return e.checkVersions()
}

func (e *envelope) checkVersions() error {
	storage := 0
	for i := range e.Versions {
		v := &e.Versions[i]
		field := fmt.Sprintf("spec.versions[%d].name", i)
		switch {
		case v.Name == "":
			return fmt.Errorf("%s: is required", field)
		case len(validation.IsDNS1035Label(v.Name)) > 0:
			return fmt.Errorf("%s: %s", field, validation.IsDNS1035Label(v.Name)[0])
		case slices.ContainsFunc(e.Versions[:i], func(other Version) bool { return other.Name == v.Name }):
			return fmt.Errorf("%s: %s is there twice", field, v.Name)
		}
		v.Stored = v.Storage || slices.Contains(e.stored, v.Name)
		if v.Storage {
			storage++
		}
	}
	if storage != 1 {
		return fmt.Errorf("spec.versions: exactly one must have storage: true, not %d", storage)
	}
	return nil
}
