package adopttest

import (
	"slices"
	"time"
)

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
	if result, err = c.normal(o.text, len(c.kind.Opaque) > 0); err != nil {
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
