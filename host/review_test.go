package host

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// TestReviewRefused has the bodies that no ConversionReview can answer.
func TestReviewRefused(t *testing.T) {
	const ok = `"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview"`
	const versions = "; this gateway reads apiextensions.k8s.io/v1 and apiextensions.k8s.io/v1beta1"
	tests := []struct{ name, body, want string }{
		{"nothing", ``, "the request body cannot be read as JSON: unexpected end of JSON at byte 0"},
		{"no JSON", `apiVersion: v1`, "the request body cannot be read as JSON: expected a value, found 'a' at byte 0"},
		{"cut short", `{` + ok + `,"request":{"uid":"1","objects":[{`, "the request body cannot be read as JSON: unexpected end of JSON at byte 99"},
		{"two documents", reviewOf("v1", "g/v2") + "{}", "the request body cannot be read as JSON: data after the end of the document at byte 202"},
		{"an array", `[]`, "the request body is an array, not a ConversionReview"},
		{"a number", `1`, "the request body is a number, not a ConversionReview"},
		{"no kind", `{"apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"1"}}`, "the request body is not a ConversionReview: kind is missing"},
		{"another kind", `{"kind":"AdmissionReview"}`, "the request body is not a ConversionReview: kind is AdmissionReview"},
		{"kind in lower case", `{"kind":"conversionreview"}`, "the request body is not a ConversionReview: kind is conversionreview"},
		{"Kind in upper case", `{"Kind":"ConversionReview"}`, "the request body is not a ConversionReview: kind is missing"},
		{"kind is a number", `{"kind":1}`, "the request body is not a ConversionReview: kind is a number, not a string"},
		{"kind is long", `{"kind":"` + strings.Repeat("k", 300) + `"}`, "the request body is not a ConversionReview: kind is \"" + strings.Repeat("k", 253) + `"…`},
		{"no apiVersion", `{"kind":"ConversionReview"}`, "unknown version of ConversionReview: apiVersion is missing" + versions},
		{"unknown version", `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v2"}`, "unknown version of ConversionReview: apiVersion is apiextensions.k8s.io/v2" + versions},
		{"another group", `{"kind":"ConversionReview","apiVersion":"v1"}`, "unknown version of ConversionReview: apiVersion is v1" + versions},
		{"apiVersion null", `{"kind":"ConversionReview","apiVersion":null}`, "unknown version of ConversionReview: apiVersion is null, not a string" + versions},
		{"apiVersion of strange characters", `{"kind":"ConversionReview","apiVersion":"v1\n\"x\" "}`, `unknown version of ConversionReview: apiVersion is "v1\n\"x\" "` + versions},
		{"no request", `{` + ok + `}`, "the ConversionReview has no request"},
		{"request null", `{` + ok + `,"request":null}`, "the ConversionReview has no request: request is null, not an object"},
		{"no uid", `{` + ok + `,"request":{}}`, "the ConversionReview cannot be answered: request.uid is missing"},
		{"empty uid", `{` + ok + `,"request":{"uid":""}}`, "the ConversionReview cannot be answered: request.uid is empty"},
		{"uid a number", `{` + ok + `,"request":{"uid":1}}`, "the ConversionReview cannot be answered: request.uid is a number, not a string"},
		{"uid too long", `{` + ok + `,"request":{"uid":"` + strings.Repeat("u", 1023) + `"}}`, "the ConversionReview cannot be answered: request.uid has more than 1024 bytes"},
		{"uid elsewhere", `{"uid":"1",` + ok + `,"request":{"UID":"1","response":{"uid":"1"}}}`, "the ConversionReview cannot be answered: request.uid is missing"},
		{"invalid and no version", `{"kind":"ConversionReview","apiVersion":"v3","request":{"uid":"1","objects":[1e999]}}`, "unknown version of ConversionReview: apiVersion is v3" + versions},
		{"invalid and too large to look again", `{` + ok + `,"request":{"uid":"1","objects":[{"a":1,"a":1},"` + strings.Repeat(" ", salvageBytes) + `"]}}`,
			`the request body cannot be read as JSON: duplicate key "a" at byte 105`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answer, outcome, err := converter().Review(context.Background(), []byte(test.body))
			if err == nil {
				t.Fatalf("answered with %s", answer)
			}
			if err.Error() != test.want {
				t.Errorf("got  %s\nwant %s", err.Error(), test.want)
			}
			if answer != nil {
				t.Errorf("an answer beside the error: %s", answer)
			}
			if want := (Outcome{Failure: FailureInvalid, Message: test.want}); outcome != want {
				t.Errorf("outcome %+v, want %+v", outcome, want)
			}
		})
	}
}

// TestReviewInvalid has requests that say who they are and so get an answer, but that cannot be
// carried out.
func TestReviewInvalid(t *testing.T) {
	one := func(object string) string { return reviewOf("v1", "stable.example.com/v2", object) }
	fine := `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"}}`
	deep := `{"apiVersion":"stable.example.com/v1","kind":"CronTab","a":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`
	tests := []struct{ name, body, want string }{
		{"no desiredAPIVersion", strings.Replace(one(fine), "desiredAPIVersion", "desiredVersion", 1), "request.desiredAPIVersion is missing"},
		{"desiredAPIVersion empty", reviewOf("v1", "", fine), "request.desiredAPIVersion is empty"},
		{"desiredAPIVersion a list", strings.Replace(one(fine), `"stable.example.com/v2"`, `[]`, 1), "request.desiredAPIVersion is an array, not a string"},
		{"desiredAPIVersion without a group", reviewOf("v1", "v2", fine), `request.desiredAPIVersion "v2" is not <group>/<version>`},
		{"desiredAPIVersion with an empty group", reviewOf("v1", "/v2", fine), `request.desiredAPIVersion "/v2" is not <group>/<version>`},
		{"desiredAPIVersion with an empty version", reviewOf("v1", "g/", fine), `request.desiredAPIVersion "g/" is not <group>/<version>`},
		{"desiredAPIVersion in three parts", reviewOf("v1", "a/b/c", fine), `request.desiredAPIVersion "a/b/c" is not <group>/<version>`},
		{"no objects", strings.Replace(one(fine), `"objects"`, `"Objects"`, 1), "request.objects is missing"},
		{"objects null", strings.Replace(one(""), `"objects":[]`, `"objects":null`, 1), "request.objects is null, not an array"},
		{"objects an object", strings.Replace(one(""), `"objects":[]`, `"objects":{}`, 1), "request.objects is an object, not an array"},
		{"an object null", one(fine + ",null"), "object 1 (no name): it is null, not an object"},
		{"an object a string", one(`"x"`), "object 0 (no name): it is a string, not an object"},
		{"an object a list", one(`[]`), "object 0 (no name): it is an array, not an object"},
		{"no apiVersion", one(`{"kind":"CronTab","metadata":{"name":"a","namespace":"b"}}`), "object 0 (b/a): apiVersion is missing"},
		{"apiVersion a number", one(`{"apiVersion":1,"kind":"CronTab"}`), "object 0 (no name): apiVersion is a number, not a string"},
		{"apiVersion empty", one(`{"apiVersion":"","kind":"CronTab"}`), "object 0 (no name): apiVersion is empty"},
		{"apiVersion without a group", one(`{"apiVersion":"v1","kind":"CronTab"}`), `object 0 (no name): apiVersion "v1" is not <group>/<version>`},
		{"no kind", one(`{"apiVersion":"stable.example.com/v1"}`), "object 0 (no name): kind is missing"},
		{"kind null", one(`{"apiVersion":"stable.example.com/v1","kind":null}`), "object 0 (no name): kind is null, not a string"},
		{"kind empty", one(`{"apiVersion":"stable.example.com/v1","kind":""}`), "object 0 (no name): kind is empty"},
		{"another group", one(fine + "," + strings.Replace(fine, "stable.", "other.", 1)),
			`object 1 (a): apiVersion "other.example.com/v1" is in another group than request.desiredAPIVersion "stable.example.com/v2"`},
		{"another group of the same length", one(fine + "," + strings.Replace(fine, "stable.", "static.", 1)),
			`object 1 (a): apiVersion "static.example.com/v1" is in another group than request.desiredAPIVersion "stable.example.com/v2"`},
		{"another kind", one(fine + "," + strings.Replace(fine, "CronTab", "CronJob", 1)),
			`object 1 (a): kind is "CronJob", but object 0 has kind "CronTab"; all objects of a request must have the same kind`},
		{"metadata null", one(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":null}`), "object 0 (no name): metadata is null, not an object"},
		{"metadata a string", one(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":"x"}`), "object 0 (no name): metadata is a string, not an object"},
		{"labels a list", one(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"labels":[],"name":"a"}}`), "object 0 (a): metadata.labels is an array, not an object"},
		{"annotations a number", one(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"annotations":1,"name":"a"}}`), "object 0 (a): metadata.annotations is a number, not an object"},
		{"a name of strange characters", one(`{"apiVersion":1,"kind":"CronTab","metadata":{"name":"a\u0007 b","namespace":"` + strings.Repeat("n", 300) + `"}}`),
			`object 0 ("` + strings.Repeat("n", 253) + `"…/"a\a b"): apiVersion is a number, not a string`},
		{"a name that is a number", one(`{"apiVersion":1,"kind":"CronTab","metadata":{"name":1}}`), "object 0 (no name): apiVersion is a number, not a string"},
		{"too deep", one(deep), "the request cannot be read: object 0: nested deeper than 1003 levels at byte 1202"},
		{"a key twice", one(fine + `,{"a":1,"a":1}`), `the request cannot be read: object 1: duplicate key "a" at byte 231`},
		{"a number out of range", one(`{"a":1e400}`), "the request cannot be read: object 0: number 1e400 is neither an int64 nor a finite float64 at byte 149"},
		{"a lone surrogate", one(`{"a":"\ud800"}`), `the request cannot be read: object 0: lone surrogate \ud800 at byte 150`},
		{"trouble after the objects", strings.Replace(one(fine), `"convertedObjects":null`, `"uid":null`, 1), `the request cannot be read: duplicate key "uid" at byte 247`},
		{"the uid behind the trouble", `{"apiVersion":"apiextensions.k8s.io/v1","request":{"objects":[{"a":1e400}],"uid":"u-1"},"kind":"ConversionReview"}`,
			"the request cannot be read: object 0: number 1e400 is neither an int64 nor a finite float64 at byte 67"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, version := range []string{"v1", "v1beta1"} {
				modules := &fixedModules{routes: NewRoutes(edges(answers("{}"), "v1→v2"))}
				a, outcome := runReview(t, newConverter(ConverterConfig{Modules: modules}), strings.Replace(test.body, "k8s.io/v1", "k8s.io/"+version, 1))
				want := test.want
				if i := strings.Index(want, " at byte "); version == "v1beta1" && i >= 0 { // the body is longer by "beta1"
					var at int
					fmt.Sscanf(want[i:], " at byte %d", &at)
					want = fmt.Sprintf("%s at byte %d", want[:i], at+5)
				}
				if a.Response.Result.Status != "Failed" || a.Response.Result.Message != want {
					t.Errorf("%s: %s %s\nwant %s", version, a.Response.Result.Status, a.Response.Result.Message, want)
				}
				if a.APIVersion != "apiextensions.k8s.io/"+version || a.Kind != "ConversionReview" || a.Response.UID != "u-1" || a.Response.ConvertedObjects == nil || len(a.Response.ConvertedObjects) != 0 {
					t.Errorf("%s: answered with %+v", version, a)
				}
				if outcome.Failure != FailureInvalid || outcome.Message != want || outcome.UID != "u-1" || outcome.ReviewVersion != version || outcome.Module != "" {
					t.Errorf("%s: outcome %+v", version, outcome)
				}
				if modules.pins != modules.releases {
					t.Errorf("%d pins, %d releases", modules.pins, modules.releases)
				}
			}
		})
	}
}

// TestReviewLimits checks the limits of a request on both sides.
func TestReviewLimits(t *testing.T) {
	const object = `{"apiVersion":"stable.example.com/v1","kind":"CronTab","a":[[1]]}`
	const answer = `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"u-1","convertedObjects":[` +
		`{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{}}],"result":{"status":"Success"}}}`
	tests := []struct {
		name   string
		count  int
		limits Limits
		want   string
	}{
		{"as many objects as may be", 3, Limits{Objects: 3}, ""},
		{"one more", 4, Limits{Objects: 3}, "the request has 4 objects; the limit for one request is 3"},
		{"as large as may be", 1, Limits{ObjectBytes: len(object)}, ""},
		{"a byte larger", 1, Limits{ObjectBytes: len(object) - 1}, "object 0 (no name): it has 65 bytes; this gateway converts objects of up to 64 (--max-object-bytes)"},
		{"as deep as may be", 1, Limits{Depth: 3}, ""},
		{"deeper", 1, Limits{Depth: 2}, "the request cannot be read: object 0: nested deeper than 5 levels at byte 204"},
		{"an answer as large as may be", 1, Limits{ReplyBytes: len(answer)}, ""},
		{"a larger one", 1, Limits{ReplyBytes: len(answer) - 1}, "the answer has 212 bytes; this gateway answers one request with 211 at most (--max-reply-bytes)"},
		{"defaults", 1, Limits{Objects: -1}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			objects := make([]string, test.count)
			for i := range objects {
				objects[i] = object
			}
			c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(edges(answers("{}"), "v1→v2"))}, Limits: test.limits})
			a, outcome := runReview(t, c, reviewOf("v1", "stable.example.com/v2", objects...))
			if a.Response.Result.Message != test.want {
				t.Errorf("message %q\nwant %q", a.Response.Result.Message, test.want)
			}
			if outcome.Objects != test.count {
				t.Errorf("Objects is %d, want %d", outcome.Objects, test.count)
			}
		})
	}
}

// TestReviewObjectsBounded checks that objects beyond the limit take no memory.
func TestReviewObjectsBounded(t *testing.T) {
	var r review
	var s rawjson.Scanner
	const o = `{"apiVersion":"g/v1","kind":"K"}`
	body := []byte(reviewOf("v1", "g/v2", o, o, o, o))
	if err := r.read(&s, body, Limits{Objects: 2, Depth: 10}, &projectionIndex{}); err != nil || r.count != 4 || len(r.objects) != 2 {
		t.Errorf("%d objects kept of %d, error %v", len(r.objects), r.count, err)
	}
}

// TestReviewHopeless: behind an object that fails the review there may be as many as there like,
// and none takes room.
func TestReviewHopeless(t *testing.T) {
	const fine = `{"apiVersion":"stable.example.com/v1","kind":"CronTab"}`
	for _, tc := range []struct{ first, rest, want string }{
		{"{}", "{}", "object 0 (no name): apiVersion is missing"},
		{fine, "1", "object 1 (no name): it is a number, not an object"},
		{fine, `{"apiVersion":"stable.example.com/v1","metadata":{"name":"x"}}`, "object 1 (x): kind is missing"},
	} {
		body := reviewOf("v1", "stable.example.com/v2", tc.first+strings.Repeat(","+tc.rest, 50_000))
		var r review
		var s rawjson.Scanner
		if err := r.read(&s, []byte(body), Limits{}.withDefaults(), &projectionIndex{}); err != nil {
			t.Fatal(err)
		}
		if r.count != 50_001 || len(r.objects) > 2 || cap(r.objects) > 50_000 {
			t.Errorf("%s: %d of %d objects are kept, in room for %d", tc.want, len(r.objects), r.count, cap(r.objects))
		}
		c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(edges(answers("{}"), "v1→v2"))}})
		if a, outcome := runReview(t, c, body); a.Response.Result.Message != tc.want || outcome.Objects != 50_001 {
			t.Errorf("message %q of %d objects\nwant %q", a.Response.Result.Message, outcome.Objects, tc.want)
		}
	}
}

// TestReviewMembers: an object that has more members than it may have bytes for is not read to its
// end, for its keys would take many times its bytes to be compared.
func TestReviewMembers(t *testing.T) {
	object := func(members int) string {
		o := `{"apiVersion":"stable.example.com/v1","kind":"CronTab"`
		for i := range members {
			o += fmt.Sprintf(`,"%x":0`, i)
		}
		return o + "}"
	}
	const tooMany = "the request cannot be read: object 0: more than 264 members of objects within each other at byte "
	c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(edges(answers("{}"), "v1→v2"))}, Limits: Limits{ObjectBytes: 1000}})
	for members, want := range map[int]string{100: "", 200: "object 0 (no name): it has ", 300: tooMany} {
		if a, _ := runReview(t, c, reviewOf("v1", "stable.example.com/v2", object(members))); !strings.HasPrefix(a.Response.Result.Message, want) || (want == "") != (a.Response.Result.Status == "Success") {
			t.Errorf("%d members: %q, want %q", members, a.Response.Result.Message, want)
		}
	}
}

// TestReviewOrder checks that the order of members, white space, escapes and unknown members change
// nothing.
func TestReviewOrder(t *testing.T) {
	want := `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1beta1","response":{"uid":"u-1","convertedObjects":[` +
		`{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"a"},"x":1}],"result":{"status":"Success"}}}`
	for name, body := range map[string]string{
		"as API servers write it": reviewOf("v1beta1", "stable.example.com/v2", `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"}}`),
		"the other way round": `{"request":{"objects":[{"metadata":{"name":"a"},"kind":"CronTab","apiVersion":"stable.example.com/v1"}],` +
			`"desiredAPIVersion":"stable.example.com/v2","uid":"u-1"},"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"ConversionReview"}`,
		"with white space, escapes and more members": ` { "x" : { "uid" : "no" } , "\u006bind" : "Conversion\u0052eview" , "apiVersion" : "apiextensions.k8s.io\/v1beta1" , "Request" : 1 ,` +
			` "request" : { "Uid" : 2 , "uid" : "u\u002d1" , "extra" : [ ] , "desiredAPIVersion" : "stable.example.com/v2" , "objects" : [ ` +
			`{"\u0061piVersion":"stable\u002eexample.com/v1","kind":"Cron\u0054ab","metadata":{"name":"a"}}` + ` ] } , "response" : { "uid" : "" } } ` + "\r\n\t",
	} {
		t.Run(name, func(t *testing.T) {
			answer, outcome, err := converter(edges(answers(`{"x":1}`), "v1→v2")...).Review(context.Background(), []byte(body))
			if err != nil {
				t.Fatal(err)
			}
			got := strings.ReplaceAll(string(answer), `"Cron\u0054ab"`, `"CronTab"`)
			if got != want {
				t.Errorf("answer\n%s\nwant\n%s", got, want)
			}
			if outcome.UID != "u-1" || outcome.From != "v1" || outcome.To != "v2" || outcome.Failure != "" {
				t.Errorf("outcome %+v", outcome)
			}
		})
	}
}

// TestReviewUID checks that any uid comes back as it was.
func TestReviewUID(t *testing.T) {
	for _, uid := range []string{`"a \"quoted\" uid"`, `"\u000a\\\/"`, `"ü\ud83d\ude00"`, `"` + strings.Repeat("u", 1022) + `"`} {
		for _, object := range []string{cron, `{}`} {
			body := strings.Replace(reviewOf("v1", "stable.example.com/v2", object), `"u-1"`, uid, 1)
			a, outcome := runReview(t, converter(edges(answers("{}"), "v1→v2")...), body)
			var want string
			if err := json.Unmarshal([]byte(uid), &want); err != nil {
				t.Fatal(err)
			}
			if a.Response.UID != want || outcome.UID != want {
				t.Errorf("uid %q, outcome %q, want %q", a.Response.UID, outcome.UID, want)
			}
		}
	}
}

// TestReviewAgain checks that a review leaves nothing behind for the next ones.
func TestReviewAgain(t *testing.T) {
	list := edges(answers(`{"metadata":{"labels":{"a":"b"}},"x":1}`), "v1→v2", "v2→v1")
	at := func(version string) string {
		return strings.Replace(cron, "stable.example.com/v1", "stable.example.com/"+version, 1)
	}
	bodies := []string{
		reviewOf("v1", "stable.example.com/v2", at("v2"), `{"apiVersion":"stable.example.com/v1","kind":"CronTab"}`, at("v1")),
		reviewOf("v1", "stable.example.com/v2", at("v1"), at("v1"), at("v1"), at("v1")),
		reviewOf("v1", "stable.example.com/v1", at("v2")),
		reviewOf("v1beta1", "stable.example.com/v1", at("v2"), `{}`),
		reviewOf("v1", "stable.example.com/v2"),
		`{"request":{"uid":"x","objects":[{"a":1,"a":1}]}`,
		`[]`,
	}
	c := converter(list...)
	for round := range 100 {
		body := bodies[(round*round/3+round)%len(bodies)]
		got, gotOutcome, gotErr := c.Review(context.Background(), []byte(body))
		want, wantOutcome, wantErr := converter(list...).Review(context.Background(), []byte(body))
		if string(got) != string(want) || gotOutcome != wantOutcome || fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
			t.Fatalf("round %d, %s\nanswer %s\nwant   %s\n%+v %v\n%+v %v", round, body, got, want, gotOutcome, gotErr, wantOutcome, wantErr)
		}
	}
}

// TestReviewBodyFree checks that an answer shares no memory with the request's body.
func TestReviewBodyFree(t *testing.T) {
	inner := &funcModule{One: func(_, _ string, object []byte) ([]byte, string) {
		return object[bytes.Index(object, []byte(`{"cronSpec"`)) : len(object)-1], ""
	}}
	body := []byte(reviewOf("v1", "stable.example.com/v2", strings.Replace(cron, "/v1", "/v2", 1), strings.Replace(cron, `"managedFields":[{"manager":"kubectl"}],`, "", 1)))
	c := converter(edges(inner, "v1→v2")...)
	answer, outcome, err := c.Review(context.Background(), body)
	if err != nil || outcome.Failure != "" {
		t.Fatal(err, outcome.Message)
	}
	before := string(answer)
	clear(body)
	if string(answer) != before || outcome.UID != "u-1" {
		t.Error("the answer changed with the body")
	}
}
