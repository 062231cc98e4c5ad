package crosswalk

import "strconv"

// Converter converts one object in place. An error refuses the object; its text is shown to the
// kubectl user. A panic is a fault of the module, not a refusal: it fails the batch, and the
// gateway counts it against the module. The SDK sets the object's apiVersion afterwards.
type Converter func(o *Object) error

// TextConverter converts one object from its text: it appends the object in the other version, with
// its apiVersion, to dst. It returns done false, and anything in dst, to leave the object to the
// [Converter] that is registered with it. An error refuses the object.
type TextConverter func(dst, object []byte) (out []byte, done bool, err error)

// conversion is one direction between two versions.
type conversion struct {
	from, to string
	convert  Converter
	text     TextConverter // nil if there is only convert
	begins   string        // the text of most objects begins so
}

// registry holds the module's converters and declarations. It is filled while the module
// initializes and does not change later.
type registry struct {
	conversions []conversion
	declared    []declaration // of fields
	object      Object        // reused for one object after the other
	stash       stash         // likewise
}

// module is the registry of this program: a WebAssembly module, or the test of one.
var module registry

// Register registers convert for conversions of objects from one apiVersion ("group/version") to
// another. Call it in init. Registering a pair twice is a mistake in the module: Register panics,
// and the module does not load.
func Register(from, to string, convert Converter) {
	module.register(from, to, convert)
}

// RegisterText is [Register] for conversions that write whole objects anew, which is faster than
// editing one. The package kubebuilder uses it.
func RegisterText(from, to string, text TextConverter, convert Converter) {
	module.register(from, to, convert)
	c := &module.conversions[len(module.conversions)-1]
	c.text, c.begins = text, string(Quote([]byte(`{"apiVersion":`), from))
}

// Convert converts one object, a JSON text, to the apiVersion desired, with the registered
// converters and as the gateway does: if [Fields] are declared, the converter sees only these, and
// Convert merges the result into the object. It is for tests; see also the package crosswalktest.
// Do not call it from a converter.
//
// # Errors
//
// Convert returns a refusal with the text that the gateway would show. With declared fields, it
// also returns the errors for which the gateway would refuse to load the module or fail the review.
// Convert panics if the converter panics.
func Convert(object []byte, desired string) ([]byte, error) {
	o := Parse(object)
	from := o.APIVersion()
	if from == desired {
		return module.convert(nil, object, desired)
	}
	if _, err := module.find([]byte(from), desired); err != nil {
		return nil, err
	}
	fields, err := module.projection(from, desired)
	if err != nil {
		return nil, err
	}
	if fields == nil {
		return module.convert(nil, object, desired)
	}
	answer, err := module.convert(nil, fields.view(nil, o.Value), desired)
	if err != nil {
		return nil, err
	}
	return fields.spliceAnswer(object, answer, desired)
}

// ConvertWhole is [Convert] without declared fields: the converter sees the whole object. The
// package crosswalktest checks that a module returns the same result for both.
func ConvertWhole(object []byte, desired string) ([]byte, error) {
	return module.convert(nil, object, desired)
}

func (r *registry) register(from, to string, convert Converter) {
	switch {
	case from == "" || to == "" || from == to:
		panic("crosswalk: a conversion needs two different versions, not " + strconv.Quote(from) + " and " + strconv.Quote(to))
	case convert == nil:
		panic("crosswalk: the conversion from " + from + " to " + to + " has no function")
	}
	for _, c := range r.conversions {
		if c.from == from && c.to == to {
			panic("crosswalk: the conversion from " + from + " to " + to + " is registered twice")
		}
	}
	r.conversions = append(r.conversions, conversion{from: from, to: to, convert: convert})
}

// convert appends the converted object to dst. An error refuses the object; dst may contain partial
// output even then.
func (r *registry) convert(dst, object []byte, desired string) ([]byte, error) {
	for i := range r.conversions {
		c := &r.conversions[i]
		if c.text == nil || c.to != desired || len(object) < len(c.begins) || string(object[:len(c.begins)]) != c.begins {
			continue
		}
		if out, done, err := c.text(dst, object); done || err != nil {
			return out, err
		}
		break
	}
	o := &r.object
	o.reset(object)
	version, err := o.doc.apiVersion()
	if err != nil {
		return dst, err
	}
	if string(version) == desired {
		return append(dst, object...), nil
	}
	c, err := r.find(version, desired)
	if err != nil {
		return dst, err
	}
	r.stash.begin(c.from, c.to, r.declared)
	o.doc.kept = &r.stash
	if err := c.convert(o); err != nil {
		return dst, err
	}
	r.stash.finish(o)
	o.SetString(Path{"apiVersion"}, c.to)
	return o.AppendJSON(dst)
}

// apiVersion returns the object's apiVersion without allocating.
func (d *document) apiVersion() ([]byte, error) {
	if d.kind(0) != '{' {
		return nil, Errorf("the object must be an object, but is %s", Value{d, 0}.Type())
	}
	n := d.find(0, "apiVersion")
	if d.err != nil {
		return nil, d.err
	}
	if n == 0 {
		return nil, Errorf(".apiVersion must say which version the object is in, but is absent")
	}
	if d.kind(n) != '"' {
		return nil, d.wrong(n, "a string")
	}
	raw := d.raw(n)
	if len(raw) < 2 {
		return nil, d.err
	}
	raw = raw[1 : len(raw)-1]
	for _, c := range raw {
		if c == '\\' {
			return unquote(nil, raw), nil
		}
	}
	return raw, nil
}

// find returns the conversion for the pair, or a refusal that lists the registered conversions.
func (r *registry) find(from []byte, to string) (*conversion, error) {
	for i := range r.conversions {
		if c := &r.conversions[i]; string(from) == c.from && to == c.to {
			return c, nil
		}
	}
	have := ""
	for _, c := range r.conversions {
		if have != "" {
			have += ", "
		}
		have += c.from + " to " + c.to
	}
	if have == "" {
		have = "nothing"
	}
	return nil, Errorf("this module has no conversion from %s to %s; it has: %s", from, to, have)
}
