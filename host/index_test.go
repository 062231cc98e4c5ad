package host

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
)

// TestMemoryOfNotes: a body full of declared places must not make the gateway allocate several tens
// of its size.
func TestMemoryOfNotes(t *testing.T) {
	m := &funcModule{Paths: []string{"spec.list[].x"}, One: func(string, string, []byte) ([]byte, string) { return []byte(`{}`), "" }}
	c := converter(edges(m, "v1→v2")...)
	object := func(bytes int) string {
		return `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":{"list":[` + strings.Repeat("0,", bytes/2) + `0]}}`
	}
	small := make([]string, 64)
	for i := range small {
		small[i] = object(64 << 10)
	}
	for _, test := range []struct {
		name, want string
		objects    []string
	}{
		{"an object that is too large", "(--max-object-bytes)", []string{object(8 << 20)}},
		{"of another kind", "kind is", append(small, strings.Replace(cron, "CronTab", "Other", 1))},
	} {
		t.Run(test.name, func(t *testing.T) {
			body := []byte(reviewOf("v1", "stable.example.com/v2", test.objects...))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, outcome, err := c.Review(context.Background(), body)
			runtime.ReadMemStats(&after)
			if err != nil || !strings.Contains(outcome.Message, test.want) {
				t.Fatal(err, outcome.Message)
			}
			if got := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(body)); got > 10 { // 1¼ in the end, and the smaller slices before it
				t.Errorf("%.1f times the body's bytes were allocated", got)
			}
		})
	}
}

// TestIndexOverflow: objects with too many declared fields for the index, or with more pieces than
// the room has, are converted like others.
func TestIndexOverflow(t *testing.T) {
	m := &funcModule{Paths: []string{"spec.list[].x"}, One: func(from, to string, view []byte) ([]byte, string) {
		return bytes.Replace(bytes.Replace(view, []byte(from), []byte(to), 1), []byte(`{"x":1}`), []byte(`{"x":2}`), -1), ""
	}}
	object := func(more int) string {
		return `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":{"list":[{"x":1}` + strings.Repeat(",0", more) + `]},"metadata":{"name":"a"}}`
	}
	objects := []string{object(1), object(minParts), object(2), strings.Replace(object(3), `{"x":1}`, strings.Repeat(`{"x":1},`, maxPieces/2+1)+`{"x":1}`, 1)}
	a, outcome := runReview(t, converter(edges(m, "v1→v2")...), reviewOf("v1", "stable.example.com/v2", objects...))
	if outcome.Failure != "" {
		t.Fatal(outcome.Message)
	}
	for i, got := range a.Response.ConvertedObjects {
		if want := strings.Replace(strings.Replace(objects[i], "/v1", "/v2", 1), `"x":1`, `"x":2`, -1); string(got) != want {
			t.Errorf("object %d: %.200s", i, got)
		}
	}
}

// TestIndexIsBounded: objects are indexed until the index has one part for every 32 bytes of the body.
func TestIndexIsBounded(t *testing.T) {
	m := &funcModule{Paths: []string{"spec.list[].x"}, One: func(from, to string, view []byte) ([]byte, string) {
		return bytes.Replace(view, []byte(from), []byte(to), 1), ""
	}}
	objects := make([]string, 100)
	for i := range objects {
		objects[i] = `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":{"list":[` + strings.Repeat(`{"x":1},`, 100) + `0]},"metadata":{"name":"a"}}`
	}
	body := []byte(reviewOf("v1", "stable.example.com/v2", objects...))
	w := newWorker(newConverter(ConverterConfig{Modules: Static(NewRoutes(edges(m, "v1→v2")))}))
	if _, outcome, err := w.answer(t.Context(), body); err != nil || outcome.Failure != "" {
		t.Fatal(outcome, err)
	}
	if n, most := len(w.state.index.parts), len(body)/bytesPerIndexedPart; n <= minParts || n > most {
		t.Errorf("%d parts are indexed, want more than %d and at most %d", n, minParts, most)
	}
}

// TestPiecesOfManyObjects: the room that is kept is that of the actual pieces, not of all possible
// ones.
func TestPiecesOfManyObjects(t *testing.T) {
	const doc, room, n = `{"apiVersion":"g/v1","kind":"K"}`, 1 << 24, 500
	fields, err := projection.Parse()
	if err != nil {
		t.Fatal(err)
	}
	parts := fields.Read(nil, []byte(doc))
	p := &projector{}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	all := make([]projection.Spliced, n)
	for i := range all {
		all[i] = projection.Stamp(projection.Room{Pieces: p.room(room)}, []byte(doc), parts, fmt.Appendf(nil, `"g/v%d"`, i))
		p.keepPieces(&all[i])
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 2*maxPieces*8 { // the room once, and a few kilobytes
		t.Errorf("%d bytes were allocated", got)
	}
	for i := range all {
		if got, want := string(all[i].Doc(nil, []byte(doc))), fmt.Sprintf(`{"apiVersion":"g/v%d","kind":"K"}`, i); got != want {
			t.Fatalf("object %d is %s", i, got)
		}
	}
}

// TestTooManyParts: an object in which more than maxParts places match the declared fields fails
// with a message that names the remedy. An object of 256 KiB never does.
func TestTooManyParts(t *testing.T) {
	m := &funcModule{File: "m.wasm", Paths: []string{"spec.list[].x"}, One: func(from, to string, input []byte) ([]byte, string) {
		return bytes.Replace(input, []byte(from), []byte(to), 1), ""
	}}
	c := converter(edges(m, "v1→v2")...)
	object := func(elements int) string {
		return `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":{"list":[0` + strings.Repeat(",0", elements-1) + `]},"metadata":{"name":"a"}}`
	}
	const fits = (256<<10)/bytesPerPart - 100
	if a, outcome := runReview(t, c, reviewOf("v1", "stable.example.com/v2", object(fits))); outcome.Failure != "" || string(a.Response.ConvertedObjects[0]) != strings.Replace(object(fits), "/v1", "/v2", 1) {
		t.Errorf("256 KiB: %+v", outcome)
	}
	const want = "object 0 (a): more than 131072 places match the fields that module m.wasm (sha256:0123456789ab) declares; " +
		"declare the list or map as a whole instead of fields of its elements"
	if _, outcome := runReview(t, c, reviewOf("v1", "stable.example.com/v2", object(maxParts+1))); outcome.Message != want || outcome.Failure != FailureInvalid {
		t.Errorf("%+v", outcome)
	}
}

// TestPartsUpToTheBound: a batch may have maxParts parts, and not one more.
func TestPartsUpToTheBound(t *testing.T) {
	fields, err := projection.Parse([]string{"spec.a"})
	if err != nil {
		t.Fatal(err)
	}
	one := []byte(`{"spec":{"a":1,"b":"` + strings.Repeat("x", 4*bytesPerPart) + `"}}`) // too long to be known to fit
	n := fields.Count(one)
	if n == 0 {
		t.Fatal("the object has no parts")
	}
	for parts, want := range map[int]bool{maxParts - n: true, maxParts - n + 1: false} {
		p := projector{parts: make([]projection.Part, parts)}
		if got := p.fits(fields, one); got != want {
			t.Errorf("%d more parts beside %d: %v, want %v", n, parts, got, want)
		}
	}
}
