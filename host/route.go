package host

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// route validates the request, decides how to treat each object, and finds the path of every
// version that objects come in. The outcome gets the kind and the desired version if a module names
// them.
func (v *conversion) route(routes *Routes) *failure {
	if fail := v.validateRequest(); fail != nil {
		return fail
	}
	r := &v.review
	v.objects = slices.Grow(v.objects[:0], len(r.objects))[:len(r.objects)]
	var kind *kindRoutes
	for i := range r.objects {
		o := &r.objects[i]
		if broken := v.reject(o, &r.objects[0]); broken != "" {
			return invalid("%s: %s", o.title(r.body, i), broken)
		}
		if i == 0 {
			if kind = routes.find(string(v.group), string(o.kind.value)); kind != nil {
				v.outcome.Group, v.outcome.Kind = kind.key.group, kind.key.kind
				v.outcome.To = kind.version(string(v.version))
			}
		}
		c := &v.objects[i]
		*c = converted{}
		switch {
		case bytes.Equal(o.apiVersion.value, r.desired.value):
			c.treatment = asIs
		case o.bare():
			c.treatment = renamed
		default:
			var fail *failure
			if c.source, fail = v.source(routes, kind, o); fail != nil {
				return fail
			}
		}
	}
	if len(v.sources) > 0 && v.converter.schemas != nil {
		return v.findDefinition(string(v.group), string(r.objects[0].kind.value))
	}
	return nil
}

// findDefinition finds the definition of a kind. If schemas are enforced, no object passes before it
// was read.
func (v *conversion) findDefinition(group, kind string) *failure {
	if v.definition = v.converter.schemas.Find(group, kind); v.definition != nil {
		return nil
	}
	file, since := v.converter.schemas.Unread(group, kind)
	if v.waitsFor = file; file == "" || !v.converter.enforce {
		return nil
	}
	v.outcome.Loading = Loading{File: file, Since: since}
	return &failure{reason: FailureSchema, message: fmt.Sprintf("cannot convert %s.%s: %s has been read since %s UTC, and no object passes unchecked (--schema-check=enforce)",
		shown(kind), shown(group), foreign.Clean(file, maxFault), since.UTC().Format(time.TimeOnly))}
}

// validateRequest checks the request except its objects and splits its desired version.
func (v *conversion) validateRequest() *failure {
	r := &v.review
	switch {
	case r.unread != "":
		return invalid("%s", r.unread)
	case len(r.desired.value) == 0:
		return invalid("%s", r.desired.describe("request.desiredAPIVersion"))
	case r.list == rawjson.Invalid:
		return invalid("request.objects is missing")
	case r.list != rawjson.Array:
		return invalid("request.objects is %v, not an array", r.list)
	case r.count > v.converter.limits.Objects:
		return invalid("the request has %d objects; the limit for one request is %d", r.count, v.converter.limits.Objects)
	}
	var ok bool
	if v.group, v.version, ok = splitAPIVersion(r.desired.value); !ok {
		return invalid("request.desiredAPIVersion %s is not <group>/<version>", quoted(r.desired.value))
	}
	return nil
}

// reject returns why an object of the request is invalid; "" if it is valid.
func (v *conversion) reject(o, first *object) string {
	if o.is != rawjson.Object {
		return fmt.Sprintf("it is %v, not an object", o.is)
	}
	if len(o.apiVersion.value) == 0 {
		return o.apiVersion.describe("apiVersion")
	}
	if len(o.kind.value) == 0 {
		return o.kind.describe("kind")
	}
	group, _, ok := splitAPIVersion(o.apiVersion.value)
	if !ok {
		return fmt.Sprintf("apiVersion %s is not <group>/<version>", quoted(o.apiVersion.value))
	}
	if !bytes.Equal(group, v.group) {
		return fmt.Sprintf("apiVersion %s is in another group than request.desiredAPIVersion %s", quoted(o.apiVersion.value), quoted(v.review.desired.value))
	}
	if !bytes.Equal(o.kind.value, first.kind.value) {
		return fmt.Sprintf("kind is %s, but object 0 has kind %s; all objects of a request must have the same kind", quoted(o.kind.value), quoted(first.kind.value))
	}
	if n := o.span.End - o.span.Start; n > v.converter.limits.ObjectBytes {
		return fmt.Sprintf("it has %d bytes; this gateway converts objects of up to %d (--max-object-bytes)", n, v.converter.limits.ObjectBytes)
	}
	if o.meta.is != rawjson.Object && o.meta.is != rawjson.Invalid {
		return fmt.Sprintf("metadata is %v, not an object", o.meta.is)
	}
	for _, p := range o.meta.parts[:o.meta.n] {
		name := [partKinds]string{"labels", "annotations"}[p.which]
		if name != "" && p.is != rawjson.Object && p.is != rawjson.Null {
			return fmt.Sprintf("metadata.%s is %v, not an object", name, p.is)
		}
	}
	return ""
}

// mixed is Outcome.From for objects of several versions.
const mixed = "mixed"

// source returns the index in sources of the version that the object is in. The first version
// without a path ends the review, so sources has at most as many entries as modules convert from
// versions.
func (v *conversion) source(routes *Routes, kind *kindRoutes, o *object) (int, *failure) {
	for i := range v.sources {
		if bytes.Equal(v.sources[i].apiVersion, o.apiVersion.value) {
			return i, nil
		}
	}
	_, version, _ := splitAPIVersion(o.apiVersion.value)
	from, to := string(version), string(v.version)
	knownFrom := kind.version(from)
	if len(v.sources) > 0 {
		knownFrom = mixed
	}
	v.outcome.From = knownFrom
	p := kind.chainBetween(from, to)
	if p == nil {
		group, kind := string(v.group), string(o.kind.value)
		v.outcome.Loading = v.converter.modules.Loading(group, kind)
		if v.outcome.Loading.File != "" || v.converter.schemas != nil && v.converter.schemas.Find(group, kind) != nil {
			v.outcome.Group, v.outcome.Kind = group, kind // a file names them, so that no client invented them
		}
		return 0, &failure{reason: FailureNoRoute, message: routes.Missing(group, kind, from, to, v.outcome.Loading)}
	}
	v.sources = append(v.sources, source{apiVersion: o.apiVersion.value, path: p})
	return len(v.sources) - 1, nil
}
