package load

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

func TestTryTime(t *testing.T) {
	limits := module.Limits{CompileTime: 2 * time.Minute}
	for _, test := range []struct {
		name          string
		size, overran int
		most, want    time.Duration
	}{
		{"small", 206, 0, time.Minute, tryBase + 206*tryPerMiB>>20},
		{"2 MiB", 2 << 20, 0, time.Minute, 21 * time.Second},
		{"no longer than is waited for", 2 << 20, 0, 20 * time.Second, 20 * time.Second},
		{"second try", 0, 1, time.Minute, 20 * time.Second},
		{"third try", 0, 2, time.Minute, 80 * time.Second},
		{"bounded by --compile-timeout alone", 0, 3, time.Minute, 0},
	} {
		if got := TryTime(test.size, test.overran, test.most, limits); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestFirstTryEndsByProcessorTimeW18: a file whose start never ends uses up the processor time of its
// first try, however long the try may take; the try is over, and the file is not refused.
func TestFirstTryEndsByProcessorTimeW18(t *testing.T) {
	limits := module.Limits{FuelToLoad: 1 << 50, FuelToStart: 1 << 50, LoadTime: time.Hour, CompileTime: time.Hour}
	l := NewLoader(Config{Limits: limits, Vet: true})
	ctx, end := WithTry(t.Context(), time.Hour, 100*time.Millisecond)
	name, err := artifact.ParseName("K.g_v1_v2.wasm")
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Load(ctx, name, fixture(t, "m09_start_spin"), nil)
	if !errors.Is(err, ErrOverran) || !errors.Is(context.Cause(ctx), ErrOverran) {
		t.Errorf("error %v, cause %v", err, context.Cause(ctx))
	}
	if took := end(); took <= 0 {
		t.Errorf("the try took %v", took)
	}
	if got, want := FirstTry(1<<20), firstBase+tryPerMiB; got != want {
		t.Errorf("a first try for 1 MiB may use %v, want %v", got, want)
	}
}
