package load

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// TestStartDeadlineIsBusy starts a module that never ends with so much fuel that the wall clock
// ends it first. The file is not to blame for the clock.
func TestStartDeadlineIsBusy(t *testing.T) {
	limits := smallLimits
	limits.LoadTime, limits.FuelToLoad = time.Nanosecond, 1<<50
	l := testLoader(t, limits)
	for _, file := range []string{"m09_start_spin", "m09_initialize_spin"} {
		_, err := l.Load(context.Background(), testName, fixture(t, file), nil)
		if !IsBusy(err) || !strings.HasPrefix(err.Error(), "the machine was too busy to load the module, which is tried again soon: starting the module: ") {
			t.Errorf("%s: error %v, want a *BusyError", file, err)
		}
	}
}

func TestBusyErrors(t *testing.T) {
	fault := func(kind, text string) error { return &module.FaultError{Kind: kind, Err: errors.New(text)} }
	deadline := fault(faults.Deadline, "too late")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, gaveUp := loadFixture(t, testLoader(t, smallLimits), "x01_spin").Convert(ctx, "g/v1", "g/v2", [][]byte{testObject})
	for _, tc := range []struct {
		name string
		err  error
		busy bool
	}{
		{"nothing", nil, false},
		{"a deadline", deadline, true},
		{"a deadline that was busy before", &BusyError{deadline}, true},
		{"a caller that gave up", gaveUp, false},
		{"fuel", fault(faults.Fuel, "used up"), false},
		{"another error", errors.New("not a module"), false},
	} {
		err := busyOr(tc.err)
		if IsBusy(err) != tc.busy {
			t.Errorf("%s: busy is %v, want %v", tc.name, IsBusy(err), tc.busy)
		}
		if tc.err != nil && strings.Count(err.Error(), "too busy") > 1 {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}
