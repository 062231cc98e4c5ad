package plugins_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/crosswalktest"
)

// TestStashesAgree changes the objects of the database's vectors and their stashes at random and
// converts them with the SDKs of all languages. They must refuse the same objects and otherwise
// produce the same bytes. C and C++ also run natively, with the sanitizers.
func TestStashesAgree(t *testing.T) {
	const plugin, each = "database", 20
	vectors := vectorsOf(t, plugin)
	random := rand.New(rand.NewPCG(5, 6))
	batches := map[string][]string{}
	for _, v := range vectors {
		for _, o := range objects(v) {
			for range each {
				batches[v.DesiredAPIVersion] = append(batches[v.DesiredAPIVersion], changed(t, random, o))
			}
		}
	}
	for desired, batch := range batches {
		module := ""
		for _, c := range converters(t) {
			if c.plugin == plugin && c.language == "go" {
				module = c.file
			}
		}
		want := newGuest(t, module).answers(t, desired, batch...)
		refused := 0
		for _, a := range want {
			refused += int(a.status)
		}
		if refused < len(batch)/50 || refused > len(batch)/2 {
			t.Errorf("%s: %d of %d objects are refused: the changes are of little use", desired, refused, len(batch))
		}
		check := func(t *testing.T, language string, got []answer) {
			for i := range got {
				// Rules remember empty objects in both directions, so they also restore a layer that the
				// other converters neither write nor read.
				if language == "rules" && restoresLayer(batch[i], desired) {
					continue
				}
				// Rules do not bring back spec after a client deleted it.
				if language == "rules" && !hasSpec(t, batch[i]) {
					if got[i].status == 0 && hasSpec(t, got[i].body) {
						t.Fatalf("%s\nbecame %s", batch[i], got[i].body)
					}
					continue
				}
				if got[i].status != want[i].status || got[i].status == 0 && got[i].body != want[i].body {
					t.Fatalf("%s\nbecame %d %s\nbut in Go  %d %s", batch[i], got[i].status, got[i].body, want[i].status, want[i].body)
				}
			}
		}
		forEach(t, func(t *testing.T, c converter, _ []crosswalktest.Vector) {
			if c.plugin != plugin {
				return
			}
			check(t, c.language, newGuest(t, c.file).answers(t, desired, batch...))
			if _, ok := compilers[c.language]; ok {
				response := native(t, filepath.Join(plugin, c.language))(frame(desired, batch))
				check(t, c.language, readAnswers(t, response, len(batch)))
			}
		})
	}
}

// hasSpec reports whether an object has spec.
func hasSpec(t *testing.T, object string) bool {
	t.Helper()
	var o struct{ Spec any }
	if err := json.Unmarshal([]byte(object), &o); err != nil {
		t.Fatal(err)
	}
	return o.Spec != nil
}

// restoresLayer reports whether an object has a stash in which rules see something to restore, or to
// remove, on the way to v1beta1: a layer for v1beta1, or text that is not a stash.
func restoresLayer(object, desired string) bool {
	var o struct {
		Metadata struct{ Annotations map[string]any }
	}
	if desired != "db.example.com/v1beta1" || json.Unmarshal([]byte(object), &o) != nil {
		return false
	}
	text, there := o.Metadata.Annotations["conversion.db.example.com/stash"].(string)
	var layers map[string]any
	err := json.Unmarshal([]byte(text), &layers)
	return there && (err != nil || layers["v1beta1"] != nil)
}

// changed returns an object in which some values are others, or gone, also in the JSON within its
// annotations.
func changed(t *testing.T, r *rand.Rand, object string) string {
	decoder := json.NewDecoder(strings.NewReader(object))
	decoder.UseNumber()
	var o map[string]any
	if err := decoder.Decode(&o); err != nil {
		t.Fatal(err)
	}
	apiVersion := o["apiVersion"]
	for range 1 + r.IntN(3) {
		o = changedValue(r, o, 0.9).(map[string]any)
	}
	o["apiVersion"] = apiVersion
	return compact(o)
}

// changedValue changes one value in a value; with probability deeper it is further inside.
func changedValue(r *rand.Rand, v any, deeper float64) any {
	inside := r.Float64() < deeper
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		if len(keys) == 0 || !inside {
			return v
		}
		slices.Sort(keys)
		key := keys[r.IntN(len(keys))]
		switch {
		case r.IntN(6) == 0:
			delete(v, key)
		case r.IntN(12) == 0:
			v[key+"~/"] = v[key]
		default:
			v[key] = changedValue(r, v[key], 0.8)
		}
		return v
	case []any:
		if len(v) == 0 || !inside {
			return append(v, "added")
		}
		i := r.IntN(len(v))
		if r.IntN(6) == 0 {
			return append(v[:i:i], v[i+1:]...)
		}
		v[i] = changedValue(r, v[i], 0.8)
		return v
	case string:
		var within any
		decoder := json.NewDecoder(strings.NewReader(v))
		decoder.UseNumber()
		if strings.HasPrefix(v, "{") && decoder.Decode(&within) == nil && inside {
			return compact(changedValue(r, within, 0.95))
		}
		return []any{v + "é", "", "/spec/users/0/roles", "/spec/~01", json.Number("1.50"), nil, true}[r.IntN(7)]
	default:
		return []any{json.Number("1e3"), json.Number("-0.0"), json.Number("123456789012345678901"), json.Number("0.12345678901234567890"),
			"text", nil, []any{}, map[string]any{"a": nil}}[r.IntN(8)]
	}
}

func compact(v any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return fmt.Sprint(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
