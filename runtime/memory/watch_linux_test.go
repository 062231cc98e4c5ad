//go:build amd64 || arm64 || riscv64 || loong64

package memory

import (
	"bytes"
	"os"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"github.com/tetratelabs/wazero/api"
)

// watched is an instance of which a test writes the memory as a guest would.
type watched struct {
	t      *testing.T
	linear *Linear
	memory api.Memory
	image  *Image
}

func newWatched(t *testing.T, file bool) *watched {
	t.Helper()
	linear, memory := instantiate(t, "x13_state_large")
	image := imageOf(memory)
	t.Cleanup(image.Close)
	if image.pagemap == nil || !image.pagemap.counted {
		t.Skip("no usable /proc/self/pagemap, or page faults are not counted")
	}
	if !file {
		image = withoutFile(image)
	}
	w := &watched{t, linear, memory, image}
	w.reset()
	return w
}

func (w *watched) reset() {
	w.t.Helper()
	if !w.image.Install(w.linear, w.memory, nil) {
		w.t.Fatal("cannot be reset")
	}
}

// run runs a guest, under a watch, and resets its memory. It reports whether there was no page
// fault.
func (w *watched) run(guest func(all []byte)) (quiet bool) {
	w.t.Helper()
	w.linear.Watch()
	all, _ := w.memory.Read(0, w.memory.Size())
	guest(all)
	w.linear.Unwatch(true)
	quiet = w.linear.complete
	w.reset()
	return quiet
}

// batch is run, and reads all of the memory afterwards.
func (w *watched) batch(guest func(all []byte)) {
	w.t.Helper()
	w.run(guest)
	all, _ := w.memory.Read(0, w.memory.Size())
	if !bytes.Equal(all[:len(w.image.content)], w.image.content) || len(bytes.Trim(all[len(w.image.content):], "\x00")) > 0 {
		w.t.Fatal("bytes of the batch are left")
	}
}

// settle repeats a batch until it ends without a page fault. Another may have one at any time, for
// memory of the test itself.
func (w *watched) settle(guest func(all []byte)) {
	w.t.Helper()
	for range 1000 {
		if w.run(guest) {
			return
		}
	}
	w.t.Fatal("every batch had page faults")
}

// TestWatchFindsNewPagesX13: after batches that write to the same page again and again, and so have
// no page faults, the first write to another page is found.
func TestWatchFindsNewPagesX13(t *testing.T) {
	w := newWatched(t, true)
	page := os.Getpagesize()
	first := func(all []byte) { all[0]++ }
	for other := 1; other < 20; other++ {
		w.settle(first)
		w.batch(func(all []byte) { all[0]++; all[other*page]++ })
	}
}

// TestWatchOfGrownMemoryX13: a page beyond the image, written by a batch that grew the memory,
// stays private while batches do not grow it. A later batch that grows it again writes to the page
// without a page fault.
func TestWatchOfGrownMemoryX13(t *testing.T) {
	w := newWatched(t, true)
	grow := func([]byte) {
		if _, ok := w.memory.Grow(1); !ok {
			t.Fatal("cannot grow")
		}
		all, _ := w.memory.Read(0, w.memory.Size())
		if all[len(all)-1] != 0 {
			t.Fatal("a byte of an earlier batch is left")
		}
		all[len(all)-1] = 1
	}
	for range 3 {
		w.batch(grow)
		w.settle(func(all []byte) { all[0]++ })
		w.settle(grow)
		w.batch(grow)
	}
}

// TestWatchThatEndsEarlyX13: a guest that writes after its watch ended, or without one, has its
// pages found.
func TestWatchThatEndsEarlyX13(t *testing.T) {
	w := newWatched(t, true)
	page := os.Getpagesize()
	for other := 1; other < 10; other++ {
		w.settle(func(all []byte) { all[0]++ })
		w.batch(func(all []byte) { w.linear.Unwatch(false); all[other*page]++ })
		w.settle(func(all []byte) { all[0]++ })
		w.linear.Forget()
		w.batch(func(all []byte) { all[(10+other)*page]++ })
	}
}

// TestWatchHoldsThreadX13: a watch counts the faults of one thread, so its goroutine stays on it.
func TestWatchHoldsThreadX13(t *testing.T) {
	w := newWatched(t, true)
	stop := make(chan struct{})
	defer close(stop)
	for range 2 * runtime.GOMAXPROCS(0) {
		go func() { // ends with the test
			for {
				select {
				case <-stop:
					return
				default:
					runtime.Gosched()
				}
			}
		}()
	}
	w.settle(func(all []byte) { all[0]++ })
	w.linear.Watch()
	defer w.linear.Unwatch(true)
	thread := syscall.Gettid()
	for range 20_000 {
		runtime.Gosched()
		if now := syscall.Gettid(); now != thread {
			t.Fatalf("the guest began on thread %d and is on thread %d", thread, now)
		}
	}
}

// TestUnusedPagesGoBack: pages that one batch wrote do not take time at every later reset.
func TestUnusedPagesGoBack(t *testing.T) {
	w := newWatched(t, true)
	page := os.Getpagesize()
	w.run(func(all []byte) {
		for i := range 60 {
			all[i*page]++
		}
	})
	if n := len(w.linear.private); n < 60 {
		t.Fatalf("%d private pages", n)
	}
	for range unusedBatches + 1 { // batch would make pages behind the image private, by reading them
		w.run(func(all []byte) { all[30*page]++ })
	}
	if n := len(w.linear.private); n > 5 {
		t.Errorf("%d private pages; batches write to one", n)
	}
	w.linear.Forget() // the kernel says the same
	w.reset()
	if n := len(w.linear.private); n > 5 {
		t.Errorf("%d private pages by the pagemap; batches write to one", n)
	}
}

// TestPagesOfEverySecondBatchStay: a page goes back after batches in a row that did not write it. The
// kernel would otherwise copy pages again that most batches need.
func TestPagesOfEverySecondBatchStay(t *testing.T) {
	w := newWatched(t, true)
	page := os.Getpagesize()
	for i := range 3 * unusedBatches {
		w.run(func(all []byte) { all[10*page]++ })
		w.run(func(all []byte) { all[30*page]++ })
		for _, used := range []int{10, 30} {
			if !slices.Contains(w.linear.private, used) {
				t.Fatalf("after %d batches, page %d is not private any more", 2*i+2, used)
			}
		}
	}
}

// TestUnusedPagesStayWithoutFile: pages of an image without a file cannot go back, because they
// would be zero.
func TestUnusedPagesStayWithoutFile(t *testing.T) {
	w := newWatched(t, false)
	for range unusedBatches + 2 {
		w.batch(func(all []byte) { all[0]++ })
	}
}

func TestMajorFaultsCount(t *testing.T) {
	if got := faultsOf(&syscall.Rusage{Minflt: 3, Majflt: 2}); got != 5 {
		t.Errorf("%d page faults, want 5", got)
	}
}

// TestKeepBytesBoundsPrivatePages: an instance keeps pages of KeepBytes, and not of one page more.
func TestKeepBytesBoundsPrivatePages(t *testing.T) {
	w := newWatched(t, true)
	page := w.image.pagemap.pageSize
	before, ok := w.memory.Grow(uint32(2 * KeepBytes / PageSize))
	if !ok {
		t.Fatal("the memory does not grow")
	}
	all, _ := w.memory.Read(0, w.memory.Size())
	fresh := all[int(before)*PageSize:]
	w.linear.findPrivate(w.image.pagemap, len(all))
	room := KeepBytes/page - len(w.linear.private)
	for i := range room {
		fresh[i*page] = 1
	}
	if !w.linear.findPrivate(w.image.pagemap, len(all)) || len(w.linear.private)*page != KeepBytes {
		t.Errorf("%d private pages of %d bytes are too many", len(w.linear.private), page)
	}
	fresh[room*page] = 1
	if w.linear.findPrivate(w.image.pagemap, len(all)) {
		t.Errorf("%d private pages of %d bytes are kept", len(w.linear.private), page)
	}
}

// TestKernelThatCountsNoFaults: where the kernel does not count the fault of each first write, a watch
// without faults shows nothing, and the pagemap is read after each batch.
func TestKernelThatCountsNoFaults(t *testing.T) {
	w := newWatched(t, true)
	w.run(func(all []byte) { all[0]++ })
	if !w.linear.complete {
		t.Skip("the kernel of this machine does not count them")
	}
	w.image.pagemap.counted = false
	w.linear.Forget()
	w.run(func(all []byte) { all[0]++ })
	if w.linear.complete {
		t.Error("the private pages are taken for known")
	}
}
