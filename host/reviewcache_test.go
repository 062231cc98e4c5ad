package host

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/crontabs"
)

// warm has a converter store the answer to a whole review, and fails if it does not.
func warm(t *testing.T, c *Converter, body []byte) {
	t.Helper()
	for range 2 {
		if _, outcome, err := c.Review(context.Background(), body); err != nil || outcome.Failure != "" {
			t.Fatal(outcome, err)
		}
	}
	if !recalls(c, body) {
		t.Fatal("the review is not stored")
	}
}

// recalls reports whether the answer to a review is stored and used.
func recalls(c *Converter, body []byte) bool {
	routes, release := c.modules.Pin()
	defer release()
	v := &conversion{converter: c}
	defer v.letGo()
	_, _, ok := v.recall(context.Background(), routes, body)
	return ok
}

// TestStoredReviewsAnswerAlike changes a review, whose answer is stored, in thousands of ways: two
// objects, members twice, invalid JSON, other versions and uids. The converter answers as one
// without a cache does.
func TestStoredReviewsAnswerAlike(t *testing.T) {
	m := relabeling()
	c, _ := cached(m, 1<<20)
	plain := newConverter(ConverterConfig{Modules: c.modules})
	body := reviewFor(cronNamed("a", `,"uid":"9f","resourceVersion":"7"`))
	warm(t, c, body)
	compare := func(changed []byte) {
		t.Helper()
		got, outcome, err := c.Review(context.Background(), changed)
		want, wanted, wantErr := plain.Review(context.Background(), changed)
		if !bytes.Equal(got, want) || outcome != wanted || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Fatalf("%s\ngot  %s %+v %v\nwant %s %+v %v", changed, got, outcome, err, want, wanted, wantErr)
		}
	}
	at := bytes.Index(body, []byte("u-1"))
	for _, uid := range []string{
		"u-2", "", "6f3b2f6e-9a5b-4f0e-8d0a-3f1c2b7a9e10", `\u0061`, `a\"`, "a b", "<", "é", "\xff", "\x01", `","uid":"x`, `","objects":[],"uid":"y`,
		strings.Repeat("a", plainUID), strings.Repeat("a", plainUID+1), strings.Repeat("a", 2000), `a"`, `"`, "a\n",
	} {
		compare(append(append(bytes.Clone(body[:at]), uid...), body[at+3:]...))
	}
	for _, name := range []string{"uid", "desiredAPIVersion", "objects", "apiVersion", "kind", "metadata"} {
		compare(bytes.Replace(body, []byte(`"`+name+`":`), []byte(`"`+name+`":"x","`+name+`":`), 1))
	}
	object := cronNamed("a", `,"uid":"9f","resourceVersion":"7"`)
	compare(reviewFor(object, object))
	compare(append([]byte(" "), body...))
	compare(append(bytes.Clone(body), ' '))
	compare(append(bytes.Clone(body), '}'))
	const few = 3
	r := rand.New(rand.NewPCG(1, 2))
	for i := range body {
		compare(append(bytes.Clone(body[:i]), body[i+1:]...))
		compare(body[:i])
		for range few {
			other := bytes.Clone(body)
			other[i] = byte(r.Uint32())
			compare(other)
		}
	}
	if !recalls(c, body) {
		t.Error("the review is not stored any more")
	}
}

// TestStoredReviewOfOtherUIDs: a uid elsewhere in the body is not taken for the review's.
func TestStoredReviewOfOtherUIDs(t *testing.T) {
	m := relabeling()
	c, _ := cached(m, 1<<20)
	plain := newConverter(ConverterConfig{Modules: c.modules})
	object := cronNamed("a", `,"uid":"9f"`)
	for _, body := range []string{
		`{"uid":"q","kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-1","desiredAPIVersion":"stable.example.com/v2","objects":[` + object + `]}}`,
		`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"desiredAPIVersion":"stable.example.com/v2","objects":[` + object + `],"uid":"9f"}}`,
	} {
		for _, uid := range []string{"9f", "9e", "9f"} {
			changed := []byte(strings.ReplaceAll(body, "9f", uid))
			for range 3 {
				got, outcome, _ := c.Review(context.Background(), changed)
				if want, wanted, _ := plain.Review(context.Background(), changed); !bytes.Equal(got, want) || outcome != wanted {
					t.Errorf("%s\ngot  %s\nwant %s", changed, got, want)
				}
			}
		}
	}
}

// changingSchemas has a definition that a test replaces.
type changingSchemas struct {
	definition *schema.CRD
	unread     string
}

func (s *changingSchemas) Find(string, string) *schema.CRD { return s.definition }

func (s *changingSchemas) Unread(string, string) (string, time.Time) {
	return s.unread, time.Unix(0, 0)
}

// TestStoredReviewNeedsSameWorld: other routes, another definition or a cancelled
// review are not answered from the stored review, and it goes with its module.
func TestStoredReviewNeedsSameWorld(t *testing.T) {
	m := relabeling()
	edge := Edge{"stable.example.com", "CronTab", "v1", "v2", m, nil}
	modules := &fixedModules{routes: NewRoutes([]Edge{edge})}
	definitions := &changingSchemas{}
	anything, err := schema.Parse([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"crontabs.stable.example.com"},
		"spec":{"group":"stable.example.com","names":{"kind":"CronTab","plural":"crontabs"},"scope":"Namespaced","versions":[
		{"name":"v2","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	cache := NewCache(1 << 20)
	c := newConverter(ConverterConfig{Modules: modules, Cache: cache, Schemas: definitions})
	body := reviewFor(cronNamed("a", ""))
	for _, tc := range []struct {
		name   string
		change func()
	}{
		{"routes", func() { modules.routes = NewRoutes([]Edge{edge}) }},
		{"definition", func() { definitions.definition = anything }},
	} {
		warm(t, c, body)
		if tc.change(); recalls(c, body) {
			t.Errorf("%s: a stored review is used", tc.name)
		}
	}
	warm(t, c, body)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, outcome, _ := c.Review(ctx, body); outcome.Failure == "" {
		t.Error("a cancelled review succeeds")
	}
	warm(t, c, body)
	before := cache.Stats().Entries
	cache.Keep(NewRoutes([]Edge{edge}))
	if after := cache.Stats().Entries; recalls(c, body) || after >= before {
		t.Errorf("a stored review outlives its routes: %d entries, %d before", after, before)
	}
}

// TestLateReviewIsNotStored: a review that began before its routes changed stores nothing
// afterwards. The entry could not be used, and would keep the routes and their modules in memory.
func TestLateReviewIsNotStored(t *testing.T) {
	edge := Edge{"stable.example.com", "CronTab", "v1", "v2", relabeling(), nil}
	modules := &fixedModules{routes: NewRoutes([]Edge{edge})}
	cache := NewCache(1 << 20)
	c := newConverter(ConverterConfig{Modules: modules, Cache: cache})
	body := reviewFor(cronNamed("a", ""))
	cache.Keep(modules.routes)
	warm(t, c, body)
	cache.Keep(NewRoutes([]Edge{edge}))
	before := cache.Stats().Entries
	for range 2 {
		if _, outcome, err := c.Review(context.Background(), body); err != nil || outcome.Failure != "" {
			t.Fatal(outcome, err)
		}
	}
	if after := cache.Stats().Entries; after != before {
		t.Errorf("%d entries, %d before", after, before)
	}
}

// TestReviewsThatAreNotStored: a review that has more to do or to count than its answer is not
// stored.
func TestReviewsThatAreNotStored(t *testing.T) {
	single, chained := relabeling(), append(edges(relabeling().funcModule, "v0→v1"), edges(relabeling().funcModule, "v1→v2")...)
	one := []Edge{{"stable.example.com", "CronTab", "v1", "v2", single, nil}}
	for _, tc := range []struct {
		name    string
		edges   []Edge
		schemas Schemas
		body    []byte
	}{
		{"two hops", chained, nil, reviewFor(strings.Replace(cronNamed("a", ""), "/v1", "/v0", 1))},
		{"two objects", one, nil, reviewFor(cronNamed("a", ""), cronNamed("b", ""))},
		{"a violation", one, crontabs.Schema(t), reviewFor(cronNamed("a", ""))},
	} {
		routes := NewRoutes(tc.edges)
		c := newConverter(ConverterConfig{Modules: &fixedModules{routes: routes}, Cache: NewCache(1 << 20), Schemas: tc.schemas})
		for range 3 {
			if _, outcome, err := c.Review(context.Background(), tc.body); err != nil || outcome.Failure != "" || (outcome.Violation != "") != (tc.schemas != nil) {
				t.Fatalf("%s: %+v, %v", tc.name, outcome, err)
			}
		}
		if recalls(c, tc.body) {
			t.Errorf("%s: the review is stored", tc.name)
		}
	}
}

// TestStoredReviewIsNoObject: with equal hashes, an object does not find a review.
func TestStoredReviewIsNoObject(t *testing.T) {
	m := relabeling()
	c, cache := cached(m, 1<<20)
	warm(t, c, reviewFor(cronNamed("a", "")))
	for i := range cache.shards {
		for _, e := range cache.shards[i].entries {
			if e.review == nil {
				continue
			}
			if least := int64(len(e.input) + len(e.output) + cacheOverhead + 200); e.size() < least {
				t.Errorf("its entry counts as %d bytes; it has %d at least", e.size(), least)
			}
			h := hop{module: m, to: "stable.example.com/v2", label: "x"}
			cache.shards[cache.hash(&h, e.input)>>32%cacheShards].entries[cache.hash(&h, e.input)] = e
			if found, _, _ := cache.find(&h, e.input); found != nil {
				t.Errorf("an object found %.80s", found.output)
			}
			return
		}
	}
	t.Fatal("no review is stored")
}

// TestUncheckedReviewIsNotStored: an object that took too much work to check is reported each time.
func TestUncheckedReviewIsNotStored(t *testing.T) {
	m := answers(`{"spec":{"host":"a","list":[1` + strings.Repeat(",1", 999) + `]}}`)
	c := newConverter(ConverterConfig{Modules: Static(NewRoutes(edges(m, "v1→v2"))), Cache: NewCache(1 << 20), Schemas: crontabs.CostlySchema(t)})
	body := reviewFor(cronNamed("a", ""))
	for range 3 {
		if _, outcome, err := c.Review(context.Background(), body); err != nil || outcome.Failure != "" || outcome.Unchecked != 1 {
			t.Fatalf("%+v, %v", outcome, err)
		}
	}
	if recalls(c, body) {
		t.Error("the review is stored")
	}
}
