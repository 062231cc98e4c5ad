package load

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	goruntime "runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/crosswalk-gateway/crosswalk/internal/child"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// Modules that kill or stall a process run in children: once with the engine alone, which shows
// that the danger is real, and once as the gateway has it.
const (
	alone = "engine-alone"
	whole = "as-the-gateway"
)

// deadlyChild is the main function of such a child: it loads the module on its stdin and calls
// crosswalk_convert, while it forces the garbage collector to run. It writes the result to stdout.
// It returns false if the process is not such a child.
func deadlyChild(how string) (code int, ok bool) {
	if how != alone && how != whole {
		return 0, false
	}
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: 4 << 30, Max: 4 << 30}) // the test must not exhaust the machine
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	content, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 2, true
	}
	ctx := context.Background()
	done := make(chan error, 1)
	go func() { // ends with the module, or with the process
		if how == alone {
			done <- runAlone(ctx, content)
		} else {
			done <- runWhole(ctx, content)
		}
	}()
	for {
		select {
		case err := <-done:
			fmt.Print("survived: ", err)
			return 0, true
		case <-time.After(10 * time.Millisecond):
			goruntime.GC()
		}
	}
}

func runAlone(ctx context.Context, content []byte) error {
	r := wazero.NewRuntime(ctx)
	mod, err := r.Instantiate(ctx, content)
	if err != nil {
		return err
	}
	mod.Memory().WriteUint32Le(1024, 1) // a batch of one object
	_, err = mod.ExportedFunction("crosswalk_convert").Call(ctx, 1024, 16)
	return err
}

func runWhole(ctx context.Context, content []byte) error {
	l := newLoader(smallLimits.WithDefaults(), slog.New(slog.DiscardHandler), nil)
	m, err := l.Load(ctx, testName, watch.File{Name: testName.File, Content: content, Sum: sha256.Sum256(content)}, nil)
	if err != nil {
		return err
	}
	defer m.Close()
	_, _, err = m.Convert(ctx, "g/v1", "g/v2", [][]byte{testObject})
	return err
}

// runChild runs a module in a child and returns its output, or that it died, or that it was killed
// because it did not end.
func runChild(t *testing.T, how string, content []byte, limit time.Duration) (said string, died bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, child.Self(), how)
	cmd.Stdin = bytes.NewReader(content)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "stood still", true
	case err != nil:
		first, _, _ := strings.Cut(strings.TrimSpace(log.String()), "\n")
		return first, true
	}
	return out.String(), false
}

// TestDeadly (M1, M4, X1, X2): each of these ends or stalls a process that gives it to the engine
// as it is. Should the engine ever learn to live with one, the test says so: the defence here may
// then be superfluous.
func TestDeadly(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes that die")
	}
	huge := func(section byte) []byte {
		return append([]byte("\x00asm\x01\x00\x00\x00"), section, 5, 0xff, 0xff, 0xff, 0xff, 0x0f)
	}
	module := func(name string) []byte { return fixture(t, name).Content }
	for _, tc := range []struct {
		name   string
		module []byte
		stalls bool // rather than dies
		want   string
	}{
		{"M1 imports", huge(2), false, "declares 4294967295 imports; 256 are allowed"},
		{"M1 tables", huge(4), false, "declares 4294967295 tables; 4 are allowed"},
		{"M1 data", huge(11), false, "declares 4294967295 data segments; 100001 are allowed"},
		{"M4 a table that grows", module("m04_table_grow_all"), false, "<nil>"},
		{"X1 a loop", module("x01_spin"), true, "exceeded the fuel limit"},
		{"X2 recursion", module("x02_fib"), true, "exceeded the fuel limit"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			limit := time.Minute
			if tc.stalls {
				limit = 2 * time.Second
			}
			said, died := runChild(t, alone, tc.module, limit)
			t.Logf("the engine alone: %s", said)
			if !died {
				t.Error("the engine alone survived it")
			}
			if said, died = runChild(t, whole, tc.module, 3*time.Minute); died || !strings.HasPrefix(said, "survived: ") || !strings.Contains(said, tc.want) {
				t.Errorf("the gateway: %s", said)
			}
		})
	}
}
