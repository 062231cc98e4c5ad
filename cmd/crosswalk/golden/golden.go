// Package golden shows how answers of a module differ from its golden cases, writes the answers
// into the sidecar, and the cases as vectors for native tests.
package golden

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/difference"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

const (
	// maxDifferences is the most differences that are shown of one object.
	maxDifferences = 100
	// maxShown is the most bytes that are shown of a value.
	maxShown = 400
)

// Differences returns a line for every place where an answer differs from the wanted one. Both are
// strictly valid JSON.
func Differences(want, got []byte) string {
	var lines []string
	n := 0
	difference.Each(want, got, func(path string, want, got any) {
		if n++; n <= maxDifferences {
			if path == "" {
				path = "the object"
			}
			lines = append(lines, fmt.Sprintf("%s: want %s, got %s", path, difference.Shown(want, maxShown), difference.Shown(got, maxShown)))
		}
	})
	if n > maxDifferences {
		lines = append(lines, fmt.Sprintf("and %d more", n-maxDifferences))
	}
	return strings.Join(lines, "\n")
}

// short returns an answer as a case writes it: without apiVersion and kind, and without metadata
// that equals the object's.
func short(answer, object []byte) ([]byte, error) {
	members, of := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if err := errors.Join(json.Unmarshal(answer, &members), json.Unmarshal(object, &of)); err != nil {
		return nil, err
	}
	drop := []string{"apiVersion", "kind"}
	if m, o := members["metadata"], of["metadata"]; m == nil || o != nil && rawjson.Equal(m, o) {
		drop = append(drop, "metadata")
	}
	return without(answer, drop)
}

// without returns an object without some of its members. The others keep their order and text.
func without(object []byte, names []string) ([]byte, error) {
	var s rawjson.Scanner
	s.Reset(object, 0)
	s.Object()
	out := []byte{'{'}
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		name := string(m.Key)
		value := s.Skip().Of(object)
		drop := false
		for _, n := range names {
			drop = drop || n == name
		}
		if drop {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(rawjson.Quote(out, name), ':'), value...)
	}
	if !s.End() {
		return nil, s.Err()
	}
	return append(out, '}'), nil
}
