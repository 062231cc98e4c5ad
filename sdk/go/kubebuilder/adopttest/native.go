package adopttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"
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
		err = c.checkMetadata(text, result, to)
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
	want, err := c.normal(result.text, o.fragment)
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

// normal decodes a result, and removes the parts that the gateway and the API server set:
// apiVersion, kind, and the metadata except labels and annotations. With types, the value passes the types before:
// they write some members always, and values in their own form.
func (c *comparison) normal(text []byte, types bool) (any, error) {
	if types {
		again := reflect.New(c.to.of).Interface()
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		err := d.Decode(again)
		if err != nil {
			return nil, err
		}
		if text, err = json.Marshal(again); err != nil {
			return nil, err
		}
	}
	o, err := decodeObject(text)
	if err != nil {
		return nil, err
	}
	metadata, _ := o["metadata"].(map[string]any)
	delete(o, "apiVersion")
	delete(o, "kind")
	delete(o, "metadata")
	for _, name := range []string{"labels", "annotations"} {
		if value, _ := metadata[name].(map[string]any); len(value) > 0 {
			o["metadata."+name] = value
		}
	}
	return o, nil
}

func decodeObject(text []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("%w: %s", err, shorten(string(text), 1000))
	}
	o, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("not an object: %s", shorten(string(text), 1000))
	}
	return o, nil
}

// encode returns the text of a decoded value, which always has one.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// unseenMetadata is metadata that objects in reviews have, and that a gateway shows no module.
var unseenMetadata = map[string]any{
	"resourceVersion": "4711",
	"managedFields": []any{map[string]any{
		"manager": "kubectl", "operation": "Update", "apiVersion": "example.com/v1", "time": "2024-05-06T07:08:09Z", "fieldsType": "FieldsV1",
		"fieldsV1": map[string]any{"f:spec": map[string]any{}},
	}},
}

// interleavedRuns is how often an object is converted with its unseen metadata, and as often without,
// before the metadata counts as the reason of other results. Go takes two elements of a map in one order
// seven times of eight, so that two sets of 32 results of the same code have one in common.
const interleavedRuns = 32

// metadataMatters notes where the operator's code has other results for the object as a review has it:
// it compares the set of results with the unseen metadata to the set without. If a set still grows in
// the second half of the runs, the results vary by themselves, and show nothing.
func (c *comparison) metadataMatters(o *object) error {
	root, err := decodeObject(o.text)
	metadata, ok := root["metadata"].(map[string]any)
	if err != nil || !ok || o.panicked != "" {
		return err
	}
	for name, value := range unseenMetadata {
		metadata[name] = value
	}
	texts := [2][]byte{o.text, encode(root)}
	var sets [2]map[string]any
	sets[0], sets[1] = map[string]any{}, map[string]any{}
	for run := range interleavedRuns {
		for i, text := range texts {
			key, result, err := c.unorderedResult(text)
			if err != nil || key == "" {
				return err
			}
			_, known := sets[i][key]
			if _, both := sets[1-i][key]; both || !known && run >= interleavedRuns/2 {
				return nil
			}
			sets[i][key] = result
		}
	}
	o.unseen = "the whole result"
	for _, without := range sets[0] {
		for _, with := range sets[1] {
			if without == nil || with == nil {
				return nil
			}
			o.unseen = place(firstDifference(with, without, "").Path)
		}
	}
	return nil
}

// unorderedResult converts an object once, and returns its result, with the lists in one order, and a
// text that tells it from others. The result is nil if the object is refused; the text is empty if
// the object was skipped.
func (c *comparison) unorderedResult(text []byte) (key string, result any, err error) {
	o := c.once(c.from, c.to, text)
	switch {
	case o.skipped:
		return "", nil, nil
	case !o.accepted():
		return "refused: " + o.refusal + o.panicked, nil, nil
	}
	if result, err = c.normal(o.text, false); err != nil {
		return "", nil, err
	}
	result = unordered(result)
	return string(encode(result)), result, nil
}

// noteUnseen counts an object whose result depends on metadata that no module sees.
func (p *Pair) noteUnseen(at string) {
	if at == "" {
		return
	}
	p.Unseen++
	if !slices.Contains(p.UnseenAt, at) {
		p.UnseenAt = append(p.UnseenAt, at)
	}
}

// zone is the time zone of the comparison. A module has UTC, and the operator's container the zone of
// its cluster, so that a result with a local time has to differ from the module's on any machine.
var zone = time.FixedZone("crosswalk", 5*3600+45*60)

// setZone sets the zone, unless set-up code has set one.
func setZone() {
	if time.Local.String() == "Local" {
		time.Local = zone
	}
}
