package runtime

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// TestStatusKeepsUp reads the status while a module is replaced: it always shows the serving
// module.
func TestStatusKeepsUp(t *testing.T) {
	const file = "K.g_v1_v2.wasm"
	f := &following{t: t, dir: t.TempDir(), slow: 30 * time.Millisecond}
	f.put(file, "good_echo")
	f.run(Config{})
	for _, next := range []string{"good_refuse", "good_echo"} {
		before := f.status(file).Digest
		f.put(file, next)
		f.until("the new module", func() bool {
			s := f.status(file)
			if s.State != StateServing || len(s.Superseded) > 0 {
				t.Fatalf("status %+v", s)
			}
			if s.Digest == before {
				return false
			}
			if m := f.module("v1", "v2"); m.Digest() != s.Digest {
				t.Errorf("the status shows %s, and %s serves", s.Digest, m.Digest())
			}
			return true
		})
	}
}

// TestHammerReload converts from several goroutines while the module is replaced again and again:
// no call fails, every answer is one module's or the other's, and all that was replaced is closed.
func TestHammerReload(t *testing.T) {
	const file, swaps = "K.g_v1_v2.wasm", 60
	f := follow(t, map[string]string{file: "good_echo"})
	stop := make(chan struct{})
	var wg sync.WaitGroup
	var calls atomic.Int64
	for range 4 {
		wg.Add(1)
		go func() { // ends when the last module has been swapped in
			defer wg.Done()
			for {
				select {
				case <-stop:
					return
				default:
				}
				s := f.pin()
				m := s.Bindings()[0].Module
				got, refused, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
				s.Release()
				if err != nil || (string(got[0]) != string(testObject) && refused[0] != "spec.x: not today") {
					t.Errorf("got %q, refused %v, error %v", got, refused, err)
					return
				}
				calls.Add(1)
			}
		}()
	}
	replaced := map[*module.Module]bool{}
	for i := range swaps {
		before := f.module("v1", "v2")
		f.put(file, []string{"good_refuse", "good_echo"}[i%2])
		f.until(fmt.Sprintf("swap %d", i), func() bool { return f.module("v1", "v2") != before })
		replaced[before] = true
	}
	close(stop)
	wg.Wait()
	for m := range replaced {
		if n := f.holders.count(m); n != 0 {
			t.Errorf("a replaced module is still in %d sets", n)
		}
	}
	if len(replaced) != swaps || calls.Load() < swaps {
		t.Errorf("%d modules replaced and %d calls made", len(replaced), calls.Load())
	}
}
