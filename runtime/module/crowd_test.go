package module

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/runtime/memory"
)

// peakMemory runs a function and returns by how much the process's resident memory grew meanwhile,
// at most; 0 where that cannot be said.
func peakMemory(f func()) int {
	const statm = "/proc/self/statm"
	before, peak := residentBytes(statm), 0
	done, ended := make(chan struct{}), make(chan struct{})
	go func() { // ends with f
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
				peak = max(peak, residentBytes(statm)-before)
			}
		}
	}()
	f()
	close(done)
	<-ended
	return peak
}

// together has n goroutines do the same.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// TestEightStackOverflowsAtOnceX6: eight stacks run out at once. The engine's own limit, which each
// would meet without the meter, is 130 to 170 MiB.
func TestEightStackOverflowsAtOnceX6(t *testing.T) {
	limits := smallLimits
	limits.ModuleInstances, limits.Instances, limits.FuelPerObject = 8, 16, 500_000_000 // a module alone may have half of all instances
	l := testLoader(t, limits)
	for _, file := range []string{"x05_recursion", "x05_recursion_wide"} {
		m := loadFixture(t, l, file)
		grown := peakMemory(func() {
			together(8, func(int) {
				_, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
				wantFault(t, err, faults.Stack, "call depth exceeded the limit")
			})
		})
		t.Logf("%s: eight together take %d MiB", file, grown>>20)
		if grown > 8*32<<20 {
			t.Errorf("%s: eight together take %d MiB", file, grown>>20)
		}
	}
}

// TestInstanceMemoryIsBoundedX7: instances that fill their memory take little more than their
// limit, and free it.
func TestInstanceMemoryIsBoundedX7(t *testing.T) {
	const instances = 3
	limits := smallLimits
	limits.ModuleInstances, limits.Instances, limits.MemoryPages, limits.FuelPerObject = instances, 2*instances, 512, 500_000_000
	m := loadFixture(t, testLoader(t, limits), "x07_grow")
	grown := peakMemory(func() {
		together(instances, func(int) {
			for range 20 {
				if _, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject}); err != nil {
					t.Error(err)
				}
			}
		})
	})
	t.Logf("%d instances of %d MiB take %d MiB", instances, limits.MemoryPages/16, grown>>20)
	if most := instances*int(limits.MemoryPages)*memory.PageSize + 40<<20; grown > most { // and garbage that is not collected yet
		t.Errorf("%d instances take %d MiB, want %d at most", instances, grown>>20, most>>20)
	}
}

// TestInstanceHasOneBorrowerX11 (X11, X12): an instance is lent to one borrower at a time, and
// every caller gets the answer to the object that they asked. In two hands at once it would end the
// process, or mix up answers.
func TestInstanceHasOneBorrowerX11(t *testing.T) {
	limits := smallLimits
	limits.ModuleInstances, limits.Instances = 3, 6
	m := loadFixture(t, testLoader(t, limits), "good_echo")
	var lent sync.Map // instance to whether it is borrowed
	together(8, func(int) {
		for range 200 {
			in, fault := m.pool.borrow(context.Background())
			if fault != nil {
				t.Error(fault)
				return
			}
			if already, _ := lent.Swap(in, true); already == true {
				t.Error("an instance is lent to two at once")
				return
			}
			goruntime.Gosched() // so that others ask meanwhile
			lent.Store(in, false)
			m.pool.giveBack(in, true)
		}
	})
	together(8, func(who int) {
		for i := range 200 {
			object := fmt.Appendf(nil, `{"who":%d,"i":%d}`, who, i)
			got, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{object})
			if err != nil || !bytes.Equal(got[0], object) {
				t.Errorf("%s became %q, %v", object, got, err)
				return
			}
		}
	})
}

// TestCancelAtEveryMomentOfCallX18 gives up calls at every moment, of their end too: each ends with
// an answer or with a fault that says so, and what is used afterwards is sound.
func TestCancelAtEveryMomentOfCallX18(t *testing.T) {
	m := loadFixture(t, testLoader(t, smallLimits), "good_echo")
	object := fmt.Appendf(nil, `{"pad":"%s"}`, strings.Repeat("x", 200_000)) // some ten microseconds and a few yields
	times := 2000
	if testing.Short() {
		times = 200
	}
	var answered, givenUp atomic.Int64
	together(4, func(int) {
		for i := range times {
			ctx, cancel := context.WithCancel(context.Background())
			go func() { // ends at once
				for range i % 200 {
					goruntime.Gosched()
				}
				cancel()
			}()
			got, _, err := m.Convert(ctx, "g/v1", "g/v2", [][]byte{object})
			var fault *FaultError
			switch {
			case err == nil && bytes.Equal(got[0], object):
				answered.Add(1)
			case errors.As(err, &fault) && (fault.Kind == faults.Deadline || fault.Kind == faults.Busy):
				givenUp.Add(1)
			default:
				t.Errorf("%.100q, %v", got, err)
			}
		}
	})
	t.Logf("%d answered, %d given up", answered.Load(), givenUp.Load())
	if got, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject}); err != nil || !bytes.Equal(got[0], testObject) {
		t.Errorf("afterwards: %q, %v", got, err)
	}
}

// TestClosedModulesLeaveNothingX21 loads, uses and closes modules many times: no file, no mapping
// and no memory to speak of stays behind.
func TestClosedModulesLeaveNothingX21(t *testing.T) {
	l := testLoader(t, smallLimits)
	held := func() (files, maps, memory int) {
		fds, _ := filepath.Glob("/proc/self/fd/*")
		text, _ := os.ReadFile("/proc/self/maps")
		return len(fds), bytes.Count(text, []byte("\n")), residentBytes("/proc/self/statm")
	}
	all := []string{"good_echo", "x13_state_large", "x09_unreachable", "x05_recursion", "m09_initialize_trap", "command_good"}
	rounds := func(n int) {
		for range n {
			for _, name := range all {
				if m, err := l.load(context.Background(), testName, fixture(t, name)); err == nil {
					_, _, _ = m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
					m.Close()
				}
			}
		}
	}
	before, after := 20, 60 // in the first rounds everything is made that is made once
	if testing.Short() {
		before, after = 5, 10
	}
	rounds(before)
	debug.FreeOSMemory()
	files, maps, memory := held()
	rounds(after)
	eventually.Succeeds(t, "the collector to unmap the code", func() error {
		debug.FreeOSMemory()
		filesAfter, mapsAfter, memoryAfter := held()
		if filesAfter > files+4 || mapsAfter > maps+30 || memoryAfter > memory+24<<20 { // more than the Go runtime's own; a leak would have one for each round
			return fmt.Errorf("many modules later: files %d and %d, maps %d and %d, memory %d and %d KiB", files, filesAfter, maps, mapsAfter, memory>>10, memoryAfter>>10)
		}
		return nil
	})
}
