package host

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
)

// reading is what is known of a review when its body has been read, and what the notes of its objects say.
type reading struct {
	rejected *RequestError
	review   review
	parts    [][]projection.Part
}

// readOn reads a review on so many processors, and counts the objects that others than its own reader took notes of.
func readOn(t *testing.T, processors int, body []byte, limits Limits, routes *Routes) (r reading, others int) {
	t.Helper()
	onProcessors(t, processors)
	w := &work{limits: limits.withDefaults()}
	w.notes.routes = routes
	r = reading{rejected: w.review.read(&w.scan, body, w.limits, &w.notes)}
	r.review = w.review
	r.review.readers = nil
	r.review.objects = append([]object(nil), w.review.objects...)
	for i := range r.review.objects {
		o := &r.review.objects[i]
		r.parts = append(r.parts, append([]projection.Part(nil), w.notes.of(o, o.noted.fields)...))
		if o.noted.by != nil {
			others++
		}
		o.noted = noted{fields: o.noted.fields}
	}
	return r, others
}

// TestSections: what is known of a review, errors included, does not depend on how many have read it.
func TestSections(t *testing.T) {
	m := &funcModule{fields: []string{"spec.a", "metadata.labels", "spec.list[].x"}}
	routes := NewRoutes(edges(m, "v1→v2"))
	object := func(i int, more string) string {
		return fmt.Sprintf(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"o-%d","labels":{"a":"b"}},"spec":{"a":%d%s,"filler":"%s"}}`,
			i, i, more, strings.Repeat("x", i*37%900))
	}
	list := func(n int, each func(i int) string) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = each(i)
		}
		return all
	}
	plain := list(4000, func(i int) string { return object(i, "") })
	with := func(i int, other string) []string {
		all := append([]string(nil), plain...)
		all[i] = other
		return all
	}
	alike := `,"list":[` + object(1, "") + `,` + object(2, "") + `]` // elements that are none of the list
	for _, test := range []struct {
		name    string
		objects []string
		limits  Limits
		whole   bool // all of it can be read in sections
	}{
		{name: "objects as API servers write them", objects: plain, whole: true},
		{name: "of other versions now and then", objects: list(4000, func(i int) string {
			return strings.Replace(object(i, ""), "/v1", fmt.Sprintf("/v%d", 1+i%3), 1)
		})},
		{name: "with lists of such objects", objects: list(1200, func(i int) string { return object(i, alike) })},
		{name: "with such lists now and then", objects: list(3000, func(i int) string { return object(i, strings.Repeat(alike, min(1, i%7/6))) })},
		{name: "more than are allowed", objects: plain, limits: Limits{Objects: 3333}},
		{name: "few are allowed", objects: plain, limits: Limits{Objects: 1}},
		{name: "a number among them", objects: with(3000, "1")},
		{name: "null at the end", objects: with(3999, "null")},
		{name: "one without a kind", objects: with(2500, `{"apiVersion":"stable.example.com/v1","metadata":{}}`)},
		{name: "one that is cut off", objects: with(2500, `{"apiVersion":`)},
		{name: "a key twice", objects: with(2500, `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a","name":"b"}}`)},
		{name: "the list ends early", objects: with(2000, object(1, "")+`],"list":[1`)},
		{name: "and its text goes on in another", objects: with(2000, object(1, "")+`],"other":[`+object(1, ""))},
		{name: "a string that is not closed", objects: with(2000, `"`)},
		{name: "one that is large", objects: with(1, object(1, `,"b":"`+strings.Repeat("y", 2<<20)+`"`))},
		{name: "with escapes", objects: list(4000, func(i int) string {
			return strings.Replace(object(i, ""), `"CronTab"`, `"Cron\u0054ab"`, i%2)
		})},
		{name: "spaced out", objects: list(4000, func(i int) string { return "\n" + object(i, "") + " " })},
	} {
		t.Run(test.name, func(t *testing.T) {
			body := []byte(reviewOf("v1", "stable.example.com/v2", test.objects...))
			want, _ := readOn(t, 1, body, test.limits, routes)
			got, others := readOn(t, 4, body, test.limits, routes)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("read at once: %d objects of %d, broken %v, unread %q, %v\nand in order: %d of %d, %v, %q, %v", len(got.review.objects), got.review.count,
					got.review.broken, got.review.unread, got.rejected, len(want.review.objects), want.review.count, want.review.broken, want.review.unread, want.rejected)
			}
			if test.whole && others < len(test.objects)*3/4 {
				t.Errorf("%d objects of %d were read in sections", others, len(test.objects))
			}
		})
	}
}

// TestDamagedSections: the same for bodies that are damaged anywhere.
func TestDamagedSections(t *testing.T) {
	m := &funcModule{fields: []string{"spec.n"}}
	routes := NewRoutes(edges(m, "v1→v2", "v3→v2"))
	body := []byte(reviewOf("v1", "stable.example.com/v2", bulky(150)...))
	r := rand.New(rand.NewPCG(1, 2))
	const alphabet = `{}[]",:\ 0n`
	n := 150
	if testing.Short() {
		n = 15
	}
	broken := 0
	for i := range n {
		damaged := bytes.Clone(body)
		for range 1 + r.IntN(3) {
			at := r.IntN(len(damaged))
			if r.IntN(2) == 0 { // where it matters
				at = bytes.Index(damaged[at:], []byte(`{"apiVersion"`)) + at
			}
			damaged[min(max(at+r.IntN(100)-20, 0), len(damaged)-1)] = alphabet[r.IntN(len(alphabet))]
		}
		want, _ := readOn(t, 1, damaged, Limits{}, routes)
		got, _ := readOn(t, 4, damaged, Limits{}, routes)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("body %d: read at once: %d objects, %q, %v; in order: %d, %q, %v", i, got.review.count, got.review.unread, got.rejected,
				want.review.count, want.review.unread, want.rejected)
		}
		if want.rejected != nil || want.review.unread != "" {
			broken++
		}
	}
	if broken < n/4 || broken == n {
		t.Errorf("%d of %d bodies were broken", broken, n)
	}
}
