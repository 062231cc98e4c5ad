package load

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/child"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// smallLimits let hostile modules do little work before they are stopped, so that tests are quick.
var smallLimits = module.Limits{
	FuelPerObject: 20_000_000, FuelPerByte: 1000, FuelToLoad: 50_000_000, FuelToStart: 20_000_000,
	CallTime: 10 * time.Minute, LoadTime: 10 * time.Minute, // fuel comes first, however busy the machine is
	ModuleInstances: 2, Instances: 6, BreakerFaults: 1000,
	BreakerPause: 1, BreakerPauseMax: 1, // each call reaches the module, also with objects that failed before
}

func testLoader(t testing.TB, limits module.Limits) *Loader {
	t.Helper()
	return newLoader(limits.WithDefaults(), slog.New(slog.DiscardHandler), nil)
}

func fixture(t testing.TB, name string) watch.File {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "testdata", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return watch.File{Name: name, Content: content, Sum: sha256.Sum256(content)}
}

var testName = artifact.Name{File: "K.g_v1_v2.wasm", Base: "K.g_v1_v2", Kind: "K", Group: "g", Versions: []string{"v1", "v2"}}

func loadFixture(t testing.TB, l *Loader, name string) *module.Module {
	t.Helper()
	m, err := l.Load(context.Background(), testName, fixture(t, name), nil)
	if err != nil {
		t.Fatalf("loading %s: %v", name, err)
	}
	t.Cleanup(m.Close)
	return m
}

var testObject = []byte(`{"apiVersion":"g/v1","kind":"K"}`)

// TestHostile loads and calls every fixture while a good module converts beside it: whatever a
// module does, the good one must go on answering, and soon.
func TestHostile(t *testing.T) {
	l := testLoader(t, smallLimits)
	good := loadFixture(t, l, "good_echo")
	seen := map[string]bool{}
	for _, tc := range hostile {
		seen[tc.file] = true
		t.Run(tc.file, func(t *testing.T) {
			alive := watchOver(t, good)
			defer alive()
			m, err := l.Load(context.Background(), testName, fixture(t, tc.file), nil)
			if tc.refused != "" {
				if err == nil {
					m.Close()
					t.Fatal("was loaded")
				}
				if !strings.Contains(err.Error(), tc.refused) {
					t.Errorf("refused with\n %q\nwhich does not say\n %q", err, tc.refused)
				}
				return
			}
			if err != nil {
				t.Fatalf("not loaded: %v", err)
			}
			defer m.Close()
			var first string
			for try := range 3 { // one instance, over and over, or a new one after each fault
				got, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
				if tc.fault == "" {
					if err != nil {
						t.Fatalf("call %d: %v", try, err)
					}
					if s := string(got[0]); tc.answer != "*" && s != tc.answer {
						t.Fatalf("call %d: answered %q, want %q", try, s, tc.answer)
					} else if try > 0 && s != first {
						t.Fatalf("call %d answered %q, the first %q", try, s, first)
					} else {
						first = s
					}
					continue
				}
				var fault *module.FaultError
				if !errors.As(err, &fault) {
					t.Fatalf("call %d: error %v is no fault", try, err)
				}
				if fault.Kind != tc.fault || !strings.Contains(fault.Error(), tc.message) {
					t.Fatalf("call %d: %s fault %q, want %s fault with %q", try, fault.Kind, fault, tc.fault, tc.message)
				}
				if idle, working := m.Instances(); idle+working != 0 {
					t.Fatalf("call %d: an instance that faulted was kept (%d idle, %d working)", try, idle, working)
				}
			}
		})
	}
	files, err := filepath.Glob("../testdata/*.wat")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".wat")
		if !seen[name] && !strings.HasPrefix(name, "good_") && name != "command_refuse" && name != "command_wordless" && name != "command_failed" && name != "command_together" {
			t.Errorf("testdata/%s.wat is in no test", name)
		}
	}
}

// goodWait is the processor time of this process that may pass during a call of a good module. On a
// quiet machine it waits 250 ms for a bad one (docs/spec/threat-model.md); other processes do not count.
const goodWait = 10 * time.Second

// watchOver has a good module convert until the returned function is called, which fails the test
// if one of its calls failed, took longer than goodWait, or does not end.
func watchOver(t *testing.T, good *module.Module) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	var failed error        // of the goroutine until it has ended
	var worst time.Duration // likewise
	go func() {             // ends when stop is called
		defer close(ended)
		for {
			select {
			case <-done:
				return
			default:
			}
			start := child.Used()
			got, _, err := good.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
			took := child.Used() - start
			worst = max(worst, took)
			switch {
			case err != nil:
				failed = fmt.Errorf("the good module failed: %w", err)
			case string(got[0]) != string(testObject):
				failed = fmt.Errorf("the good module answered %q", got[0])
			case took > goodWait:
				failed = fmt.Errorf("the good module took %v of processor time", took)
			}
			time.Sleep(time.Millisecond)
		}
	}()
	return func() {
		close(done)
		eventually.Before(t, goodWait, child.Used, "the good module's answer", ended)
		t.Logf("the good module took %v of processor time at most", worst.Round(time.Millisecond))
		if failed != nil {
			t.Error(failed)
		}
	}
}
