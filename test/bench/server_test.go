package bench

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/test/internal/certs"
	"github.com/crosswalk-gateway/crosswalk/test/internal/judge"
)

// webhook is one of the native webhooks, in a process of its own.
type webhook struct {
	name    string
	address string // host:port
	command *exec.Cmd
	stdin   io.Closer
	kill    context.CancelFunc
}

// buildWebhook builds the command webhook as images of operators are built: without cgo.
func buildWebhook(tb testing.TB) (binary string) {
	tb.Helper()
	binary = filepath.Join(tb.TempDir(), "webhook")
	build := exec.Command("go", "build", "-o", binary, "./webhook")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("building the webhook: %v: %s", err, out)
	}
	return binary
}

// startWebhook starts a native webhook and returns when it listens. The caller ends it with stop.
func startWebhook(tb testing.TB, binary, name string, authority *certs.Authority) *webhook {
	tb.Helper()
	certificate, key, err := authority.WriteFiles(tb.TempDir(), judge.ServiceHost, "127.0.0.1")
	if err != nil {
		tb.Fatal(err)
	}
	ctx, kill := context.WithCancel(context.Background())
	w := &webhook{name: name, command: exec.CommandContext(ctx, binary, name, certificate, key), kill: kill}
	w.command.Stderr, w.command.WaitDelay = os.Stderr, 10*time.Second
	if w.stdin, err = w.command.StdinPipe(); err != nil {
		tb.Fatal(err)
	}
	stdout, err := w.command.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := w.command.Start(); err != nil {
		tb.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		w.stop(tb)
		tb.Fatalf("the server %s did not say where it listens: %v", name, err)
	}
	w.address = strings.TrimSpace(line)
	return w
}

// stop ends the webhook.
func (w *webhook) stop(tb testing.TB) {
	_ = w.stdin.Close() // tells it to end
	late := time.AfterFunc(10*time.Second, w.kill)
	if err := w.command.Wait(); err != nil {
		tb.Errorf("the server %s: %v", w.name, err)
	}
	late.Stop()
	w.kill()
}
