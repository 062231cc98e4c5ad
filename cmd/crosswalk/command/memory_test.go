package command

import (
	"context"
	"errors"
	"testing"
)

// TestBoundMemory tests that work ends with its reason when the process has too much memory, and
// the process if the work does not.
func TestBoundMemory(t *testing.T) {
	ended := make(chan MemoryError, 1)
	ctx, stop := boundMemory(t.Context(), MemoryError{1 << 20, LargeObjects}, func(e MemoryError) { ended <- e }) // a test has more
	defer stop()
	<-ctx.Done()
	const want = "stopped, because the process needs more than 1 MiB of memory: the definition demands very large objects"
	if err := context.Cause(ctx); !errors.As(err, new(MemoryError)) || err.Error() != want {
		t.Errorf("%v", err)
	}
	if e := <-ended; e.Error() != want {
		t.Errorf("%v", e)
	}
}

// TestBoundMemoryLetsWorkGoOn tests that enough memory ends nothing.
func TestBoundMemoryLetsWorkGoOn(t *testing.T) {
	ctx, stop := boundMemory(t.Context(), MemoryError{1 << 60, LargeObjects}, func(MemoryError) { t.Error("ended") })
	if ctx.Err() != nil {
		t.Error(context.Cause(ctx))
	}
	stop()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
