package module

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// TestBreakerTellsTargetsApart: an object that failed on its way to one version may well convert to
// another.
func TestBreakerTellsTargetsApart(t *testing.T) {
	objects, now := [][]byte{testObject}, time.Now()
	b := breaker{faults: 100, pause: time.Minute, pauseMax: time.Minute}
	failed := func() inputKey { return keyOf("g/v2", objects) }
	b.record(now, faultf(faults.Trap, "the module trapped"), failed)
	if b.admit(now, failed) == nil {
		t.Error("the object that failed is tried again at once")
	}
	if fault := b.admit(now, func() inputKey { return keyOf("g/v3", objects) }); fault != nil {
		t.Errorf("the same object, to another version: %v", fault)
	}
}

// TestInstanceOfClosedModuleIsClosed: a loan that ends after the module was closed must not put the
// instance into a pool that nobody empties any more.
func TestInstanceOfClosedModuleIsClosed(t *testing.T) {
	l := testLoader(t, smallLimits)
	m, err := l.load(context.Background(), testName, fixture(t, "good_echo"))
	if err != nil {
		t.Fatal(err)
	}
	in, fault := m.pool.borrow(context.Background())
	if fault != nil {
		t.Fatal(fault)
	}
	m.pool.close()
	m.pool.giveBack(in, true)
	if idle, working := m.pool.count(); idle+working != 0 || !in.guest.IsClosed() || l.budget.Instances() != 0 {
		t.Errorf("%d idle and %d working instances, closed: %v, %d in the budget", idle, working, in.guest.IsClosed(), l.budget.Instances())
	}
	m.program.Close()
}

// TestLoanWakesOtherModules: a caller that waits for an instance of all modules together takes the
// place of one that becomes idle.
func TestLoanWakesOtherModules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := smallLimits
		limits.Instances, limits.InstanceWait = 1, time.Hour
		l := testLoader(t, limits)
		a, b := loadFixture(t, l, "good_echo"), loadFixture(t, l, "good_echo")
		in, fault := a.pool.borrow(context.Background())
		if fault != nil {
			t.Fatal(fault)
		}
		began, took := time.Now(), make(chan time.Duration)
		go func() { // ends with its only batch
			_, _, err := b.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
			if err != nil {
				t.Error(err)
			}
			took <- time.Since(began)
		}()
		synctest.Wait() // it waits
		a.pool.giveBack(in, true)
		if waited := <-took; waited != 0 {
			t.Errorf("the other module waited for another %v", waited)
		}
	})
}

// TestBudgetClosesLongestUnused: the modules that work keep their instances.
func TestBudgetClosesLongestUnused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := smallLimits
		limits.Instances = 3
		l := testLoader(t, limits)
		var modules []*Module
		for range 3 {
			modules = append(modules, loadFixture(t, l, "good_echo"))
			time.Sleep(time.Second)
		}
		oldest := modules[1]
		for _, m := range []*Module{modules[0], modules[2]} {
			if _, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		loadFixture(t, l, "good_echo")
		for i, m := range modules {
			if idle, _ := m.Instances(); (idle == 0) != (m == oldest) {
				t.Errorf("module %d has %d idle instances", i, idle)
			}
		}
	})
}

// TestResponseBoundaries: an answer may be as long as its limit, and one byte after the last answer
// is too much.
func TestResponseBoundaries(t *testing.T) {
	limit := func(int) int { return 4 }
	for body, fault := range map[string]string{
		"\x00\x00\x00\x00\x04\x00\x00\x00four":   "",
		"\x00\x00\x00\x00\x05\x00\x00\x00five5":  "the module's answer for object 0 has 5 bytes; 4 are allowed",
		"\x00\x00\x00\x00\x04\x00\x00\x00four+":  "the module's response has 1 bytes after its last answer",
		"\x00\x00\x00\x00\x05\x00\x00\x00four":   "the module's answer for object 0 claims 5 bytes; its response has 4 left",
		"\x00\x00\x00\x00\x00\x00\x00":           "the module's response ends before the answer for object 0 of 1",
		"\x00\x00\x00\x00\x04\x00\x00\x00four++": "the module's response has 2 bytes after its last answer",
	} {
		_, _, got := readResponse([]byte(body), 1, limit)
		if (got == nil) != (fault == "") || got != nil && !strings.Contains(got.Error(), fault) {
			t.Errorf("%q: %v, want %q", body, got, fault)
		}
	}
}
