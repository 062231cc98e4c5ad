package module

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// TestCrashNamesItsObjectX23: the object that a module crashed at is known by its place among all
// objects of the conversion.
func TestCrashNamesItsObjectX23(t *testing.T) {
	limits := smallLimits
	limits.BatchObjects = 4
	m := loadFixture(t, testLoader(t, limits), "x23_status")
	objects := [][]byte{testObject, testObject, testObject, testObject, testObject, testObject}
	crash := func(objects [][]byte, batch batchFunc) *FaultError {
		t.Helper()
		_, _, err := m.inBatches(context.Background(), "g/v2", objects, batch)
		fault, ok := err.(*FaultError)
		if !ok {
			t.Fatalf("error %v, want a fault", err)
		}
		return fault
	}
	batch := func(m *Module) batchFunc {
		return func(ctx context.Context, to string, objects [][]byte) ([][]byte, map[int]string, *FaultError) {
			return m.batch(ctx, to, objects)
		}
	}
	if at, known := crash(objects[:3], batch(m)).Object(); at != 1 || !known { // the module converts the first of several
		t.Errorf("one batch: crashed at %d, %v, want 1", at, known)
	}
	last := func(ctx context.Context, to string, objects [][]byte) ([][]byte, map[int]string, *FaultError) {
		if len(objects) == limits.BatchObjects {
			return objects, nil, nil
		}
		return m.batch(ctx, to, objects)
	}
	if at, known := crash(objects, last).Object(); at != 5 || !known {
		t.Errorf("the second of two batches: crashed at %d, %v, want 5", at, known)
	}
	trap := loadFixture(t, testLoader(t, limits), "x09_unreachable")
	if at, known := crash(objects, batch(trap)).Object(); known {
		t.Errorf("a trap names object %d", at)
	}
}

// TestTrapWithLittleMemoryIsTrapX24: only a guest that has used its memory is said to have run out
// of it.
func TestTrapWithLittleMemoryIsTrapX24(t *testing.T) {
	m := loadFixture(t, testLoader(t, smallLimits), "x09_unreachable")
	_, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
	wantFault(t, err, faults.Trap, "the module trapped: unreachable")
}

// TestStartHasBoundsOfItsOwn: a start that does not end is stopped by the bounds of a start, and
// the message says so.
func TestStartHasBoundsOfItsOwn(t *testing.T) {
	l := testLoader(t, smallLimits)
	_, err := l.load(context.Background(), testName, fixture(t, "m09_initialize_spin"))
	if err == nil || !strings.Contains(err.Error(), "the module exceeded the fuel limit of a start (50 million units") {
		t.Errorf("without fuel: %v", err)
	}
	limits := smallLimits
	limits.LoadTime = time.Millisecond
	limits.FuelToLoad = 1 << 50
	_, err = testLoader(t, limits).load(context.Background(), testName, fixture(t, "m09_initialize_spin"))
	if err == nil || !strings.Contains(err.Error(), "the module's start did not finish within the time limit of a start (1ms)") {
		t.Errorf("without time: %v", err)
	}
}
