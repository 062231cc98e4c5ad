package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// signing returns a module that appends its name to spec.by of every object, and notes what it saw.
func signing(name string, saw *[]string) *funcModule {
	return &funcModule{name: name, one: func(from, to string, object []byte) ([]byte, string) {
		if saw != nil {
			*saw = append(*saw, from+" "+to+" "+string(object))
		}
		var o map[string]any
		if err := json.Unmarshal(object, &o); err != nil {
			return nil, err.Error()
		}
		if o["apiVersion"] != from {
			return nil, fmt.Sprintf("apiVersion is %v", o["apiVersion"])
		}
		o["apiVersion"] = to
		o["by"] = fmt.Sprint(o["by"], " ", name)
		out, err := json.Marshal(o)
		if err != nil {
			return nil, err.Error()
		}
		return out, ""
	}}
}

// TestMixedVersions has objects of several versions in one review, some of which need no module.
func TestMixedVersions(t *testing.T) {
	object := func(version, name string) string {
		return `{"apiVersion":"stable.example.com/` + version + `","by":"","kind":"CronTab","metadata":{"name":"` + name + `"}}`
	}
	var list []Edge
	list = append(list, edges(signing("one", nil), "v1→v2")...)
	list = append(list, edges(signing("two", nil), "v2→v3")...)
	list = append(list, edges(signing("beta", nil), "v1beta1→v1")...)
	converter := func() *Converter { return converter(list...) }
	a, outcome := runReview(t, converter(), reviewOf("v1", "stable.example.com/v3",
		object("v2", "a"), object("v1", "b"), `{"metadata":{"name" : "c"}, "apiVersion":"stable.example.com/v3","kind":"CronTab","Kind":1}`, object("v1beta1", "d"),
		`{"kind":"CronTab","apiVersion":"stable.example.com/v9"}`, object("v2", "e"), object("v1", "f")))
	want := []string{
		`{"apiVersion":"stable.example.com/v3","by":" two","kind":"CronTab","metadata":{"name":"a"}}`,
		`{"apiVersion":"stable.example.com/v3","by":" one two","kind":"CronTab","metadata":{"name":"b"}}`,
		`{"metadata":{"name" : "c"}, "apiVersion":"stable.example.com/v3","kind":"CronTab","Kind":1}`,
		`{"apiVersion":"stable.example.com/v3","by":" beta one two","kind":"CronTab","metadata":{"name":"d"}}`,
		`{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{}}`,
		`{"apiVersion":"stable.example.com/v3","by":" two","kind":"CronTab","metadata":{"name":"e"}}`,
		`{"apiVersion":"stable.example.com/v3","by":" one two","kind":"CronTab","metadata":{"name":"f"}}`,
	}
	if len(a.Response.ConvertedObjects) != len(want) {
		t.Fatalf("%d objects: %+v", len(a.Response.ConvertedObjects), a)
	}
	for i, got := range a.Response.ConvertedObjects {
		if string(got) != want[i] {
			t.Errorf("object %d\n%s\nwant\n%s", i, got, want[i])
		}
	}
	if want := (Outcome{UID: "u-1", ReviewVersion: "v1", Group: "stable.example.com", Kind: "CronTab", From: "mixed", To: "v3", Objects: 7}); outcome != want {
		t.Errorf("outcome %+v, want %+v", outcome, want)
	}

	// One object without a way fails them all.
	a, outcome = runReview(t, converter(), reviewOf("v1", "stable.example.com/v3", object("v2", "a"), object("v4", "b")))
	if outcome.Failure != FailureNoRoute || len(a.Response.ConvertedObjects) != 0 {
		t.Errorf("answered %+v, outcome %+v", a, outcome)
	}
}

// TestNoModuleNeeded has reviews for which no module is called.
func TestNoModuleNeeded(t *testing.T) {
	tests := []struct {
		name    string
		objects []string
		want    []string
	}{
		{"no objects", nil, nil},
		{"in the version wanted", []string{cron}, []string{cron}},
		{"in the version wanted, and strange", []string{`{"apiVersion":"stable.example.com/v1","kind":"Unknown","metadata":{"managedFields":1,"labels":{"a":1}}}`},
			[]string{`{"apiVersion":"stable.example.com/v1","kind":"Unknown","metadata":{"managedFields":1,"labels":{"a":1}}}`}},
		{"empty", []string{`{"kind":"Unknown","apiVersion":"stable.example.com/v2"}`}, []string{`{"apiVersion":"stable.example.com/v1","kind":"Unknown","metadata":{}}`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, outcome := runReview(t, converter(), reviewOf("v1beta1", "stable.example.com/v1", test.objects...))
			if a.Response.Result.Status != "Success" || a.Response.ConvertedObjects == nil || fmt.Sprintf("%s", a.Response.ConvertedObjects) != fmt.Sprintf("%s", test.want) {
				t.Errorf("answered %s\nwant %s\n%s", a.Response.ConvertedObjects, test.want, a.Response.Result.Message)
			}
			if want := (Outcome{UID: "u-1", ReviewVersion: "v1beta1", Objects: len(test.objects)}); outcome != want {
				t.Errorf("outcome %+v, want %+v", outcome, want)
			}
		})
	}
}

// TestChain checks what every module of a chain sees, and that the contract is checked after each.
func TestChain(t *testing.T) {
	const head = `"apiVersion":"stable.example.com/v1","kind":"CronTab"`
	tests := []struct {
		name, object    string
		first, second   string // what the modules answer
		saw             string // what the second sees
		want            string // converted object, or
		broken          string // message
		restored, calls int
	}{
		{
			name: "all left out", object: `{` + head + `,"metadata":{"name":"a","resourceVersion":"1","labels":{"a":"b"}}}`, first: `{"x":1}`, second: `{"y":2}`,
			saw:   `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"a","labels":{"a":"b"}},"x":1}`,
			want:  `{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{"name":"a","resourceVersion":"1","labels":{"a":"b"}},"y":2}`,
			calls: 2,
		},
		{
			name: "the first sets labels, the second leaves metadata out", object: `{` + head + `,"metadata":{"managedFields":[],"name":"a"}}`,
			first: `{"metadata":{"labels":{"c":"d"},"name":"a"},"x":1}`, second: `{"y":2}`,
			saw:   `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"a","labels":{"c":"d"}},"x":1}`,
			want:  `{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{"managedFields":[],"name":"a","labels":{"c":"d"}},"y":2}`,
			calls: 2,
		},
		{
			name: "the first removes annotations, the second adds others", object: `{` + head + `,"metadata":{"annotations":{"a":"b"},"name":"a"}}`,
			first: `{"metadata":{}}`, second: `{"metadata":{"annotations":{"c":"d"}}}`,
			saw:   `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"a"}}`,
			want:  `{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{"annotations":{"c":"d"},"name":"a"}}`,
			calls: 2,
		},
		{
			name: "a fragment stays one", object: `{` + head + `,"spec":1}`, first: `{"spec":2}`, second: `{"spec":3}`,
			saw:   `{"apiVersion":"stable.example.com/v2","kind":"CronTab","spec":2}`,
			want:  `{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{},"spec":3}`,
			calls: 2,
		},
		{
			name: "a fragment gets labels on the way", object: `{` + head + `,"spec":1}`, first: `{"metadata":{"labels":{"a":"b"}}}`, second: `{}`,
			saw:   `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"labels":{"a":"b"}}}`,
			want:  `{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{"labels":{"a":"b"}}}`,
			calls: 2,
		},
		{
			name: "both meddle with one object", object: `{` + head + `,"metadata":{"name":"a"}}`, first: `{"metadata":{"generation":1}}`, second: `{"metadata":{"finalizers":["f"]}}`,
			saw:   `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"a"}}`,
			want:  `{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{"name":"a"}}`,
			calls: 2, restored: 1,
		},
		{
			name: "only the first meddles", object: `{` + head + `,"metadata":{"name":"a"}}`, first: `{"metadata":{"generation":1}}`, second: `{}`,
			saw:   `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"a"}}`,
			want:  `{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{"name":"a"}}`,
			calls: 2, restored: 1,
		},
		{
			name: "the first breaks the contract", object: `{` + head + `,"metadata":{"name":"a"}}`, first: `{"kind":"B"}`,
			broken: `cannot convert object 0 (a) of CronTab.stable.example.com from v1 to v2 (step 1 of 2 from v1 to v3): module one.wasm (sha256:0123456789ab) broke the conversion contract: ` +
				`its answer has kind "B"; a conversion may not change the kind`,
			calls: 1,
		},
		{
			name: "the first answers for the last version", object: `{` + head + `,"metadata":{"name":"a"}}`, first: `{"apiVersion":"stable.example.com/v3"}`,
			broken: `cannot convert object 0 (a) of CronTab.stable.example.com from v1 to v2 (step 1 of 2 from v1 to v3): module one.wasm (sha256:0123456789ab) broke the conversion contract: ` +
				`its answer has apiVersion "stable.example.com/v3"; it must be "stable.example.com/v2" or be left out`,
			calls: 1,
		},
		{
			name: "the second breaks the contract", object: `{` + head + `,"metadata":{"name":"a"}}`, first: `{}`, second: `{"metadata":{"name":"b"}}`,
			saw: `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"a"}}`,
			broken: `cannot convert object 0 (a) of CronTab.stable.example.com from v2 to v3 (step 2 of 2 from v1 to v3): module two.wasm (sha256:0123456789ab) broke the conversion contract: ` +
				`its answer changes metadata.name; name, namespace and uid must stay as they are or be left out`,
			calls: 2,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var saw []string
			answer := func(name, answer string) *funcModule {
				return &funcModule{name: name, one: func(from, to string, object []byte) ([]byte, string) {
					saw = append(saw, strings.Join([]string{from, to, string(object)}, " "))
					return []byte(answer), ""
				}}
			}
			list := append(edges(answer("one.wasm", test.first), "v1→v2"), edges(answer("two.wasm", test.second), "v2→v3")...)
			a, outcome := runReview(t, converter(list...), reviewOf("v1", "stable.example.com/v3", test.object))
			if a.Response.Result.Message != test.broken {
				t.Errorf("message\n%s\nwant\n%s", a.Response.Result.Message, test.broken)
			}
			if test.broken == "" && fmt.Sprintf("%s", a.Response.ConvertedObjects) != "["+test.want+"]" {
				t.Errorf("converted %s\nwant      [%s]", a.Response.ConvertedObjects, test.want)
			}
			if len(saw) != test.calls || test.calls == 2 && saw[1] != "stable.example.com/v2 stable.example.com/v3 "+test.saw {
				t.Errorf("the modules saw\n%s\nwant for the second\n%s", strings.Join(saw, "\n"), test.saw)
			}
			if outcome.Restored != test.restored {
				t.Errorf("Restored is %d, want %d", outcome.Restored, test.restored)
			}
		})
	}
}

// TestChainAliasing has modules that answer with slices of what they were given. Labels that the first sets must survive the others.
func TestChainAliasing(t *testing.T) {
	peel := &funcModule{name: "peel.wasm", one: func(_, _ string, object []byte) ([]byte, string) {
		i := bytes.Index(object, []byte(`"in":`)) + len(`"in":`)
		return object[i : len(object)-1 : len(object)-1], ""
	}}
	object := `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"%[1]d","managedFields":[{}]},` +
		`"in":{"metadata":{"labels":{"a":"%[1]d"}},"in":{"in":{"in":{"metadata":{"labels":{"b":"%[1]d"}},"x":%[1]d}}}}}`
	want := func(version string, i int, label, rest string) string {
		return fmt.Sprintf(`{"apiVersion":"stable.example.com/%s","kind":"CronTab","metadata":{"name":"%d","managedFields":[{}],"labels":{"%s":"%d"}},%s}`, version, i, label, i, rest)
	}
	c := converter(edges(peel, "v1→v2", "v2→v3", "v3→v4", "v4→v5")...)
	for round := range 3 { // buffers are used again
		var objects []string
		for i := range 500 {
			objects = append(objects, fmt.Sprintf(object, i))
		}
		a, _ := runReview(t, c, reviewOf("v1", "stable.example.com/v4", objects...))
		b, _ := runReview(t, c, reviewOf("v1", "stable.example.com/v5", objects...))
		if len(a.Response.ConvertedObjects) != 500 || len(b.Response.ConvertedObjects) != 500 {
			t.Fatalf("round %d: %s %s", round, a.Response.Result.Message, b.Response.Result.Message)
		}
		for i := range 500 {
			x := fmt.Sprintf(`"x":%d`, i)
			if got, want := string(a.Response.ConvertedObjects[i]), want("v4", i, "a", fmt.Sprintf(`"in":{"metadata":{"labels":{"b":"%d"}},%s}`, i, x)); got != want {
				t.Fatalf("round %d\n%s\nwant\n%s", round, got, want)
			}
			if got, want := string(b.Response.ConvertedObjects[i]), want("v5", i, "b", x); got != want {
				t.Fatalf("round %d\n%s\nwant\n%s", round, got, want)
			}
		}
	}
}

// TestChainOfThree checks that labels outlive a module that leaves metadata out, on an object that came without any.
func TestChainOfThree(t *testing.T) {
	var saw string
	last := &funcModule{name: "last.wasm", one: func(_, _ string, object []byte) ([]byte, string) {
		saw = string(object)
		return []byte(`{}`), ""
	}}
	list := append(edges(answers(`{"metadata":{"labels":{"a":"b"}}}`), "v1→v2"), edges(answers(`{"x":1}`), "v2→v3")...)
	a, _ := runReview(t, converter(append(list, edges(last, "v3→v4")...)...), reviewOf("v1", "stable.example.com/v4", `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":1}`))
	if want := `{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{"labels":{"a":"b"}},"x":1}`; saw != want {
		t.Errorf("the last module saw %s, want %s", saw, want)
	}
	if got, want := fmt.Sprintf("%s", a.Response.ConvertedObjects), `[{"apiVersion":"stable.example.com/v4","kind":"CronTab","metadata":{"labels":{"a":"b"}}}]`; got != want {
		t.Errorf("converted %s, want %s", got, want)
	}
}

// TestPanic checks that a module that panics leaves the modules released and the Converter usable.
func TestPanic(t *testing.T) {
	m := &funcModule{name: "panic.wasm", one: func(_, _ string, _ []byte) ([]byte, string) { panic("boom") }}
	modules := &fixedModules{routes: NewRoutes(edges(m, "v1→v2"))}
	c := NewConverter(ConverterConfig{Modules: modules})
	body := reviewOf("v1", "stable.example.com/v2", cron)
	func() {
		defer func() {
			if p := recover(); p != "boom" {
				t.Errorf("recovered %v", p)
			}
		}()
		_, _, _ = c.Review(context.Background(), []byte(body))
	}()
	if modules.pins != 1 || modules.releases != 1 {
		t.Errorf("%d pins, %d releases", modules.pins, modules.releases)
	}
	m.one = func(_, _ string, _ []byte) ([]byte, string) { return []byte("{}"), "" }
	if _, outcome := runReview(t, c, body); outcome.Failure != "" {
		t.Errorf("outcome %+v", outcome)
	}
}

// faultError is an error as the runtime returns it.
type faultError struct{ kind, text string }

func (e *faultError) Error() string { return e.text }
func (e *faultError) Fault() string { return e.kind }

// TestFaults has the messages for modules that come to nothing, and for those that refuse.
func TestFaults(t *testing.T) {
	const (
		one    = "cannot convert object 0 (default/my-cron) of CronTab.stable.example.com from v1 to v2: "
		two    = "cannot convert 2 objects, the first of them object 1 (b), of CronTab.stable.example.com from v1 to v2: "
		module = "module CronTab.stable.example.com_v1_v2.wasm (sha256:0123456789ab)"
	)
	second := `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"b"}}`
	done := `{"apiVersion":"stable.example.com/v2","kind":"CronTab"}`
	type reply func(objects [][]byte) ([][]byte, map[int]string, error)
	fails := func(err error) reply {
		return func([][]byte) ([][]byte, map[int]string, error) { return nil, nil, err }
	}
	refuses := func(refused map[int]string) reply {
		return func(objects [][]byte) ([][]byte, map[int]string, error) {
			out := make([][]byte, len(objects))
			for i := range out {
				if _, no := refused[i]; !no {
					out[i] = []byte("{}")
				}
			}
			return out, refused, nil
		}
	}
	count := func(n int) reply {
		return func([][]byte) ([][]byte, map[int]string, error) {
			out := make([][]byte, n)
			for i := range out {
				out[i] = []byte("{}")
			}
			return out, nil, nil
		}
	}
	tests := []struct {
		name    string
		objects []string
		reply   reply
		failure string
		want    string
	}{
		{"trap", []string{cron}, fails(&faultError{"trap", "the module trapped: unreachable"}), "trap",
			one + module + " failed: the module trapped: unreachable (a bug of the module: tell its author)"},
		{"wrapped", []string{cron}, fails(fmt.Errorf("batch 3: %w", &faultError{"stack", "too deep"})), "stack",
			one + module + " failed: batch 3: too deep (a bug of the module: tell its author)"},
		{"fuel", []string{cron}, fails(&faultError{"fuel", "no fuel left"}), "fuel",
			one + module + " failed: no fuel left (it loops without end, or --fuel-per-object and --fuel-per-byte are too low for such objects)"},
		{"deadline", []string{done, second, second}, fails(&faultError{"deadline", "too late"}), "deadline",
			two + module + " failed: too late (try again; if it happens often, the gateway is overloaded or a module slow)"},
		{"a deadline without a kind", []string{cron}, fails(fmt.Errorf("waiting: %w", context.DeadlineExceeded)), "deadline",
			one + module + " failed: waiting: context deadline exceeded (try again; if it happens often, the gateway is overloaded or a module slow)"},
		{"cancelled", []string{cron}, fails(context.Canceled), "deadline",
			one + module + " failed: context canceled (try again; if it happens often, the gateway is overloaded or a module slow)"},
		{"memory", []string{cron}, fails(&faultError{"memory", "no memory"}), "memory",
			one + module + " failed: no memory (it loses memory, or --module-memory-bytes is too low for such objects)"},
		{"abi", []string{cron}, fails(&faultError{"abi", "two answers"}), "abi",
			one + module + " failed: two answers (a bug of the module: tell its author)"},
		{"output", []string{cron}, fails(&faultError{"output", "5 MiB"}), "output",
			one + module + " failed: 5 MiB (a bug of the module, or the limit on answers is too low for such objects)"},
		{"busy", []string{cron}, fails(&faultError{"busy", "all instances were busy"}), "busy",
			one + module + " failed: all instances were busy (try again; if it happens often, the gateway is overloaded)"},
		{"breaker", []string{cron}, fails(&faultError{"breaker", "rests for 2s"}), "breaker",
			one + module + " failed: rests for 2s (the gateway tries it again by itself; its log has the failures before)"},
		{"internal", []string{cron}, fails(&faultError{"internal", "no file"}), "internal",
			one + module + " failed: no file (the gateway's log may say more)"},
		{"an error without a kind", []string{cron}, fails(errors.New("odd")), "internal",
			one + module + " failed: odd (the gateway's log may say more)"},
		{"an unknown kind", []string{cron}, fails(&faultError{"weather", "rain"}), "internal",
			one + module + " failed: rain (the gateway's log may say more)"},
		{"an endless error of strange characters", []string{cron}, fails(&faultError{"trap", "\x00\x1b[2J\xff" + strings.Repeat("x", 2000)}), "trap",
			one + module + " failed: [2J\ufffd" + strings.Repeat("x", 1024-6) + " (a bug of the module: tell its author)"},

		{"refused", []string{cron}, refuses(map[int]string{0: "spec.hostPort has no port"}), "refused",
			one + "spec.hostPort has no port [refused by " + module + "]"},
		{"the first refused of several", []string{done, second, cron, cron}, refuses(map[int]string{2: "later", 1: "first"}), "refused",
			strings.Replace(one, "object 0", "object 2", 1) + "first [refused by " + module + "]"},
		{"refused without a word", []string{cron}, refuses(map[int]string{0: " \n"}), "refused",
			one + "(it gave no reason) [refused by " + module + "]"},
		{"refused in two lines", []string{cron}, refuses(map[int]string{0: "a\tb\r\nc\x1b\u009b\u0085[0m\n"}), "refused",
			one + "a\tb\nc[0m [refused by " + module + "]"},
		{"refused at length", []string{cron}, refuses(map[int]string{0: "x" + strings.Repeat("ä", 3000)}), "refused",
			one + "x" + strings.Repeat("ä", 2047) + " [refused by " + module + "]"},

		{"no answers", []string{cron}, count(0), "contract", one + module + " broke the conversion contract: it answered 0 objects for 1"},
		{"too many answers", []string{done, second, second}, count(3), "contract", two + module + " broke the conversion contract: it answered 3 objects for 2"},
		{"too few answers", []string{done, second, second}, count(1), "contract", two + module + " broke the conversion contract: it answered 1 objects for 2"},
		{"no answer to one", []string{cron}, func([][]byte) ([][]byte, map[int]string, error) { return make([][]byte, 1), nil, nil }, "contract",
			one + module + " broke the conversion contract: its answer is empty"},
		{"answers too large together", []string{done, second, second}, func(o [][]byte) ([][]byte, map[int]string, error) {
			return [][]byte{[]byte(`{"a":"` + strings.Repeat("x", 600) + `"}`), []byte(`{"a":"` + strings.Repeat("x", 600) + `"}`)}, nil, nil
		}, "output", two + module + " failed: its answers have more than the 1000 bytes that the answer to one request may have (--max-reply-bytes) (a bug of the module, or the limit on answers is too low for such objects)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			modules := &fixedModules{routes: NewRoutes(edges(&funcModule{all: func(_ context.Context, _, _ string, objects [][]byte) ([][]byte, map[int]string, error) {
				return test.reply(objects)
			}}, "v1→v2"))}
			a, outcome := runReview(t, NewConverter(ConverterConfig{Modules: modules, Limits: Limits{ReplyBytes: 1000}}), reviewOf("v1", "stable.example.com/v2", test.objects...))
			if a.Response.Result.Status != "Failed" || a.Response.Result.Message != test.want || len(a.Response.ConvertedObjects) != 0 {
				t.Errorf("%s with\n%s\nwant\n%s", a.Response.Result.Status, a.Response.Result.Message, test.want)
			}
			want := Outcome{
				UID: "u-1", ReviewVersion: "v1", Group: "stable.example.com", Kind: "CronTab", From: "v1", To: "v2", Objects: len(test.objects),
				Failure: test.failure, Message: test.want, Module: "CronTab.stable.example.com_v1_v2.wasm",
			}
			if outcome != want {
				t.Errorf("outcome\n%+v\nwant\n%+v", outcome, want)
			}
			if modules.pins != 1 || modules.releases != 1 {
				t.Errorf("%d pins, %d releases", modules.pins, modules.releases)
			}
		})
	}
}

// TestFailures checks that the list of failures is complete: every fault in it has an advice and nothing else has one.
func TestFailures(t *testing.T) {
	for _, failure := range Failures() {
		switch failure {
		case FailureInvalid, FailureNoRoute, FailureRefused, FailureContract:
			if advice(failure) != "" {
				t.Errorf("%s counts as a fault", failure)
			}
		default:
			if got := faultOf(&faultError{failure, ""}); got != failure || advice(failure) == "" {
				t.Errorf("a fault of kind %s counts as %s", failure, got)
			}
		}
	}
}

// TestDeadline checks that no module is called when the request's time is up, on the first step and between two.
func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	second := &funcModule{name: "two.wasm", one: func(_, _ string, _ []byte) ([]byte, string) {
		t.Error("called after the deadline")
		return []byte("{}"), ""
	}}
	first := &funcModule{name: "one.wasm", one: func(_, _ string, _ []byte) ([]byte, string) {
		cancel()
		return []byte("{}"), ""
	}}
	c := converter(append(edges(first, "v1→v2"), edges(second, "v2→v3")...)...)
	answer, outcome, err := c.Review(ctx, []byte(reviewOf("v1", "stable.example.com/v3", cron)))
	want := "cannot convert object 0 (default/my-cron) of CronTab.stable.example.com from v2 to v3 (step 2 of 2 from v1 to v3): the time for the request was up " +
		"before module two.wasm (sha256:0123456789ab) was called (try again; if it happens often, the gateway is overloaded or a module slow)"
	if err != nil || outcome.Failure != FaultDeadline || outcome.Message != want || outcome.Module != "" {
		t.Errorf("%s\n%+v\n%v", answer, outcome, err)
	}
	first.one = second.one
	_, outcome, _ = c.Review(ctx, []byte(reviewOf("v1", "stable.example.com/v3", cron)))
	if outcome.Failure != FaultDeadline {
		t.Errorf("%+v", outcome)
	}
}

// TestConcurrent has many goroutines share a Converter, each with objects of its own.
func TestConcurrent(t *testing.T) {
	c := converter(append(edges(signing("one", nil), "v1→v2"), edges(signing("two", nil), "v2→v3")...)...)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 60 {
				var objects, want []string
				for n := range i%7 + 1 {
					name := fmt.Sprintf("%d-%d-%d", g, i, n)
					objects = append(objects, `{"apiVersion":"stable.example.com/v1","by":"`+name+`","kind":"CronTab","metadata":{"labels":{"a":"`+name+`"},"managedFields":[],"name":"`+name+`"}}`)
					want = append(want, `{"apiVersion":"stable.example.com/v3","by":"`+name+` one two","kind":"CronTab","metadata":{"labels":{"a":"`+name+`"},"managedFields":[],"name":"`+name+`"}}`)
				}
				answer, _, err := c.Review(context.Background(), []byte(reviewOf("v1", "stable.example.com/v3", objects...)))
				if err != nil || !strings.Contains(string(answer), `"convertedObjects":[`+strings.Join(want, ",")+`]`) {
					t.Errorf("answer %s, error %v, want objects %s", answer, err, want)
					return
				}
				if i%5 == 0 { // a failure in between leaves nothing behind
					_, _, _ = c.Review(context.Background(), []byte(reviewOf("v1", "stable.example.com/v3", objects[0], `{}`)))
				}
			}
		}()
	}
	wg.Wait()
}

// TestLinear converts as many objects as a review may have, and metadata made to be slow to compare. If anything were quadratic, it
// would take minutes.
func TestLinear(t *testing.T) {
	start := time.Now()
	var objects []string
	for i := range defaultObjects {
		objects = append(objects, fmt.Sprintf(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"%d"},"spec":{}}`, i))
	}
	c := converter(edges(answers(`{"metadata":{"labels":{"a":"b"},"generation":1}}`), "v1→v2")...)
	a, outcome := runReview(t, c, reviewOf("v1", "stable.example.com/v2", objects...))
	if len(a.Response.ConvertedObjects) != defaultObjects || outcome.Restored != defaultObjects {
		t.Errorf("%d objects, outcome %+v", len(a.Response.ConvertedObjects), outcome)
	}

	var many []string
	for i := range 100_000 {
		many = append(many, fmt.Sprintf(`"f%d":%d`, i, i))
	}
	meta := strings.Join(many, ",")
	answer := `{"metadata":{"labels":{},` + meta + `}}`
	c = converter(edges(answers(answer), "v1→v2")...)
	_, outcome = runReview(t, c, reviewOf("v1", "stable.example.com/v2", `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a",`+meta+`}}`))
	if outcome.Failure != "" || outcome.Restored != 0 {
		t.Errorf("outcome %+v", outcome)
	}
	if d := time.Since(start); d > time.Minute {
		t.Errorf("took %v", d)
	}
}
