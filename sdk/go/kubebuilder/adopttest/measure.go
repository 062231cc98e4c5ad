package adopttest

import (
	"encoding/json"
	"runtime"
	"testing"
	"time"
)

// sample returns an object of about 3.8 KB, the size that the project measures with, that the types
// convert. It has the managedFields that an API server would write, as objects in reviews have.
func (c *comparison) sample(t *testing.T) (best []byte) {
	t.Helper()
	const size = 3800
	for i := range 300 {
		text, err := c.random(c.from, 0.2+float64(i%30)/40, false, i)
		if err != nil {
			t.Fatal(err)
		}
		if !c.once(c.from, c.to, text).accepted() {
			continue
		}
		object, err := decodeObject(text)
		if err != nil {
			t.Fatal(err)
		}
		object["metadata"].(map[string]any)["managedFields"] = c.managers(object)
		text = encode(object)
		if best == nil || distance(len(text), size) < distance(len(best), size) {
			best = text
		}
	}
	return best
}

// managers returns the managedFields of an object that kubectl applied, and whose status a
// controller wrote.
func (c *comparison) managers(object map[string]any) []any {
	metadata := object["metadata"].(map[string]any)
	applied, status := map[string]any{}, map[string]any{}
	for _, name := range []string{"labels", "annotations"} {
		if member, ok := metadata[name]; ok {
			applied[name] = member
		}
	}
	applied = map[string]any{"metadata": applied}
	for name, member := range object {
		switch name {
		case "apiVersion", "kind", "metadata":
		case "status":
			status[name] = member
		default:
			applied[name] = member
		}
	}
	entry := func(manager string, of map[string]any) map[string]any {
		return map[string]any{
			"manager": manager, "operation": "Update", "apiVersion": c.from.apiVersion, "time": "2026-03-01T02:30:00Z",
			"fieldsType": "FieldsV1", "fieldsV1": fieldSet(of),
		}
	}
	all := []any{entry("kubectl-client-side-apply", applied)}
	if len(status) > 0 {
		e := entry("controller", status)
		e["subresource"] = "status"
		all = append(all, e)
	}
	return all
}

// fieldSet returns the members of v as managedFields have them. Lists are atomic, as they are
// unless a schema says otherwise.
func fieldSet(v any) map[string]any {
	set := map[string]any{}
	if members, ok := v.(map[string]any); ok {
		for name, member := range members {
			set["f:"+name] = fieldSet(member)
		}
	}
	return set
}

func distance(a, b int) int { return max(a-b, b-a) }

// webhook answers a ConversionReview as controller-runtime's webhook does: it decodes the review,
// each object's apiVersion, and each object, and encodes each result and the answer.
func (c *comparison) webhook(body []byte) ([]byte, error) {
	var review struct {
		APIVersion, Kind string
		Request          struct {
			UID, DesiredAPIVersion string
			Objects                []json.RawMessage
		}
	}
	type response struct {
		UID              string            `json:"uid"`
		ConvertedObjects []json.RawMessage `json:"convertedObjects"`
		Result           struct{ Status string }
	}
	if err := json.Unmarshal(body, &review); err != nil {
		return nil, err
	}
	answer := response{UID: review.Request.UID}
	for _, o := range review.Request.Objects {
		var of struct{ APIVersion, Kind string }
		if err := json.Unmarshal(o, &of); err != nil {
			return nil, err
		}
		result, err := c.convert(c.from, c.to, o)
		if err != nil {
			return nil, err
		}
		answer.ConvertedObjects = append(answer.ConvertedObjects, result)
	}
	return json.Marshal(struct {
		APIVersion, Kind string
		Response         response `json:"response"`
	}{review.APIVersion, review.Kind, answer})
}

// runs and listRuns are how often the time of an object by itself, and of one in a list, is measured. The
// least counts: other work on the machine makes the others longer. A run with lists takes as long as
// ten of the others.
const runs, listRuns = 10, 3

// measure returns the CPU time of the types for one object of a review with some, in runs of so
// many reviews. It includes the garbage that they make.
func (c *comparison) measure(t *testing.T, text []byte, runs, objects, reviews int) (best time.Duration) {
	if text == nil {
		return 0
	}
	body := []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"` + c.to.apiVersion + `","objects":[`)
	for i := range objects {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, text...)
	}
	body = append(body, "]}}"...)
	runtime.GC() // room in the heap, as for the module
	for range runs {
		start := cpuTime()
		for range reviews {
			if _, err := c.webhook(body); err != nil {
				t.Fatal(err)
			}
		}
		if took := (cpuTime() - start) / time.Duration(objects*reviews); best == 0 || took < best {
			best = took
		}
	}
	return best
}
