package modules

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// CheckGiven returns an error if -f has objects and the modules convert none of their kinds: the
// tests would ignore all objects, and a misspelt kind or group would look like a success.
func CheckGiven(files []string, objects []json.RawMessage) error {
	if len(objects) == 0 {
		return nil
	}
	kinds := map[string]bool{}
	for _, file := range files {
		name, err := artifact.ParseName(filepath.Base(file))
		if err != nil {
			return err
		}
		kinds[name.Kind+"."+name.Group] = true
	}
	given := map[string]bool{}
	for _, text := range objects {
		var o struct{ APIVersion, Kind string }
		_ = json.Unmarshal(text, &o) // the rest may be anything; an object without a kind is of no kind
		group, _, _ := strings.Cut(o.APIVersion, "/")
		if kinds[o.Kind+"."+group] {
			return nil
		}
		given[fmt.Sprintf("%q of %q", o.Kind, o.APIVersion)] = true
	}
	return fmt.Errorf("-f has no object that the modules convert: it has %s, and the modules convert %s", someOf(given), someOf(kinds))
}

// someOf lists up to three keys.
func someOf(set map[string]bool) string {
	const most = 3
	keys := slices.Sorted(maps.Keys(set))
	if len(keys) > most {
		keys = append(keys[:most], fmt.Sprintf("%d others", len(keys)-most))
	}
	return strings.Join(keys, ", ")
}
