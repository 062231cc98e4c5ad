package host

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// Parts of the metadata of cron.
const (
	cronName = `"name":"my-cron","namespace":"default"`
	cronTail = `"uid":"8f9d2a34-0000-4000-8000-000000000001"`
	cronHead = `"creationTimestamp":"2026-01-02T03:04:05Z","finalizers":["stable.example.com/hold"],"generation":7,`
)

// breach is the message for an answer to cron that breaks the contract.
func breach(broken string) string {
	return "cannot convert object 0 (default/my-cron) of CronTab.stable.example.com from v1 to v2: " +
		"module CronTab.stable.example.com_v1_v2.wasm (sha256:0123456789ab) broke the conversion contract: its answer " + broken
}

// reviewAnswer is the part of an answer that the tests look at.
type reviewAnswer struct {
	Kind       string
	APIVersion string
	Response   struct {
		UID              string
		ConvertedObjects []json.RawMessage
		Result           struct{ Status, Message, Reason string }
	}
}

// runReview runs a review and reads the answer.
func runReview(t *testing.T, c *Converter, body string) (reviewAnswer, Outcome) {
	t.Helper()
	answer, outcome, rerr := c.Review(context.Background(), []byte(body))
	if rerr != nil {
		t.Fatal(rerr.Error())
	}
	var a reviewAnswer
	if err := json.Unmarshal(answer, &a); err != nil {
		t.Fatalf("%v in the answer %s", err, answer)
	}
	return a, outcome
}

// convertOne converts one object from v1 to v2 with a module that gives the answer. It returns the
// converted object, or the message of the failed review.
func convertOne(t *testing.T, object, answer string, limits Limits) (converted, message string, outcome Outcome) {
	t.Helper()
	c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(edges(answers(answer), "v1→v2"))}, Limits: limits})
	a, outcome := runReview(t, c, reviewOf("v1", "stable.example.com/v2", object))
	if a.Response.UID != "u-1" {
		t.Errorf("the answer has uid %q", a.Response.UID)
	}
	switch a.Response.Result.Status {
	case "Success":
		if len(a.Response.ConvertedObjects) != 1 {
			t.Fatalf("%d objects for one", len(a.Response.ConvertedObjects))
		}
		return string(a.Response.ConvertedObjects[0]), "", outcome
	case "Failed":
		if len(a.Response.ConvertedObjects) != 0 {
			t.Errorf("a failed review has %d objects", len(a.Response.ConvertedObjects))
		}
		return "", a.Response.Result.Message, outcome
	}
	t.Fatalf("status %q", a.Response.Result.Status)
	return "", "", outcome
}

// TestContractBroken has a case for every way in which an answer can break the contract, each of
// which fails if its check is missing.
func TestContractBroken(t *testing.T) {
	long := strings.Repeat("x", 300)
	tests := []struct{ name, answer, broken string }{
		{"nothing", ``, `is empty`},
		{"white space", ` `, `is not strictly valid JSON: unexpected end of JSON at byte 1`},
		{"no JSON", `{"spec":{]}`, `is not strictly valid JSON: expected a key in quotes or '}' at byte 9`},
		{"cut short", `{"spec":{}`, `is not strictly valid JSON: unexpected end of JSON at byte 10`},
		{"two documents", `{} {}`, `is not strictly valid JSON: data after the end of the document at byte 3`},
		{"byte order mark", "\ufeff{}", `is not strictly valid JSON: byte order mark (JSON has none) at byte 0`},
		{"an array", ` [{}]`, `is an array, not an object`},
		{"null", `null`, `is null, not an object`},
		{"a string", `"{}"`, `is a string, not an object`},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", `is not strictly valid JSON: invalid UTF-8 in a string at byte 6`},
		{"lone surrogate", `{"a":"\ud800"}`, `is not strictly valid JSON: lone surrogate \ud800 at byte 6`},
		{"control character", "{\"a\":\"\n\"}", `is not strictly valid JSON: control character 0x0a in a string (write it as \u000a) at byte 6`},
		{"key twice at the top", `{"spec":1,"spec":2}`, `is not strictly valid JSON: duplicate key "spec" at byte 10`},
		{"metadata twice by an escape", `{"metadata":{},"m\u0065tadata":{}}`, `is not strictly valid JSON: duplicate key "metadata" at byte 15`},
		{"key twice in metadata", `{"metadata":{"name":"my-cron","name":"my-cron"}}`, `is not strictly valid JSON: duplicate key "name" at byte 30`},
		{"label twice", `{"metadata":{"labels":{"a":"b","a":"c"}}}`, `is not strictly valid JSON: duplicate key "a" at byte 31`},
		{"annotation twice", `{"metadata":{"annotations":{"a":"b","a":"b"}}}`, `is not strictly valid JSON: duplicate key "a" at byte 36`},
		{"key twice deep down", `{"spec":[{"a":1,"a":1}]}`, `is not strictly valid JSON: duplicate key "a" at byte 16`},
		{"number out of range", `{"spec":1e400}`, `is not strictly valid JSON: number 1e400 is neither an int64 nor a finite float64 at byte 8`},
		{"integer out of range", `{"spec":18446744073709551615}`, `is not strictly valid JSON: number 18446744073709551615 has more digits than an int64 or a float64 keeps at byte 8`},
		{"not a number", `{"spec":NaN}`, `is not strictly valid JSON: expected a value, found 'N' at byte 8`},
		{"leading zero", `{"spec":01}`, `is not strictly valid JSON: number with a leading zero at byte 8`},
		{"too deep", `{"a":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`, `is not strictly valid JSON: nested deeper than 1000 levels at byte 1004`},

		{"the old apiVersion", `{"apiVersion":"stable.example.com/v1"}`, `has apiVersion "stable.example.com/v1"; it must be "stable.example.com/v2" or be left out`},
		{"another group", `{"apiVersion":"example.com/v2"}`, `has apiVersion "example.com/v2"; it must be "stable.example.com/v2" or be left out`},
		{"apiVersion in other case", `{"apiVersion":"Stable.example.com/v2"}`, `has apiVersion "Stable.example.com/v2"; it must be "stable.example.com/v2" or be left out`},
		{"empty apiVersion", `{"apiVersion":""}`, `has apiVersion ""; it must be "stable.example.com/v2" or be left out`},
		{"endless apiVersion", `{"apiVersion":"` + long + `"}`, `has apiVersion "` + long[:253] + `"…; it must be "stable.example.com/v2" or be left out`},
		{"apiVersion null", `{"apiVersion":null}`, `has apiVersion that is null, not a string`},
		{"another kind", `{"kind":"CronJob"}`, `has kind "CronJob"; a conversion may not change the kind`},
		{"kind in other case", `{"kind":"crontab"}`, `has kind "crontab"; a conversion may not change the kind`},
		{"kind is a number", `{"kind":1}`, `has kind that is a number, not a string`},
		{"Metadata", `{"Metadata":{}}`, `has a top-level field "Metadata", which differs from metadata only by case`},
		{"apiversion", `{"apiversion":{}}`, `has a top-level field "apiversion", which differs from apiVersion only by case`},
		{"apiVersion with a long s", `{"apiVer\u017fion":{}}`, `has a top-level field "apiVerſion", which differs from apiVersion only by case`},
		{"kind with the sign for Kelvin", "{\"\u212aind\":{}}", "has a top-level field \"\u212aind\", which differs from kind only by case"},

		{"metadata null", `{"metadata":null}`, `has metadata that is null, not an object`},
		{"metadata an array", `{"metadata":[]}`, `has metadata that is an array, not an object`},
		{"another name", `{"metadata":{"name":"your-cron"}}`, `changes metadata.name; name, namespace and uid must stay as they are or be left out`},
		{"empty name", `{"metadata":{"name":""}}`, `changes metadata.name; name, namespace and uid must stay as they are or be left out`},
		{"name null", `{"metadata":{"name":null}}`, `changes metadata.name; name, namespace and uid must stay as they are or be left out`},
		{"name a number", `{"metadata":{"name":1}}`, `changes metadata.name; name, namespace and uid must stay as they are or be left out`},
		{"another namespace", `{"metadata":{"namespace":"Default"}}`, `changes metadata.namespace; name, namespace and uid must stay as they are or be left out`},
		{"another uid", `{"metadata":{"uid":"8f9d2a34-0000-4000-8000-000000000002"}}`, `changes metadata.uid; name, namespace and uid must stay as they are or be left out`},

		{"labels a list", `{"metadata":{"labels":["a"]}}`, `has metadata.labels that is an array, not an object`},
		{"annotations a string", `{"metadata":{"annotations":"a"}}`, `has metadata.annotations that is a string, not an object`},
		{"label a number", `{"metadata":{"labels":{"a":"b","tier":1}}}`, `has metadata.labels["tier"] that is a number, not a string`},
		{"label null", `{"metadata":{"labels":{"app":null}}}`, `has metadata.labels["app"] that is null, not a string`},
		{"annotation a boolean", `{"metadata":{"annotations":{"on":true}}}`, `has metadata.annotations["on"] that is a boolean, not a string`},
		{"annotation with an escaped key", `{"metadata":{"annotations":{"\u0061\n":{}}}}`, `has metadata.annotations["a\n"] that is an object, not a string`},
		{"bad label key", `{"metadata":{"labels":{"app":"cron","a b":"c"}}}`, `has an invalid metadata.labels["a b"]: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`},
		{"the first of two bad label keys", `{"metadata":{"labels":{"z/":"","a/":""}}}`, `has an invalid metadata.labels["a/"]: name part must be non-empty`},
		{"bad label value", `{"metadata":{"labels":{"app":"cron tab"}}}`, `has an invalid metadata.labels["app"]: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`},
		{"long label value", `{"metadata":{"labels":{"app":"` + strings.Repeat("x", 64) + `"}}}`, `has an invalid metadata.labels["app"]: must be no more than 63 bytes`},
		{"bad annotation key", `{"metadata":{"annotations":{"a/b/c":""}}}`, `has an invalid metadata.annotations["a/b/c"]: a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`},
		{"an annotation too large", `{"metadata":{"annotations":{"a":"` + strings.Repeat("x", 256<<10) + `"}}}`, `has an invalid metadata.annotations["a"]: may not be more than 262144 bytes`},
		{"annotations too large together", `{"metadata":{"annotations":{"a":"` + strings.Repeat("x", 128<<10) + `","b":"` + strings.Repeat("x", 128<<10) + `"}}}`, `has metadata.annotations of more than 262144 bytes in all`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			converted, message, outcome := convertOne(t, cron, test.answer, Limits{})
			if converted != "" {
				t.Fatalf("accepted:\n%s", converted)
			}
			if want := breach(test.broken); message != want {
				t.Errorf("message\n%s\nwant\n%s", message, want)
			}
			want := Outcome{
				UID: "u-1", ReviewVersion: "v1", Group: "stable.example.com", Kind: "CronTab", From: "v1", To: "v2", Objects: 1,
				Failure: FailureContract, Message: message, Module: "CronTab.stable.example.com_v1_v2.wasm",
			}
			if outcome != want {
				t.Errorf("outcome\n%+v\nwant\n%+v", outcome, want)
			}
		})
	}
}

// TestContractSize checks the bounds of an answer's size on both sides.
func TestContractSize(t *testing.T) {
	object := `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":{}}`
	answer := func(size int) string {
		const frame = len(`{"a":""}`)
		return `{"a":"` + strings.Repeat("x", size-frame) + `"}`
	}
	grown := 4*len(object) + 1<<20
	tests := []struct {
		name   string
		size   int
		limits Limits
		want   string
	}{
		{"four times the input and a megabyte", grown, Limits{}, ""},
		{"a byte more", grown + 1, Limits{}, "has 1048837 bytes; for this object, which has 65, at most 1048836 are allowed"},
		{"the limit for any object", 1000, Limits{ObjectBytes: 1000}, ""},
		{"a byte more than that", 1001, Limits{ObjectBytes: 1000}, "has 1001 bytes; for this object, which has 65, at most 1000 are allowed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, message, _ := convertOne(t, object, answer(test.size), test.limits)
			want := test.want
			if want != "" {
				want = strings.Replace(breach(want), "default/my-cron", "no name", 1)
			}
			if message != want {
				t.Errorf("message %q, want %q", message, want)
			}
		})
	}
}

// TestContractDepth: an answer with one level of nesting less than TestContractBroken rejects is
// accepted.
func TestContractDepth(t *testing.T) {
	answer := `{"a":` + strings.Repeat("[", 999) + strings.Repeat("]", 999) + `}`
	if _, message, _ := convertOne(t, cron, answer, Limits{}); message != "" {
		t.Error(message)
	}
}

// TestContractKept shows the results of answers that keep the contract.
func TestContractKept(t *testing.T) {
	const (
		metaWhole = `{"annotations":{"note":"hand-made"},` + cronHead + `"labels":{"app":"cron"},"managedFields":[{"manager":"kubectl"}],` + cronName + `,"resourceVersion":"4711",` + cronTail + `}`
		metaBare  = `{` + cronHead + `"managedFields":[{"manager":"kubectl"}],` + cronName + `,"resourceVersion":"4711",` + cronTail + `}`
		head      = `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":`
	)
	fragment := `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":{}}`
	generated := `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"generateName":"cron-"},"spec":{}}`
	old := strings.Replace(cron, `{"app":"cron"}`, `{"not valid":"any more!"}`, 1)
	tests := []struct {
		name, object, answer, want string
		restored                   int
	}{
		{"nothing", cron, `{}`, head + metaWhole + `}`, 0},
		{"only white space", cron, " { \n} ", head + metaWhole + " \n}", 0},
		{"all left out but the content", cron, `{"spec":{"x":9007199254740993,"y":1.50,"z":-0}}`, head + metaWhole + `,"spec":{"x":9007199254740993,"y":1.50,"z":-0}}`, 0},
		{"members where the guest put them", cron, `{"spec":{}, "metadata" : {"labels":{"app":"cron"},"annotations":{"note":"hand-made"}} ,"kind":"CronTab","apiVersion":"stable.example.com/v2"}`,
			`{"spec":{}, "metadata" : ` + metaWhole + ` ,"kind":"CronTab","apiVersion":"stable.example.com/v2"}`, 0},
		{"apiVersion and kind in escapes", cron, `{"apiVersion":"stable.example.com\/v2","kind":"Cron\u0054ab","m\u0065tadata":{"name":"my-\u0063ron"}}`,
			`{"apiVersion":"stable.example.com\/v2","kind":"Cron\u0054ab","m\u0065tadata":` + metaBare + `}`, 0},
		{"labels and annotations left out", cron, `{"metadata":{}}`, head + metaBare + `}`, 0},
		{"labels and annotations null", cron, `{"metadata":{"labels":null,"annotations":null}}`, head + metaBare + `}`, 0},
		{"labels and annotations empty", cron, `{"metadata":{"labels":{},"annotations":{}}}`,
			head + strings.NewReplacer(`{"note":"hand-made"}`, `{}`, `{"app":"cron"}`, `{}`).Replace(metaWhole) + `}`, 0},
		{"other labels", cron, `{"metadata":{"annotations":{"note":"hand-made"},"labels":{"app":"cron","tier":"back"}}}`,
			head + strings.Replace(metaWhole, `{"app":"cron"}`, `{"app":"cron","tier":"back"}`, 1) + `}`, 0},
		{"all of the view's metadata", cron, `{"metadata":{"annotations":{"note":"hand-made"},` + cronHead + `"labels":{"app":"cron"},` + cronName + `,` + cronTail + `}}`,
			head + metaWhole + `}`, 0},
		{"the same in another order and in escapes", cron, `{"metadata":{"f\u0069nalizers":["stable.example.com\/hold"],"generation":7,"creationTimestamp":"2026-01-02T03:04:05Z","labels":{"app":"cron"},"annotations":{"note":"hand-made"}}}`,
			head + metaWhole + `}`, 0},
		{"zero values of a typed guest", cron, `{"metadata":{"labels":{"app":"cron"},"annotations":{"note":"hand-made"},"deletionTimestamp":null,"ownerReferences":[ ],"selfLink":"","managedFields":[],"deletionGracePeriodSeconds":0}}`,
			head + metaWhole + `}`, 0},
		{"finalizers removed", cron, `{"metadata":{"finalizers":[]}}`, head + metaBare + `}`, 1},
		{"generation changed", cron, `{"metadata":{"generation":8}}`, head + metaBare + `}`, 1},
		{"owner added", cron, `{"metadata":{"ownerReferences":[{"uid":"1"}]}}`, head + metaBare + `}`, 1},
		{"resourceVersion made up", cron, `{"metadata":{"resourceVersion":"1"}}`, head + metaBare + `}`, 1},
		{"an unknown field", cron, `{"metadata":{"labels":{},"garbage":{"a":1}}}`,
			head + strings.Replace(strings.Replace(metaWhole, `"annotations":{"note":"hand-made"},`, ``, 1), `{"app":"cron"}`, `{}`, 1) + `}`, 1},
		{"case variants below the top level", cron, `{"metadata":{"Name":"x"},"spec":{"Metadata":1,"metadata":2}}`, head + metaBare + `,"spec":{"Metadata":1,"metadata":2}}`, 1},
		{"old labels that are not valid", old, `{"metadata":{"labels":{"not valid":"any more!"}}}`,
			head + strings.Replace(strings.Replace(metaWhole, `"annotations":{"note":"hand-made"},`, ``, 1), `{"app":"cron"}`, `{"not valid":"any more!"}`, 1) + `}`, 0},
		{"old labels that are not valid, spelled differently", old, `{"metadata":{"labels":{ "not\u0020valid":"any more!"}}}`,
			head + strings.Replace(strings.Replace(metaWhole, `"annotations":{"note":"hand-made"},`, ``, 1), `{"app":"cron"}`, `{ "not\u0020valid":"any more!"}`, 1) + `}`, 0},
		{"annotation keys in capitals", cron, `{"metadata":{"annotations":{"Example.com/Note":""}}}`,
			head + strings.Replace(strings.Replace(metaWhole, `{"note":"hand-made"}`, `{"Example.com/Note":""}`, 1), `"labels":{"app":"cron"},`, ``, 1) + `}`, 0},

		{"a fragment, metadata left out", fragment, `{"spec":{}}`, head + `{},"spec":{}}`, 0},
		{"a fragment, metadata empty", fragment, `{"metadata":{},"spec":{}}`, `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{},"spec":{}}`, 0},
		{"a fragment gets labels", fragment, `{"metadata":{"labels":{"a":"b"},"annotations":{}}}`, head + `{"labels":{"a":"b"},"annotations":{}}}`, 0},
		{"a fragment gets annotations", fragment, `{"metadata":{"annotations":{"a":"b"}}}`, head + `{"annotations":{"a":"b"}}}`, 0},
		{"a fragment, identity blank", fragment, `{"metadata":{"name":"","namespace":null,"uid":""}}`, head + `{}}`, 0},
		{"a fragment, invented metadata", fragment, `{"metadata":{"finalizers":["a"]}}`, head + `{}}`, 1},
		{"generateName", generated, `{"metadata":{"generateName":"cron-","name":null}}`, head + `{"generateName":"cron-"}}`, 0},
		{"generateName changed", generated, `{"metadata":{"generateName":"norc-","labels":{"a":"b"}}}`, head + `{"generateName":"cron-","labels":{"a":"b"}}}`, 1},
		{"labels null in the request", `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"labels":null,"name":"a"}}`, `{"metadata":{"labels":{"a":"b"}}}`,
			head + `{"labels":{"a":"b"},"name":"a"}}`, 0},
		{"metadata empty in the request", `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{ }}`, `{"metadata":{"labels":{"a":"b"}}}`,
			head + `{"labels":{"a":"b"}}}`, 0},
		{"white space in the request", `{ "apiVersion" : "stable.example.com/v1" , "kind" : "CronTab" , "metadata" : { "labels" : { } , "name" : "a" , "uid" : "u" } }`, `{"metadata":{"annotations":{}}}`,
			head + `{"name" : "a" , "uid" : "u","annotations":{}}}`, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			converted, message, outcome := convertOne(t, test.object, test.answer, Limits{})
			if message != "" {
				t.Fatal(message)
			}
			if converted != test.want {
				t.Errorf("converted\n%s\nwant\n%s", converted, test.want)
			}
			if outcome.Restored != test.restored {
				t.Errorf("Restored is %d, want %d", outcome.Restored, test.restored)
			}
		})
	}
}

// TestContractFragment checks that an object without metadata gets none invented.
func TestContractFragment(t *testing.T) {
	fragment := `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":{}}`
	for _, field := range []string{"name", "namespace", "uid"} {
		_, message, _ := convertOne(t, fragment, `{"metadata":{"`+field+`":"invented"}}`, Limits{})
		want := "cannot convert object 0 (no name) of CronTab.stable.example.com from v1 to v2: module CronTab.stable.example.com_v1_v2.wasm (sha256:0123456789ab) " +
			"broke the conversion contract: its answer changes metadata." + field + "; name, namespace and uid must stay as they are or be left out"
		if message != want {
			t.Errorf("message\n%s\nwant\n%s", message, want)
		}
	}
}
