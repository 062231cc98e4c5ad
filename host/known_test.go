package host

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// verdict checks an answer to an object on the first hop, with the comparisons that save reading
// it, or without. It returns the broken rule, the object as it is written into the response, and
// whether the module tried to change metadata.
func verdict(r review, view, answer []byte, compares bool) (broken, written string, restored bool) {
	o := r.objects[0]
	if !compares {
		o.known = knownRange{}
	}
	k := checker{limits: Limits{}.withDefaults()}
	var c content
	h := hop{to: "stable.example.com/v2", toJSON: []byte(`"stable.example.com/v2"`)}
	if broken := k.check(&r, &o, &c, view, answer, &h, compares); broken != "" {
		return string(broken), "", false
	}
	var out writer
	o.write(&out, r.body, &c, h.toJSON, forServer)
	return "", string(out.dst), c.restored
}

// sameVerdict holds the verdict on an answer against that of a check that reads every byte.
func sameVerdict(t *testing.T, r review, view, answer []byte) (broken string) {
	t.Helper()
	broken, written, restored := verdict(r, view, answer, true)
	wantBroken, wantWritten, wantRestored := verdict(r, view, answer, false)
	if broken != wantBroken || written != wantWritten || restored != wantRestored {
		t.Fatalf("compared: %q, restored %v, %.3000s\nread: %q, restored %v, %.3000s\nanswer %.3000s", broken, restored, written, wantBroken, wantRestored, wantWritten, answer)
	}
	return broken
}

// readOne reads a review of one object, and returns the view of a module.
func readOne(t testing.TB, object string) (r review, view []byte, ok bool) {
	t.Helper()
	var s rawjson.Scanner
	body := []byte(reviewOf("v1", "stable.example.com/v2", object))
	if err := r.read(&s, body, Limits{}.withDefaults(), &projectionIndex{}); err != nil || len(r.objects) != 1 || r.objects[0].is != rawjson.Object || r.unread != "" {
		return r, nil, false
	}
	var a arena
	return r, r.objects[0].guestView(body, annotated{}, &a), true
}

// knownObjects are objects with large and small containers, and with metadata of several forms.
func knownObjects() []string {
	return []string{
		benchObject(7), cron,
		strings.Replace(benchObject(1), `"tier":"backend"`, `"tier":1`, 1),
		strings.Replace(benchObject(1), `"labels":{`, `"labels": { "a\"b" : "c\\" , `, 1),
		strings.Replace(benchObject(1), `"annotations":{`, `"annotations":null,"others":{`, 1),
		strings.Replace(benchObject(1), `"labels":{`, `"labels":[],"others":{`, 1),
		strings.Replace(benchObject(1), `"managedFields":[`, `"ownManagedFields":[`, 1),
		strings.Replace(benchObject(1), `"metadata":{`, `"metadata":null,"others":{`, 1),
		`{"spec":{"a":[` + strings.Repeat(`{"name":"x","value":"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"},`, 20) + `1]},"metadata":{"name":"n"},"kind":"CronTab","apiVersion":"stable.example.com/v1"}`,
	}
}

// TestChecksAgree holds the verdicts on the answers of modules that change little, and on spoilt
// ones, against those of a check that reads every byte.
func TestChecksAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 20261122))
	pieces := []string{`"`, `\`, `{`, `}`, `[`, `]`, `,`, `:`, ` `, `0`, `{}`, "\x80", "é", `"name":"other",`, `"labels":{"a b":"c"},`, `"tier":"backend",`, `"replicas":3,`, `1e400`, `null`}
	kept, broken := 0, 0
	for _, object := range knownObjects() {
		r, view, ok := readOne(t, object)
		if !ok {
			t.Fatalf("cannot read %s", object)
		}
		for n := range 3000 {
			answer := bytes.Replace(view, []byte(`stable.example.com/v1`), []byte(`stable.example.com/v2`), 1)
			for range n % 4 {
				i := random.IntN(len(answer))
				j := min(len(answer), i+random.IntN(12))
				answer = append(answer[:i:i], pieces[random.IntN(len(pieces))]+string(answer[j:])...)
			}
			if sameVerdict(t, r, view, answer) == "" {
				kept++
			} else {
				broken++
			}
		}
	}
	if kept < 3000 || broken < 3000 {
		t.Errorf("%d answers keep the contract, %d break it: the answers do not test both sides", kept, broken)
	}
}

// FuzzChecksAgree holds the verdict on an answer to an object against that of a check that reads
// every byte.
func FuzzChecksAgree(f *testing.F) {
	for _, object := range knownObjects() {
		f.Add(object, []byte(strings.Replace(object, "stable.example.com/v1", "stable.example.com/v2", 1)))
	}
	f.Fuzz(func(t *testing.T, object string, answer []byte) {
		if r, view, ok := readOne(t, object); ok {
			sameVerdict(t, r, view, answer)
		}
	})
}

// TestUnchangedAnswerIsNotRead: of an answer that differs in its apiVersion, only the frame is
// read. The rest is made invalid in the request and in the answer alike, after the request was
// read.
func TestUnchangedAnswerIsNotRead(t *testing.T) {
	r, view, ok := readOne(t, benchObject(3))
	if !ok {
		t.Fatal("cannot read the object")
	}
	spoil := func(b []byte) []byte {
		for _, value := range []string{"nightly", "default", "registry.example.com", "all is well"} {
			b = bytes.ReplaceAll(b, []byte(value), append([]byte(value[:len(value)-1]), 0x80))
		}
		return b
	}
	r.body, view = spoil(r.body), spoil(bytes.Clone(view))
	answer := bytes.Replace(view, []byte(`stable.example.com/v1`), []byte(`stable.example.com/v2`), 1)
	if broken, _, _ := verdict(r, view, answer, true); broken != "" {
		t.Errorf("the answer %s", broken)
	}
	if broken, _, _ := verdict(r, view, answer, false); broken == "" {
		t.Error("an invalid answer passes a check that reads every byte")
	}
}

// TestObjectsAreCompared: objects are compared with the one before, until one has nothing in common
// with it.
func TestObjectsAreCompared(t *testing.T) {
	other := strings.NewReplacer("f:", "g:", "number", "count", "note", "text", "nightly", "daily", "Started", "Ended").Replace(benchObject(3))
	list := []string{benchObject(1), benchObject(2), other, other, other}
	body := []byte("[" + strings.Join(list, ",") + "]")
	var s rawjson.Scanner
	s.Reset(body, 0)
	n := knownContainers{most: 1000}
	var equal []bool
	for s.Array(); s.Element(); {
		var o object
		n.begin(&s, body)
		readObject(&s, body, &o, &projectionIndex{}, &n)
		equal = append(equal, s.Equal() > 0)
		if len(n.list) > len(s.Recorded()) || o.known.to <= o.known.from {
			t.Errorf("object %d: containers %v of %d", len(equal)-1, o.known, len(s.Recorded()))
		}
	}
	n.end(&s)
	if want := []bool{false, true, false, false, false}; !s.End() || !slices.Equal(equal, want) {
		t.Errorf("compared with success: %v, want %v; %v", equal, want, s.Err())
	}
	if !n.unlike || len(n.of(&object{known: knownRange{0, len(n.list)}})) < 15 {
		t.Errorf("%d containers, unlike %v", len(n.list), n.unlike)
	}
}
