package adopttest

import (
	"reflect"
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

// confirmations is how often an object is converted again before its metadata counts as the reason of
// another result.
const confirmations = 20

// metadataMatters notes where the operator's code has another result for the object as a review has it.
func (c *comparison) metadataMatters(o *object) error {
	root, err := decodeObject(o.text)
	metadata, ok := root["metadata"].(map[string]any)
	if err != nil || !ok || len(o.wants) > 1 || o.panicked != "" { // its results differ anyway
		return err
	}
	for name, value := range unseenMetadata {
		metadata[name] = value
	}
	result := c.once(c.from, c.to, encode(root))
	switch {
	case result.skipped:
	case result.refusal != o.refusal || result.panicked != "":
		o.unseen = "the whole result"
	case result.accepted() && len(o.wants) == 1:
		got, err := c.normal(result.text, len(c.kind.Opaque) > 0)
		if err != nil {
			return err
		}
		want := o.wants[0]
		for range confirmations { // of code whose results differ anyway, one without the metadata may be the same
			if reflect.DeepEqual(unordered(got), unordered(want)) {
				return nil
			}
			if other := c.once(c.from, c.to, o.text); other.accepted() {
				if want, err = c.normal(other.text, len(c.kind.Opaque) > 0); err != nil {
					return err
				}
			}
		}
		o.unseen = place(firstDifference(unordered(got), unordered(want), "").Path)
	}
	return nil
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
