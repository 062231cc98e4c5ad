package host

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/crontabs"
)

// TestPanic checks that a module that panics leaves the modules released and the Converter usable.
func TestPanic(t *testing.T) {
	m := &funcModule{File: "panic.wasm", One: func(_, _ string, _ []byte) ([]byte, string) { panic("boom") }}
	modules := &fixedModules{routes: NewRoutes(edges(m, "v1→v2"))}
	c := newConverter(ConverterConfig{Modules: modules})
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
	m.One = func(_, _ string, _ []byte) ([]byte, string) { return []byte("{}"), "" }
	if _, outcome := runReview(t, c, body); outcome.Failure != "" {
		t.Errorf("outcome %+v", outcome)
	}
}

// objectError is an error that names the object that the module failed at.
type objectError struct {
	*crontabs.FaultError
	object int
}

func (e *objectError) Object() (int, bool) { return e.object, e.object >= 0 }

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
	refusesAll := func(first int) reply { // as a command module does
		return func(objects [][]byte) ([][]byte, map[int]string, error) {
			return make([][]byte, len(objects)), map[int]string{first: "no"}, nil
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
		{"trap", []string{cron}, fails(crontabs.Fault("trap", "the module trapped: unreachable")), "trap",
			one + module + " failed: the module trapped: unreachable (a bug of the module: tell its author)"},
		{"crash at an object", []string{done, second, cron, second}, fails(&objectError{crontabs.Fault("trap", "the module crashed: boom"), 1}), "trap",
			strings.Replace(one, "object 0", "object 2", 1) + module + " failed: the module crashed: boom (a bug of the module: tell its author)"},
		{"crash at an unknown object", []string{done, second, second}, fails(&objectError{crontabs.Fault("trap", "boom"), -1}), "trap",
			two + module + " failed: boom (a bug of the module: tell its author)"},
		{"crash at an object that is not there", []string{done, second, second}, fails(&objectError{crontabs.Fault("trap", "boom"), 2}), "trap",
			two + module + " failed: boom (a bug of the module: tell its author)"},
		{"wrapped", []string{cron}, fails(fmt.Errorf("batch 3: %w", crontabs.Fault("stack", "too deep"))), "stack",
			one + module + " failed: batch 3: too deep (a bug of the module: tell its author)"},
		{"fuel", []string{cron}, fails(crontabs.Fault("fuel", "no fuel left")), "fuel",
			one + module + " failed: no fuel left (it loops without end, or --fuel-per-object and --fuel-per-byte are too low for such objects, or --fuel-to-start is for such a program)"},
		{"deadline", []string{done, second, second}, fails(crontabs.Fault("deadline", "too late")), "deadline",
			two + module + " failed: too late (try again; if it happens often, the gateway is overloaded or a module slow)"},
		{"a deadline without a kind", []string{cron}, fails(fmt.Errorf("waiting: %w", context.DeadlineExceeded)), "deadline",
			one + module + " failed: waiting: context deadline exceeded (try again; if it happens often, the gateway is overloaded or a module slow)"},
		{"cancelled", []string{cron}, fails(context.Canceled), "deadline",
			one + module + " failed: context canceled (try again; if it happens often, the gateway is overloaded or a module slow)"},
		{"memory", []string{cron}, fails(crontabs.Fault("memory", "no memory")), "memory",
			one + module + " failed: no memory (it loses memory, or --module-memory-bytes is too low for such objects)"},
		{"abi", []string{cron}, fails(crontabs.Fault("abi", "two answers")), "abi",
			one + module + " failed: two answers (a bug of the module: tell its author)"},
		{"output", []string{cron}, fails(crontabs.Fault("output", "5 MiB")), "output",
			one + module + " failed: 5 MiB (a bug of the module, or the limit on answers is too low for such objects)"},
		{"busy", []string{cron}, fails(crontabs.Fault("busy", "all instances were busy")), "busy",
			one + module + " failed: all instances were busy (try again; if it happens often, the gateway is overloaded)"},
		{"breaker", []string{cron}, fails(crontabs.Fault("breaker", "rests for 2s")), "breaker",
			one + module + " failed: rests for 2s (the gateway retries it automatically; its log has the earlier failures)"},
		{"internal", []string{cron}, fails(crontabs.Fault("internal", "no file")), "internal",
			one + module + " failed: no file (the gateway's log may say more)"},
		{"an error without a kind", []string{cron}, fails(errors.New("odd")), "internal",
			one + module + " failed: odd (the gateway's log may say more)"},
		{"an unknown kind", []string{cron}, fails(crontabs.Fault("weather", "rain")), "internal",
			one + module + " failed: rain (the gateway's log may say more)"},
		{"an endless error of strange characters", []string{cron}, fails(crontabs.Fault("trap", "\x00\x1b[2J\xff"+strings.Repeat("x", 2000))), "trap",
			one + module + " failed: [2J\ufffd" + strings.Repeat("x", 1024-6) + " (a bug of the module: tell its author)"},

		{"refused", []string{cron}, refuses(map[int]string{0: "spec.hostPort has no port"}), "refused",
			one + "spec.hostPort has no port [refused by " + module + "]"},
		{"the first refused of several", []string{done, second, cron, cron}, refuses(map[int]string{2: "later", 1: "first"}), "refused",
			strings.Replace(one, "object 0", "object 2", 1) + "first [refused by " + module + "]"},
		{"refused as a whole", []string{done, second, cron, cron}, refusesAll(1), "refused",
			strings.Replace(one, "object 0", "object 2", 1) + "no [refused by " + module + "]"},
		{"refused without a word", []string{cron}, refuses(map[int]string{0: " \n"}), "refused",
			one + "refused without a reason [refused by " + module + "]"},
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
		}, "output", two + module + " failed: its answers exceed the limit of 1000 bytes for one request (--max-reply-bytes) (a bug of the module, or the limit on answers is too low for such objects)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			modules := &fixedModules{routes: NewRoutes(edges(&funcModule{All: func(_ context.Context, _, _ string, objects [][]byte) ([][]byte, map[int]string, error) {
				return test.reply(objects)
			}}, "v1→v2"))}
			a, outcome := runReview(t, newConverter(ConverterConfig{Modules: modules, Limits: Limits{ReplyBytes: 1000}}), reviewOf("v1", "stable.example.com/v2", test.objects...))
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

// TestFailures checks that the list of failures is complete: every fault in it has an advice and
// nothing else has one.
func TestFailures(t *testing.T) {
	for _, failure := range Failures() {
		switch failure {
		case FailureInvalid, FailureNoRoute, FailureRefused, FailureContract, FailureSchema:
			if advice(failure) != "" {
				t.Errorf("%s counts as a fault", failure)
			}
		default:
			if got := faultOf(crontabs.Fault(failure, "")); got != failure || advice(failure) == "" {
				t.Errorf("a fault of kind %s counts as %s", failure, got)
			}
		}
	}
}

// TestDeadline checks that no module is called when the request's time is up, on the first step and
// between two.
func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	second := &funcModule{File: "two.wasm", One: func(_, _ string, _ []byte) ([]byte, string) {
		t.Error("called after the deadline")
		return []byte("{}"), ""
	}}
	first := &funcModule{File: "one.wasm", One: func(_, _ string, _ []byte) ([]byte, string) {
		cancel()
		return []byte("{}"), ""
	}}
	c := converter(append(edges(first, "v1→v2"), edges(second, "v2→v3")...)...)
	answer, outcome, err := c.Review(ctx, []byte(reviewOf("v1", "stable.example.com/v3", cron)))
	want := "cannot convert object 0 (default/my-cron) of CronTab.stable.example.com from v2 to v3 (step 2 of 2 from v1 to v3): the request's deadline passed " +
		"before module two.wasm (sha256:0123456789ab) was called (try again; if it happens often, the gateway is overloaded or a module slow)"
	if err != nil || outcome.Failure != faults.Deadline || outcome.Message != want || outcome.Module != "" {
		t.Errorf("%s\n%+v\n%v", answer, outcome, err)
	}
	first.One = second.One
	_, outcome, _ = c.Review(ctx, []byte(reviewOf("v1", "stable.example.com/v3", cron)))
	if outcome.Failure != faults.Deadline {
		t.Errorf("%+v", outcome)
	}
}
