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

// Bounds of the memory of a command that works on a definition: the collector works harder from
// softMemory on, the work ends at MaxMemory, and the process at twice that, if the work does not.
const (
	softMemory = 1 << 30
	MaxMemory  = 3 << 30
)

// MemoryError reports work that ended because of its memory.
type MemoryError struct{ most uint64 }

func (e MemoryError) Error() string {
	return fmt.Sprintf("stopped, because the process needs more than %d MiB of memory: the definition demands very large objects", e.most>>20)
}

// BoundMemory returns a context that ends with a MemoryError when the process needs too much
// memory. The caller must call stop.
func BoundMemory(ctx context.Context, w io.Writer) (bounded context.Context, stop func()) {
	before := debug.SetMemoryLimit(softMemory)
	bounded, end := boundMemory(ctx, MaxMemory, func(e MemoryError) {
		fmt.Fprintf(w, "crosswalk: %v\n", e)
		os.Exit(ExitError)
	})
	return bounded, func() {
		end()
		debug.SetMemoryLimit(before)
	}
}

// boundMemory cancels the context at most bytes, and calls end at twice as many.
func boundMemory(ctx context.Context, most uint64, end func(MemoryError)) (bounded context.Context, stop func()) {
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
			if used > most {
				cancel(MemoryError{most})
			}
			if used > 2*most {
				end(MemoryError{most})
				return
			}
		}
	}()
	return bounded, func() {
		close(done)
		cancel(nil)
	}
}
