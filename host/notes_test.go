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

// TestMemoryOfNotes: whoever writes a body of nothing but places that a module declares does not have several tens of its bytes allocated.
func TestMemoryOfNotes(t *testing.T) {
	m := &funcModule{fields: []string{"spec.list[].x"}, one: func(string, string, []byte) ([]byte, string) { return []byte(`{}`), "" }}
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
			if got := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(body)); got > 10 { // 1¼ in the end, and what it was before it grew
				t.Errorf("%.1f times the body's bytes were allocated", got)
			}
		})
	}
}

// TestTooManyNotes: objects that have too many of the declared fields to be noted on the way, or come to more pieces than there is room for, are converted like others.
func TestTooManyNotes(t *testing.T) {
	m := &funcModule{fields: []string{"spec.list[].x"}, one: func(from, to string, view []byte) ([]byte, string) {
		return bytes.Replace(bytes.Replace(view, []byte(from), []byte(to), 1), []byte(`{"x":1}`), []byte(`{"x":2}`), -1), ""
	}}
	object := func(more int) string {
		return `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":{"list":[{"x":1}` + strings.Repeat(",0", more) + `]},"metadata":{"name":"a"}}`
	}
	objects := []string{object(1), object(leastParts), object(2), strings.Replace(object(3), `{"x":1}`, strings.Repeat(`{"x":1},`, mostPieces)+`{"x":1}`, 1)}
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

// TestPiecesOfManyObjects: of the room for all pieces that an object could have come to, only what it came to is kept.
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
		p.take(&all[i])
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 2*mostPieces*8 { // the room once, and a few kilobytes
		t.Errorf("%d bytes were allocated", got)
	}
	for i := range all {
		if got, want := string(all[i].Doc(nil, []byte(doc))), fmt.Sprintf(`{"apiVersion":"g/v%d","kind":"K"}`, i); got != want {
			t.Fatalf("object %d is %s", i, got)
		}
	}
}
