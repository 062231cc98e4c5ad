package load

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// takeStash removes the annotation of the stash (docs/spec/stash.md) from an answer, and returns the
// rest and the values that the annotation keeps for a version, by pointer. Both have the text of
// their values.
func takeStash(answer []byte, group, version string) (rest, kept []byte, err error) {
	annotation := "conversion." + group + "/stash"
	members, metadata, annotations := map[string]json.RawMessage{}, map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if err := json.Unmarshal(answer, &members); err != nil {
		return nil, nil, err
	}
	if json.Unmarshal(members["metadata"], &metadata) != nil || json.Unmarshal(metadata["annotations"], &annotations) != nil || annotations[annotation] == nil {
		return answer, []byte("{}"), nil
	}
	var text string
	if err := json.Unmarshal(annotations[annotation], &text); err != nil {
		return nil, nil, err
	}
	var layers map[string]struct {
		Kept []struct{ Set map[string]json.RawMessage }
	}
	if err := json.Unmarshal([]byte(text), &layers); err != nil {
		return nil, nil, fmt.Errorf("annotation %s: %w", annotation, err)
	}
	values := map[string]json.RawMessage{}
	for _, parcel := range layers[version].Kept {
		maps.Copy(values, parcel.Set)
	}
	if delete(annotations, annotation); len(annotations) == 0 {
		delete(metadata, "annotations")
	} else {
		metadata["annotations"] = object(annotations)
	}
	members["metadata"] = object(metadata)
	return object(members), object(values), nil
}

// object writes members in the order of their names.
func object(members map[string]json.RawMessage) []byte {
	out := []byte{'{'}
	for i, name := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(rawjson.Quote(out, name), ':'), members[name]...)
	}
	return append(out, '}')
}
