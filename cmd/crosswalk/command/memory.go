package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Bounds of the memory of a command that works on foreign input: the collector works harder from two
// thirds of MaxMemory on, the work ends at MaxMemory, and the process at twice that, if the work does
// not. The packages of a large operator take 0.9 GiB, with which a limit of 1 GiB would leave the
// collector half of the processors.
const MaxMemory = 3 << 30

// LargeObjects is why a command that works on a definition needs too much memory.
const LargeObjects = "the definition demands very large objects"

// MemoryError reports work that ended because of its memory.
type MemoryError struct {
	most uint64
	why  string
}

func (e MemoryError) Error() string {
	return fmt.Sprintf("stopped, because the process needs more than %d MiB of memory: %s", e.most>>20, e.why)
}

// BoundMemory returns a context that ends with a MemoryError, which says why, when the process needs
// too much memory. The caller must call stop.
func BoundMemory(ctx context.Context, w io.Writer, why string) (bounded context.Context, stop func()) {
	before := debug.SetMemoryLimit(MaxMemory / 3 * 2)
	bounded, end := boundMemory(ctx, MemoryError{MaxMemory, why}, func(e MemoryError) {
		fmt.Fprintf(w, "crosswalk: %v\n", e)
		os.Exit(ExitError)
	})
	return bounded, func() {
		end()
		debug.SetMemoryLimit(before)
	}
}

// boundMemory cancels the context at the bytes of an error, and calls end at twice as many.
func boundMemory(ctx context.Context, at MemoryError, end func(MemoryError)) (bounded context.Context, stop func()) {
	bounded, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() { // until stop is called
		sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
			metrics.Read(sample)
			used := sample[0].Value.Uint64() - sample[1].Value.Uint64()
			if used > at.most {
				cancel(at)
			}
			if used > 2*at.most {
				end(at)
				return
			}
		}
	}()
	return bounded, func() {
		close(done)
		cancel(nil)
	}
}
