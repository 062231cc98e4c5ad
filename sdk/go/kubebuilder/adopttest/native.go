package adopttest

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// nativeRuns is how often the operator's code converts each object. Its results may differ from
// each other, for it may take the members of a map in any order.
const nativeRuns = 3

// object is the text of an object, with the results of the operator's code.
type object struct {
	text     []byte
	wants    []any // the distinct results, normalized; none if the object is refused
	refusal  string
	panicked string
	unseen   string // where the result depends on metadata that no module sees
	fragment bool
	given    bool // the operator's own, or made from its definition
	sample   bool // the operator's own
}

// outcome is the result of one conversion by the operator's code.
type outcome struct {
	text              []byte
	refusal, panicked string
	skipped           bool // the object has a number beyond the limit, and was not converted
}

// accepted reports whether there is a result.
func (o outcome) accepted() bool { return o.refusal == "" && o.panicked == "" && !o.skipped }

// decoding begins the text of a refusal by the decoder, where a module has words of its own.
const decoding = "decoding: "

// convert converts an object between two versions as a webhook does.
func (c *comparison) convert(from, to Version, text []byte) (result []byte, err error) {
	in, hub, out := reflect.New(from.of).Interface(), reflect.New(c.kind.Hub.of).Interface(), reflect.New(to.of).Interface()
	unmarshal := c.kind.Unmarshal
	if unmarshal == nil {
		unmarshal = json.Unmarshal
	}
	if err := unmarshal(text, in); err != nil {
		return nil, fmt.Errorf(decoding+"%w", err)
	}
	setTypeMeta(reflect.ValueOf(out).Elem(), to.apiVersion, c.kind.Name)
	switch {
	case from.to == nil:
		err = to.from(out, in)
	case to.from == nil:
		err = from.to(in, out)
	default:
		if err = from.to(in, hub); err == nil {
			err = to.from(out, hub)
		}
	}
	if err != nil {
		return nil, err
	}
	if to.defaults != nil {
		to.defaults(out)
	}
	return json.Marshal(out)
}

// once converts an object with the operator's code, unless it has a number beyond the limit. A result
// that no API server accepts is a refusal.
func (c *comparison) once(from, to Version, text []byte) (o outcome) {
	if tooLarge(text, c.largest) {
		return outcome{skipped: true}
	}
	defer func() {
		if r := recover(); r != nil {
			o = outcome{panicked: fmt.Sprint(r)}
		}
	}()
	result, err := c.convert(from, to, text)
	if err == nil {
		err = c.checkIdentity(text, result, to)
	}
	if err == nil {
		return outcome{text: result}
	}
	o.refusal = err.Error()
	if o.refusal == "" {
		o.refusal = fmt.Sprintf("the conversion failed with an error without a text, a %T", err)
	}
	return o
}

// native converts an object several times.
func (c *comparison) native(text []byte) (object, error) {
	o := object{text: text}
	for range nativeRuns {
		if err := c.again(&o); err != nil || o.panicked != "" {
			return o, err
		}
	}
	err := c.metadataMatters(&o)
	return o, err
}

// again converts an object once more, and notes the result if it is another.
func (c *comparison) again(o *object) error {
	result := c.once(c.from, c.to, o.text)
	if !result.accepted() {
		o.refusal, o.panicked = result.refusal, result.panicked
		return nil
	}
	want, err := c.normal(result.text, len(c.kind.Opaque) > 0 || o.fragment)
	if err != nil {
		return fmt.Errorf("the types do not take their own result: %w", err)
	}
	for _, other := range o.wants {
		if reflect.DeepEqual(other, want) {
			return nil
		}
	}
	o.wants = append(o.wants, want)
	return nil
}

// setTypeMeta sets the apiVersion and kind of a new object, as controller-runtime does before it
// converts to it. An object on the way to another version has none.
func setTypeMeta(v reflect.Value, apiVersion, kind string) {
	meta := v.FieldByName("TypeMeta")
	if !meta.IsValid() || meta.Kind() != reflect.Struct {
		return
	}
	for name, value := range map[string]string{"APIVersion": apiVersion, "Kind": kind} {
		if f := meta.FieldByName(name); f.IsValid() && f.Kind() == reflect.String && f.CanSet() {
			f.SetString(value)
		}
	}
}
