package module

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/tetratelabs/wazero/api"

	"github.com/crosswalk-gateway/crosswalk/internal/fair"
	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/memory"
)

// overdueContext is a context whose deadline has passed, and whose timer has not fired.
type overdueContext struct{ context.Context }

func (overdueContext) Deadline() (time.Time, bool) { return time.Now().Add(-time.Second), true }

// TestDeadlineBeforeItsTimer: a guest is stopped at its caller's deadline although the timer of the
// context is late, as goroutines beside a guest are.
func TestDeadlineBeforeItsTimer(t *testing.T) {
	m := loadFixture(t, testLoader(t, smallLimits), "x01_spin")
	_, _, err := m.Convert(overdueContext{t.Context()}, "g/v1", "g/v2", [][]byte{testObject})
	wantFault(t, err, faults.Deadline, "the request was cancelled while the module worked on it")
}

// TestCallersFaultsAreNotCounted: a module is not at fault if its caller gave up.
func TestCallersFaultsAreNotCounted(t *testing.T) {
	m := loadFixture(t, testLoader(t, smallLimits), "good_echo")
	for _, fault := range []*FaultError{faultf(faults.Deadline, "cancelled").byCaller(), faultf(faults.Deadline, "late")} {
		m.counters.call(time.Now(), nil, fault)
		if got, want := testutil.ToFloat64(m.counters.metrics.faults[faults.Deadline]) > 0, !fault.callers; got != want {
			t.Errorf("%v is counted: %v, want %v", fault, got, want)
		}
	}
}

// TestFaultyInstanceIsNotKept: its memory could be reset, and the rest of its state is unknown.
func TestFaultyInstanceIsNotKept(t *testing.T) {
	m := loadFixture(t, testLoader(t, smallLimits), "x09_unreachable")
	_, _, err := m.Convert(t.Context(), "g/v1", "g/v2", [][]byte{testObject})
	wantFault(t, err, faults.Trap, "unreachable")
	if idle, working := m.Instances(); idle+working != 0 {
		t.Errorf("%d idle and %d working instances", idle, working)
	}
}

// TestRefusalLongerThanAnAnswer: the reason of a refusal has a limit of its own.
func TestRefusalLongerThanAnAnswer(t *testing.T) {
	limits := smallLimits
	limits.ObjectReplyBytes = 1
	m := loadFixture(t, testLoader(t, limits), "good_refuse")
	if _, refused, err := m.Convert(t.Context(), "g/v1", "g/v2", [][]byte{testObject}); err != nil || refused[0] != "spec.x: not today" {
		t.Errorf("refused %v, %v", refused, err)
	}
}

// heldMemory is a Footprint that counts.
type heldMemory struct{ bytes int64 }

func (h *heldMemory) Hold(bytes int64) error { h.bytes += bytes; return nil }
func (h *heldMemory) Free()                  { h.bytes = 0 }

// TestImageIsHeld: the initial memory counts as memory of the module.
func TestImageIsHeld(t *testing.T) {
	held := &heldMemory{}
	l := testLoader(t, smallLimits)
	l.footprint = held
	m := loadFixture(t, l, "a07_kind")
	if want := int64(m.program.image.Bytes()); held.bytes != want || want == 0 {
		t.Errorf("%d bytes are held for an image of %d", held.bytes, want)
	}
}

// TestPlaceOfAFailedLoan: a batch that gets no share of the instances, or whose instance cannot be made,
// gives back its place and its instance.
func TestPlaceOfAFailedLoan(t *testing.T) {
	b := NewBudget(1, false)
	p := newPool(&Program{limits: Limits{ModuleInstances: 1}, price: 1}, artifact.Name{}, b)
	if _, fault := p.borrow(t.Context()); fault == nil || fault.Kind != faults.Fuel {
		t.Errorf("an instance that costs too much: %v", fault)
	}
	if _, working := p.count(); working != 0 || b.Instances() != 0 {
		t.Errorf("%d at work of %d instances after an instance that cannot be made", working, b.Instances())
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if fault := b.work(t.Context(), nil, fair.Claim{Units: 1}); fault != nil { // another module's
		t.Fatal(fault)
	}
	if fault := p.begin(over, nil); fault == nil || fault.Kind != faults.Busy {
		t.Errorf("no share: %v", fault)
	}
	if _, working := p.count(); working != 0 {
		t.Errorf("%d at work without a share", working)
	}
}

// TestLargeObjectIsNoWitness: the object with which a module is probed is small.
func TestLargeObjectIsNoWitness(t *testing.T) {
	var box witnessBox
	box.keep("g/v2", [][]byte{make([]byte, maxWitness+1)})
	if box.kept.Load() != nil {
		t.Error("an object above the limit is kept")
	}
	if box.keep("g/v2", [][]byte{make([]byte, maxWitness)}); box.kept.Load() == nil {
		t.Error("an object at the limit is not kept")
	}
}

// sizedMemory is a guest's memory of some pages, of at most ten.
type sizedMemory struct {
	api.Memory
	pages uint32
}

type tenPages struct{ api.MemoryDefinition }

func (m sizedMemory) Size() uint32                     { return m.pages * memory.PageSize }
func (m sizedMemory) Definition() api.MemoryDefinition { return tenPages{} }
func (tenPages) Max() (uint32, bool)                   { return 10, true }

// TestHalfOfTheMemoryIsShort: a trap without a message means a lack of memory from half of the maximum
// on, because languages grow their memory to twice its size.
func TestHalfOfTheMemoryIsShort(t *testing.T) {
	for pages, want := range map[uint32]bool{4: false, 5: true, 10: true} {
		c := newCall(nil, nil)
		c.guestMemory = sizedMemory{pages: pages}
		if got := c.memoryIsShort(); got != want {
			t.Errorf("%d pages of 10: %v", pages, got)
		}
	}
}
