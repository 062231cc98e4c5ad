package module

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/fair"
	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

func TestConvertKeepsOrder(t *testing.T) {
	limits := smallLimits
	limits.BatchBytes, limits.BatchObjects = 4096, 16
	m := loadFixture(t, testLoader(t, limits), "good_echo")
	for _, n := range []int{1, 15, 16, 17, 1000} {
		var objects [][]byte
		for i := range n {
			objects = append(objects, fmt.Appendf(nil, `{"i":%d,"pad":"%s"}`, i, strings.Repeat("x", i%700)))
		}
		got, refused, err := m.Convert(context.Background(), "g/v1", "g/v2", objects)
		if err != nil || refused != nil {
			t.Fatalf("%d objects: %v, refused %v", n, err, refused)
		}
		for i := range objects {
			if !bytes.Equal(got[i], objects[i]) {
				t.Fatalf("%d objects: number %d is %q, want %q", n, i, got[i], objects[i])
			}
		}
	}
	idle, working := m.pool.count()
	if working != 0 || idle < 1 || idle > smallLimits.ModuleInstances {
		t.Errorf("%d idle and %d working instances afterwards", idle, working)
	}
}

func TestConvertLargeObject(t *testing.T) {
	m := loadFixture(t, testLoader(t, smallLimits), "good_echo")
	object := fmt.Appendf(nil, `{"pad":"%s"}`, strings.Repeat("x", 4<<20-20))
	for range 3 { // memory grows, and shrinks again, each time
		got, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{object})
		if err != nil || !bytes.Equal(got[0], object) {
			t.Fatalf("4 MiB object: %v", err)
		}
	}
}

func TestRefusal(t *testing.T) {
	m := loadFixture(t, testLoader(t, smallLimits), "good_refuse")
	for range 20 { // refusals are answers: no breaker, no new instance
		got, refused, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
		if err != nil || got[0] != nil || refused[0] != "spec.x: not today" {
			t.Fatalf("got %q, refused %v, error %v", got, refused, err)
		}
	}
	if idle, _ := m.pool.count(); idle != 1 {
		t.Errorf("%d idle instances, want the one", idle)
	}
}

// TestRefusalsOfSeveralBatches: a refusal has the object's index in the conversion, not in its
// batch.
func TestRefusalsOfSeveralBatches(t *testing.T) {
	limits := smallLimits
	limits.BatchObjects = 2
	m := loadFixture(t, testLoader(t, limits), "good_echo")
	var objects [][]byte
	for _, o := range []string{"a", "no b", "c", "d", "no e"} {
		objects = append(objects, []byte(o))
	}
	converted, refused, err := m.inBatches(context.Background(), "g/v2", objects, func(_ context.Context, _ string, batch [][]byte) ([][]byte, map[int]string, *FaultError) {
		out, refused := make([][]byte, len(batch)), map[int]string{}
		for i, o := range batch {
			if bytes.HasPrefix(o, []byte("no ")) {
				refused[i] = string(o)
			} else {
				out[i] = o
			}
		}
		return out, refused, nil
	})
	if want := map[int]string{1: "no b", 4: "no e"}; err != nil || !maps.Equal(refused, want) {
		t.Errorf("refused %v, error %v, want %v", refused, err, want)
	}
	if got := fmt.Sprintf("%q", converted); got != `["a" "" "c" "d" ""]` {
		t.Errorf("converted %s", got)
	}
}

func TestCommandRefusal(t *testing.T) {
	l := testLoader(t, smallLimits)
	for _, tc := range []struct{ file, want string }{
		{"command_refuse", "spec.x: not today"},
		{"command_failed", "spec.y: no"},
		{"command_wordless", "refused without a reason"},
	} {
		m := loadFixture(t, l, tc.file)
		for _, n := range []int{1, 3} {
			_, refused, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject, testObject, testObject}[:n])
			if err != nil || len(refused) != n || refused[0] != tc.want || refused[n-1] != tc.want { // each object that is refused, none that is not
				t.Errorf("%s, %d objects: refused %v, error %v, want %q", tc.file, n, refused, err, tc.want)
			}
		}
	}
}

// TestCommandRefusalOfManyIsTried: a program that refuses objects together and converts each alone
// breaks the ABI, because an answer may depend on its object only.
func TestCommandRefusalOfManyIsTried(t *testing.T) {
	m := loadFixture(t, testLoader(t, smallLimits), "command_together")
	if _, refused, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject}); refused != nil || err != nil {
		t.Errorf("one object: refused %v, %v", refused, err)
	}
	_, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject, testObject, testObject})
	wantFault(t, err, faults.ABI, "the program refuses 3 objects together (too much) and converts each of them alone")
}

func TestDeadline(t *testing.T) {
	limits := smallLimits
	limits.FuelPerObject = 1 << 50
	limits.CallTime = 200 * time.Millisecond
	m := loadFixture(t, testLoader(t, limits), "x02_fib")

	start := time.Now()
	_, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
	wantFault(t, err, faults.Deadline, "did not finish within the time limit of a call (200ms")
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("stopped after %v", took)
	}

	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, _, err = m.Convert(ctx, "g/v1", "g/v2", [][]byte{testObject})
	wantFault(t, err, faults.Deadline, "")

	ctx, cancel = context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, _, err = m.Convert(ctx, "g/v1", "g/v2", [][]byte{testObject})
	wantFault(t, err, faults.Deadline, "cancelled")
}

func wantFault(t *testing.T, err error, kind, message string) {
	t.Helper()
	var fault *FaultError
	if !errors.As(err, &fault) || fault.Kind != kind || !strings.Contains(fault.Error(), message) {
		t.Errorf("error %v (%T), want a %s fault with %q", err, err, kind, message)
	}
}

func TestBusy(t *testing.T) {
	for _, tc := range []struct {
		wait, time time.Duration // that of the limits, and the request's own
		want       string
	}{
		{500 * time.Millisecond, time.Hour, "all 1 instances of the module were busy for 500ms"},
		{time.Hour, 10 * time.Millisecond, "all 1 instances of the module were busy until the request's time was up"},
	} {
		limits := smallLimits
		limits.ModuleInstances, limits.FuelPerObject, limits.CallTime, limits.InstanceWait = 1, 1<<50, time.Hour, tc.wait
		m := loadFixture(t, testLoader(t, limits), "x01_spin")
		slow, cancelSlow := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		wg.Go(func() { // ends with cancelSlow
			_, _, _ = m.Convert(slow, "g/v1", "g/v2", [][]byte{testObject})
		})
		eventually.True(t, "the slow review to have the instance", func() bool { _, working := m.pool.count(); return working == 1 })
		ctx, cancel := context.WithTimeout(context.Background(), tc.time)
		_, _, err := m.Convert(ctx, "g/v1", "g/v2", [][]byte{testObject})
		wantFault(t, err, faults.Busy, tc.want)
		cancel()
		cancelSlow()
		wg.Wait()
	}
}

func TestBudgetPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, one := NewBudget(1, false), fair.Claim{Units: 1}
		if fault := b.work(t.Context(), nil, one); fault != nil {
			t.Fatal(fault)
		}
		wait := &waitBudget{limit: 10 * time.Millisecond}
		defer wait.end()
		wantFault(t, b.work(t.Context(), wait, one), faults.Busy, "the share of the kind in the 1 instances of the gateway was busy for 10ms")
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		wantFault(t, b.work(ctx, nil, one), faults.Busy, "the share of the kind in the 1 instances of the gateway was busy until the request's time was up")
	})
}

// TestLastUsedIsLentFirst: so the instances that a module does not need any more stay unused, and
// expire.
func TestLastUsedIsLentFirst(t *testing.T) {
	old, recent := &instance{}, &instance{}
	p := &pool{idle: []*instance{old, recent}}
	if first, second, third := p.pop(), p.pop(), p.pop(); first != recent || second != old || third != nil {
		t.Error("the instance that was used last is not lent first")
	}
}

// TestUsedInstancesDoNotExpire: an instance that was used since is kept.
func TestUsedInstancesDoNotExpire(t *testing.T) {
	b := NewBudget(3, false)
	p := newPool(&Program{limits: Limits{ModuleInstances: 3}}, artifact.Name{}, b)
	now := time.Now()
	for _, used := range []time.Duration{-time.Minute, 0, time.Minute} {
		b.free--
		p.idle = append(p.idle, &instance{program: p.program, used: now.Add(used)})
	}
	for _, step := range []struct {
		since time.Duration
		want  int
	}{{-time.Hour, 3}, {-time.Second, 2}, {time.Second, 1}, {time.Hour, 0}} {
		if p.expire(now.Add(step.since)); len(p.idle) != step.want || b.Instances() != step.want {
			t.Errorf("%d instances of %d are kept, want %d", len(p.idle), b.Instances(), step.want)
		}
	}
}

// TestLoanThatFailsEnds: a batch that gets no instance before its time is up gives back its place.
func TestLoanThatFailsEnds(t *testing.T) {
	b := NewBudget(1, false)
	p := newPool(&Program{limits: Limits{ModuleInstances: 1, InstanceWait: time.Millisecond}}, artifact.Name{}, b)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	b.free = 0 // the instance of another module is being closed
	for range 2 {
		_, fault := p.reserve(over)
		wantFault(t, fault, faults.Busy, "until the request's time was up")
		_, fault = p.borrow(over)
		wantFault(t, fault, faults.Busy, "until the request's time was up")
	}
	b.release()
	release, fault := p.reserve(t.Context())
	if fault != nil {
		t.Fatal(fault)
	}
	if _, working := p.count(); working != 1 || b.Instances() != 1 {
		t.Errorf("%d at work of %d instances", working, b.Instances())
	}
	release()
	if _, working := p.count(); working != 0 || b.Instances() != 0 {
		t.Errorf("in the end, %d at work of %d instances", working, b.Instances())
	}
}

// TestInstancesAreShared: owners with many kinds, which keep all instances at work that they can get,
// leave some for another owner.
func TestInstancesAreShared(t *testing.T) {
	b := NewBudget(16, true)
	of := func(owner, kind string) *pool {
		return newPool(&Program{limits: Limits{ModuleInstances: 16}}, artifact.Name{Owner: owner, Kind: kind, Group: "g"}, b)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var working atomic.Int64
		var waiting sync.WaitGroup
		for _, owner := range []string{"bad", "worse"} { // each with 20 kinds and 40 batches
			for i := range 40 {
				p := of(owner, fmt.Sprintf("Kind%d", i%20))
				waiting.Go(func() {
					if p.begin(ctx, nil) == nil {
						working.Add(1)
						<-ctx.Done()
						p.end()
					}
				})
				synctest.Wait()
			}
		}
		if n := working.Load(); n != 8+4 {
			t.Errorf("two owners have %d of 16 instances at work, want a half and a quarter", n)
		}
		if fault := of("good", "Good").begin(ctx, &waitBudget{}); fault != nil { // its time is up at once
			t.Errorf("beside two busy owners: %v", fault)
		}
		cancel()
		waiting.Wait()
	})
}

// TestBudget has more modules than there may be instances: each gets its turn in the place of
// another's idle instance.
func TestBudget(t *testing.T) {
	limits := smallLimits
	limits.Instances = 2
	l := testLoader(t, limits)
	var modules []*Module
	for range 5 {
		modules = append(modules, loadFixture(t, l, "good_echo"))
	}
	for range 3 {
		for i, m := range modules {
			if _, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject}); err != nil {
				t.Fatalf("module %d: %v", i, err)
			}
		}
	}
	total := 0
	for _, m := range modules {
		idle, working := m.pool.count()
		total += idle + working
	}
	if total > 2 {
		t.Errorf("%d instances, 2 are allowed", total)
	}
	l.budget.CloseIdle(time.Now())
	if l.budget.free != 2 {
		t.Errorf("%d places free after all have expired, want 2", l.budget.free)
	}
}

func TestBreaker(t *testing.T) {
	b := breaker{faults: 3, pause: time.Second, pauseMax: 3 * time.Second}
	now := time.Unix(1000, 0)
	trap := faultf(faults.Trap, "boom")
	input := byte(0)
	works, known := false, true // the result of a probe, if there is one
	step := func(what string, wantOK bool, fault *FaultError, wantDoubt bool) {
		t.Helper()
		input++
		if refused := b.admit(now, func() inputKey { return inputKey{255, input} }); (refused == nil) != wantOK {
			t.Fatalf("%s: admit returns %v, want nil: %v", what, refused, wantOK)
		} else if refused != nil {
			if refused.Kind != faults.Breaker || !strings.HasSuffix(refused.Error(), "; last failure: boom") {
				t.Errorf("%s: admit returns %v", what, refused)
			}
			return
		}
		doubt := b.record(now, fault, func() inputKey { return inputKey{input} })
		if doubt != wantDoubt {
			t.Fatalf("%s: in doubt %v, want %v", what, doubt, wantDoubt)
		}
		if doubt {
			b.decide(now, works, known)
		}
	}
	step("first", true, trap, false)
	step("second", true, trap, false)
	step("a success starts the count anew", true, nil, false)
	step("first", true, trap, false)
	step("busy does not count", true, faultf(faults.Busy, "later"), false)
	step("second", true, trap, false)
	works = true
	step("third, and the module works all the same", true, trap, true)
	step("first", true, trap, false)
	step("second", true, trap, false)
	works, known = false, false
	step("third, and nothing can be found out", true, trap, true)
	known = true
	step("fourth, and the module fails at everything", true, trap, true)
	step("now it rests", false, nil, false)
	now = now.Add(time.Second)
	step("one may try", true, trap, true)
	now = now.Add(time.Second)
	step("twice as long", false, nil, false)
	now = now.Add(time.Second)
	step("one may try", true, trap, true)
	now = now.Add(3 * time.Second)
	if b.admit(now, func() inputKey { return inputKey{255} }) != nil {
		t.Fatal("not longer than the longest")
	}
	step("while one tries, the others wait", false, nil, false)
	if doubt := b.record(now, trap, func() inputKey { return inputKey{200} }); !doubt {
		t.Fatal("a fault at the end of a pause is no reason to look")
	}
	step("while it is looked into, the others wait", false, nil, false)
	b.decide(now, true, true)
	step("it works: closed", true, trap, false)
	step("closed", true, nil, false)

	again := func(what string, fault *FaultError, wantDoubt bool) { // with the last failed input
		t.Helper()
		input--
		step(what, true, fault, wantDoubt)
	}
	step("an object it cannot do", true, trap, false)
	for range 10 {
		again("over and over", trap, false)
	}
	step("another", true, trap, false)
	again("that one again", trap, false)
	step("a third one, which opens it", true, trap, true)
	step("it rests", false, nil, false)
	now = now.Add(time.Second)
	step("one success", true, nil, false)
	step("closed", true, nil, false)
}

// TestBreakerRemembersFaults: an input that failed gets the same fault again for a pause that
// doubles; other inputs do not.
func TestBreakerRemembersFaults(t *testing.T) {
	b := breaker{faults: 1000, pause: time.Second, pauseMax: 3 * time.Second}
	now := time.Unix(1000, 0)
	key := func(n int) func() inputKey { return func() inputKey { return inputKey{byte(n), byte(n >> 8)} } }
	trap := faultf(faults.Trap, "boom")
	recalled := func(n int, want bool) {
		t.Helper()
		if got := b.admit(now, key(n)); (got != nil) != want || got != nil && got != trap {
			t.Errorf("object %d: recalled %v, want one: %v", n, got, want)
		}
	}
	if b.admit(now, func() inputKey { t.Error("a key of nothing"); return inputKey{} }) != nil {
		t.Error("a fault before the first")
	}
	for _, pause := range []time.Duration{1, 2, 3, 3} {
		b.record(now, trap, key(1))
		recalled(1, true)
		recalled(2, false)
		now = now.Add(pause*time.Second - 1)
		recalled(1, true)
		now = now.Add(1)
		recalled(1, false)
	}
	for _, fault := range []*FaultError{nil, faultf(faults.Busy, "later"), faultf(faults.Internal, "ours"), faultf(faults.Deadline, "gone").byCaller()} {
		b.record(now, fault, key(3))
		recalled(3, false)
	}
	for n := range 2 * maxFailed {
		now = now.Add(time.Nanosecond)
		b.record(now, trap, key(1000+n))
	}
	if len(b.failed) != maxFailed {
		t.Errorf("%d inputs are remembered, want %d", len(b.failed), maxFailed)
	}
	recalled(1000, false)
	recalled(1000+2*maxFailed-1, true)
}

// poisoned makes objects that x22_poison traps at, each another one.
func poisoned(n int) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"g/v1","kind":"K","spec":{"n":%d}}`, n)
}

// TestOpenBreakerAnswersWithoutCallX22: a module that fails at everything is not called for a
// pause, with any objects.
func TestOpenBreakerAnswersWithoutCallX22(t *testing.T) {
	limits := smallLimits
	limits.BreakerFaults, limits.BreakerPause, limits.BreakerPauseMax = 2, time.Hour, time.Hour
	m := loadFixture(t, testLoader(t, limits), "x09_unreachable")
	convert := func(n int, kind, message string) {
		t.Helper()
		_, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{poisoned(n)})
		wantFault(t, err, kind, message)
	}
	for range 3 { // one object, however often it is read
		convert(1, faults.Trap, "unreachable")
	}
	convert(2, faults.Trap, "unreachable")
	convert(3, faults.Breaker, "last failure: the module trapped: unreachable")
	convert(1, faults.Trap, "unreachable") // the message has the last failure
}

// TestBadObjectsOpenNoBreakerX22: a client that sends many different objects that crash a module
// does not affect other clients, before the module has converted anything or after; each of the
// objects costs one call and is then refused from memory.
func TestBadObjectsOpenNoBreakerX22(t *testing.T) {
	limits := smallLimits
	limits.BreakerFaults, limits.BreakerPause, limits.BreakerPauseMax = 3, time.Hour, time.Hour
	for _, when := range []string{"after a success", "from the beginning"} {
		t.Run(when, func(t *testing.T) {
			m := loadFixture(t, testLoader(t, limits), "x22_poison")
			good := func() {
				t.Helper()
				if got, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject}); err != nil || string(got[0]) != "{}" {
					t.Fatalf("somebody else's object: %q, %v", got, err)
				}
			}
			if when == "after a success" {
				good()
			}
			for n := range 20 {
				_, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{poisoned(n)})
				wantFault(t, err, faults.Trap, "unreachable")
			}
			if m.breaker.isOpen(time.Now()) {
				t.Error("the breaker is open")
			}
			good()
			for n := range 20 {
				if m.breaker.admit(time.Now(), func() inputKey { return keyOf("g/v2", [][]byte{poisoned(n)}) }) == nil {
					t.Fatalf("object %d would reach the module again", n)
				}
			}
			good()
		})
	}
}

// TestCancelledRequestsOpenNoBreakerX22: cancelled requests, and requests with almost no time, do
// not open the module's circuit breaker; only calls that take all the time that one may have do.
func TestCancelledRequestsOpenNoBreakerX22(t *testing.T) {
	limits := smallLimits
	limits.FuelPerObject, limits.CallTime = 1<<50, time.Second
	limits.BreakerFaults, limits.BreakerPause, limits.BreakerPauseMax = 2, time.Hour, time.Hour
	m := loadFixture(t, testLoader(t, limits), "x02_fib")
	convert := func(ctx context.Context, message string) {
		t.Helper()
		_, _, err := m.Convert(ctx, "g/v1", "g/v2", [][]byte{testObject})
		wantFault(t, err, faults.Deadline, message)
	}
	for range 3 {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(5*time.Millisecond, cancel)
		convert(ctx, "the request was cancelled while the module worked on it: context canceled")
		ctx, cancel = context.WithTimeout(context.Background(), 5*time.Millisecond)
		convert(ctx, "the request was cancelled while the module worked on it: context deadline exceeded")
		cancel()
	}
	if n := m.counters.faults.Load(); n != 0 {
		t.Errorf("%d faults are the module's, want none", n)
	}
	convert(context.Background(), "the module did not finish within the time limit of a call (1s)")
	if _, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject, testObject}); err != nil {
		wantFault(t, err, faults.Deadline, "the module did not finish within the time limit of a call (1s)")
	}
	_, _, err := m.Convert(context.Background(), "g/v1", "g/v2", slices.Repeat([][]byte{testObject}, 3))
	wantFault(t, err, faults.Breaker, "last failure: the module did not finish")
}

// TestPanicIsAFault breaks an instance in a way that makes our own code panic: the caller gets a
// fault, the slot is free again.
func TestPanicIsAFault(t *testing.T) {
	m := loadFixture(t, testLoader(t, smallLimits), "good_echo")
	in, fault := m.pool.borrow(context.Background())
	if fault != nil {
		t.Fatal(fault)
	}
	in.alloc.Function = nil
	m.pool.giveBack(in, true)
	_, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
	wantFault(t, err, faults.Internal, "the gateway failed while running the module")
	if idle, working := m.pool.count(); idle+working != 0 {
		t.Errorf("%d idle and %d working instances", idle, working)
	}
	if _, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject}); err != nil {
		t.Error(err)
	}
}
