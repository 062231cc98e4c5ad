package module

import (
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/memory"
)

// lastWords is the text of a guest's crash: the last message that it logged at level error during
// the call, or the start of the crash report that its language's runtime wrote to stderr. It is
// empty without either.
func (c *call) lastWords() string {
	if len(c.lastError) > 0 {
		return oneLine(foreign.Clean(c.lastError, maxRefusal))
	}
	for _, w := range []*lineWriter{&c.stderr, &c.stdout} {
		w.flush()
		if summary := reportSummary(w.report); summary != "" {
			return summary
		}
	}
	return ""
}

// noteError keeps the last message that the guest logged at level error, bounded as refusals are.
func (c *call) noteError(message []byte) {
	c.lastError = append(c.lastError[:0], message[:min(len(message), maxRefusal)]...)
}

// faultOf turns the error of a guest call into a fault, and adds the cause of a trap if the call
// knows it.
func (c *call) faultOf(err error) *FaultError {
	fault := faultOf(err)
	if fault.Kind != faults.Trap {
		return fault
	}
	said := c.lastWords()
	switch {
	case saysOutOfMemory(said):
		return c.outOfMemory(said)
	case said != "":
		return faultf(faults.Trap, "%s; its last error message: %s", fault, said)
	case strings.HasSuffix(fault.Error(), trapUnreachable) && c.memoryIsShort():
		return c.outOfMemory("it trapped without a message, as languages do when they cannot allocate")
	}
	return fault
}

// trapUnreachable is the engine's text for the instruction that allocators execute after a failure
// without a message.
const trapUnreachable = "unreachable"

// outOfMemory is the fault of a guest that crashed because it could not allocate.
func (c *call) outOfMemory(said string) *FaultError {
	size, most := c.memorySize()
	if most == 0 { // the instance was not made yet
		return faultf(faults.Memory, "the module ran out of memory (--module-memory-bytes): %s", said)
	}
	return faultf(faults.Memory, "the module ran out of memory: its instance has %s of at most %s (--module-memory-bytes): %s", kib(size), kib(most), said)
}

// memoryIsShort reports whether the instance has at least half of its maximum memory. From there
// on, a buffer cannot double, long before all memory is used; a working converter needs a few
// megabytes for a batch.
func (c *call) memoryIsShort() bool {
	size, most := c.memorySize()
	return most > 0 && size >= most/2
}

// memorySize returns how much memory the instance has and may have; zeros before there is an
// instance.
func (c *call) memorySize() (size, most uint64) {
	if c.guestMemory == nil {
		return 0, 0
	}
	pages, _ := c.guestMemory.Definition().Max() // the meter gives every memory a maximum
	return uint64(c.guestMemory.Size()), uint64(pages) * memory.PageSize
}

// kib writes a number of bytes of memory, which comes in pages of 64 KiB.
func kib(n uint64) string {
	if n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}
