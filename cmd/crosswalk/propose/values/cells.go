package values

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// canonical returns a value as text, with sorted members: equal values have equal texts.
func canonical(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value) // not reached: the value was read as JSON
	}
	return string(text)
}

// compact returns JSON as canonical writes it.
func compact(text []byte) string {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return ""
	}
	return canonical(value)
}

// spot is where a value stands in the Observations: the object, and the elements around it.
type spot struct {
	object int
	around string
}

// maxSpots bounds the values of one field that are compared.
const maxSpots = 10_000

// valuesOf returns the values of a field of one side by their places. Null is absent.
func valuesOf(all []Observation, side int, steps []string) map[spot]any {
	found := map[spot]any{}
	for i := range all {
		var walk func(value any, steps []string, around string)
		walk = func(value any, steps []string, around string) {
			if len(found) >= maxSpots || value == nil {
				return
			}
			if len(steps) == 0 {
				found[spot{i, around}] = value
				return
			}
			switch v := value.(type) {
			case []any:
				if steps[0] == "[]" {
					for n, element := range v {
						walk(element, steps[1:], fmt.Sprintf("%s[%d]", around, n))
					}
				}
			case map[string]any:
				if steps[0] == "*" {
					for key, member := range v {
						walk(member, steps[1:], around+"."+key)
					}
				} else if steps[0] != "[]" {
					walk(v[steps[0]], steps[1:], around)
				}
			}
		}
		walk(all[i].Objects[side], steps, "")
	}
	return found
}

// cellsOf returns the values of a field of one side, in the order of their spots.
func cellsOf(all []Observation, side int, steps []string) []cell {
	found := valuesOf(all, side, steps)
	cells := make([]cell, 0, len(found))
	for at, value := range found {
		cells = append(cells, cell{at, value, canonical(value), numberOf(value)})
	}
	slices.SortFunc(cells, func(x, y cell) int {
		if x.at.object != y.at.object {
			return x.at.object - y.at.object
		}
		return strings.Compare(x.at.around, y.at.around)
	})
	return cells
}
