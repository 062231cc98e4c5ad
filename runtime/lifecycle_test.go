package runtime

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// TestModulesServeWhileDirectoryIsLostW7: a directory that is lost, as when a volume is unmounted
// or its disk fails, takes nothing away; when it is back it is followed again.
func TestModulesServeWhileDirectoryIsLostW7(t *testing.T) {
	for _, tc := range []struct {
		name, want string // want: part of the message about the directory
		lose       func(dir string) error
	}{
		{"gone", "no such file or directory", os.RemoveAll},
		{"a file", "not a directory", func(dir string) error {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			return os.WriteFile(dir, nil, 0o600)
		}},
		{"a mount whose ..data leads nowhere", "..data: no such file or directory", func(dir string) error {
			return os.Symlink("..nowhere", filepath.Join(dir, "..data"))
		}},
		{"links in a circle", "too many levels of symbolic links", func(dir string) error {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			return os.Symlink(dir, dir)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &following{t: t, dir: filepath.Join(t.TempDir(), "modules")}
			if err := os.Mkdir(f.dir, 0o755); err != nil {
				t.Fatal(err)
			}
			f.put("K.g_v1_v2.wasm", "good_echo")
			f.run(Config{})
			before := f.module("v1", "v2")
			if err := tc.lose(f.dir); err != nil {
				t.Fatal(err)
			}
			f.until("a problem", func() bool { return strings.Contains(f.Problem(), tc.want) })
			if !f.Ready() || f.module("v1", "v2") != before {
				t.Error("the module does not serve any more")
			}
			if st := f.status("K.g_v1_v2.wasm"); st.State != StateServing {
				t.Errorf("the module is %s", st.State)
			}

			if err := os.RemoveAll(f.dir); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(f.dir, 0o755); err != nil {
				t.Fatal(err)
			}
			f.put("K.g_v1_v2.wasm", "good_refuse")
			f.until("the new module", func() bool { return f.Problem() == "" && f.module("v1", "v2") != before })
		})
	}
}

// TestShutdownDuringLoadW11: a registry that is told to end while it loads, at the start or later,
// ends soon and leaves no module behind.
func TestShutdownDuringLoadW11(t *testing.T) {
	good := fixture(t, "good_echo").Content
	for i := range 12 {
		dir := t.TempDir()
		write := func(kind string) {
			for version := range 4 {
				file := filepath.Join(dir, fmt.Sprintf("%s.g_v%d_v%d.wasm", kind, version, version+1))
				if err := os.WriteFile(file, good, 0o600); err != nil {
					t.Fatal(err)
				}
				old := time.Now().Add(-time.Minute)
				if err := os.Chtimes(file, old, old); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, kind := range []string{"K", "M", "N"} { // one serves before the others are loaded
			write(kind)
		}
		var mu sync.Mutex
		var loaded []*module.Module
		r, err := New(Config{
			Dir: dir, Limits: smallLimits, Registerer: prometheus.NewRegistry(), Quiet: time.Millisecond, MaxQuiet: 8 * time.Millisecond,
			OnSet: func(*Set) {},
		})
		if err != nil {
			t.Fatal(err)
		}
		load := r.load
		r.load = func(ctx context.Context, name artifact.Name, file watch.File, beside *watch.File) (*module.Module, error) {
			m, err := load(ctx, name, file, beside)
			if m != nil {
				mu.Lock()
				defer mu.Unlock()
				loaded = append(loaded, m)
			}
			return m, err
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.Run(ctx) }() // ends with cancel
		if i%2 == 1 {
			eventually.True(t, "ready", r.Ready)
			write("L") // a reload, which races with the end
		}
		time.Sleep(time.Duration(i) * 2 * time.Millisecond)
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			t.Fatal("it does not end")
		}
		if n := len(r.holders.sets); n != 0 {
			t.Errorf("sets hold %d modules after the end", n)
		}
		for _, m := range loaded {
			if idle, working := m.Instances(); idle+working != 0 {
				t.Errorf("%s has %d idle and %d working instances after the end", m.Name(), idle, working)
			}
		}
	}
}

// A file that is being copied in while the registry starts is waited for: it is not ready before
// that file serves.
func TestReadyWaitsForCopy(t *testing.T) {
	t.Parallel() // it mostly waits
	const quiet = time.Second
	dir := t.TempDir()
	content := fixture(t, "good_echo").Content
	f := &following{t: t, dir: dir}
	var atReady []Binding
	config := Config{
		Dir: dir, Limits: smallLimits, Registerer: prometheus.NewRegistry(), Quiet: quiet,
		OnSet: func(s *Set) { f.set.Store(s) }, OnReady: func() { atReady = f.set.Load().Bindings() },
	}
	var err error
	if f.Registry, err = New(config); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	file, err := os.Create(filepath.Join(dir, "K.g_v1_v2.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	write := func(part []byte) {
		t.Helper()
		if _, err := file.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	write(content[:1])
	began, written, pause := time.Now(), time.Now(), time.Duration(0)    // pause: the longest between two writes, and not less than it was
	go func() { ended <- f.Run(ctx) }()                                  // ends with cancel
	for i := 1; time.Since(began) < 3*quiet && i < len(content)-1; i++ { // longer than a snapshot waits by itself
		time.Sleep(quiet / 50)
		before := time.Now()
		write(content[i : i+1])
		pause, written = max(pause, time.Since(written)), before
		if f.Ready() && max(pause, time.Since(written)) < quiet {
			t.Fatal("ready while a file is being written")
		}
	}
	if err := os.WriteFile(file.Name(), content, 0o600); err != nil {
		t.Fatal(err)
	}
	pause = max(pause, time.Since(written))
	f.until("ready", f.Ready)
	f.until("the file to serve", func() bool { return f.status("K.g_v1_v2.wasm").State == StateServing })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if pause >= quiet {
		t.Skipf("the machine let the copy rest for %v, and a copy that rests for %v is taken for finished", pause, quiet)
	}
	if len(atReady) != 2 {
		t.Errorf("when it was ready it served %v", atReady)
	}
}
