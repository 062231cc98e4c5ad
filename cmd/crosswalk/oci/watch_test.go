package oci

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestWatchRecordsSuccess reads the time that a gateway reads (cmd/gateway/status): successful
// pulls set it, also those without a change, and failures do not.
func TestWatchRecordsSuccess(t *testing.T) {
	host, down := interruptible(t)
	pinned := push(t, host+"/m:v1", map[string]string{"a.wasm": "1"})
	for _, tc := range []struct {
		ref   string
		fails bool // without the registry
	}{{host + "/m:v1", true}, {pinned, false}} {
		dir, errs := t.TempDir(), make(chan error)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() { // ends with ctx
			defer close(ended)
			_ = Watch(ctx, Registry{}, []string{tc.ref}, dir, time.Millisecond, func(_ Result, err error) {
				select {
				case errs <- err:
				case <-ctx.Done():
				}
			})
		}()
		old := time.Unix(1_700_000_000, 0)
		file := filepath.Join(dir, "..data", "..pulled")
		// after returns whether the time is set by a pull that begins after it was set back.
		after := func(failing bool) bool {
			t.Helper()
			must(t, os.Chtimes(file, old, old))
			<-errs // of a pull that may have begun before
			if err := <-errs; (err != nil) != failing {
				t.Fatalf("%s: error %v", tc.ref, err)
			}
			info, err := os.Stat(file)
			must(t, err)
			return !info.ModTime().Equal(old)
		}
		must(t, <-errs)
		if !after(false) {
			t.Errorf("%s: a pull without a change does not set the time", tc.ref)
		}
		down.Store(true)
		<-errs
		if after(tc.fails) == tc.fails {
			t.Errorf("%s: without the registry the time is set: %v", tc.ref, !tc.fails)
		}
		down.Store(false)
		cancel()
		<-ended
	}
}
