// Package gateway runs the gateway's binary as operators do, as a process with flags and signals,
// and looks at it from outside.
package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/crosswalk-gateway/crosswalk/test/internal/certs"
)

// Config says how a gateway is to run. Binary and Modules are required.
type Config struct {
	Binary  string
	Modules string // directory
	// Authority issues its certificate, for 127.0.0.1, localhost and Names; nil = the gateway makes
	// one itself (--dev).
	Authority *certs.Authority
	Names     []string
	Flags     []string // further ones; they win over those the harness sets
}

// Process is a gateway that runs, or ran. It may be used by many goroutines at once.
type Process struct {
	Reviews string // host:port of the TLS listener
	Admin   string // host:port of the admin listener
	CA      []byte // PEM, for a caBundle

	dir        string // its certificate and its log
	modules    string // the directory
	cmd        *exec.Cmd
	terminated sync.Once
	exited     chan struct{} // closed when the process has ended and err is set
	err        error         // the result of Wait
}

// Start starts a gateway on free ports of 127.0.0.1 and returns when it listens; it may still be
// loading modules (see WaitReady). End it with Stop or Kill, then call Remove to delete its files.
func Start(cfg Config) (*Process, error) {
	dir, err := os.MkdirTemp("", "crosswalk-gateway-")
	if err != nil {
		return nil, err
	}
	p := &Process{dir: dir, modules: cfg.Modules, exited: make(chan struct{})}
	if err := p.start(cfg); err != nil {
		err = fmt.Errorf("starting the gateway: %w\n%s", err, p.Log())
		p.Remove()
		return nil, err
	}
	return p, nil
}

func (p *Process) start(cfg Config) error {
	flags := []string{
		"--modules", cfg.Modules, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0",
		"--log-format", "json", "--drain-delay", "0s",
	}
	devCA := filepath.Join(p.dir, "dev-ca.crt")
	if cfg.Authority == nil {
		flags = append(flags, "--dev", "--dev-ca-file", devCA)
		for _, name := range cfg.Names {
			flags = append(flags, "--dev-host", name)
		}
	} else {
		certificate, key, err := cfg.Authority.WriteFiles(p.dir, append([]string{"127.0.0.1", "localhost"}, cfg.Names...)...)
		if err != nil {
			return err
		}
		flags = append(flags, "--tls-cert-file", certificate, "--tls-key-file", key)
		p.CA = cfg.Authority.PEM
	}
	log, err := os.Create(p.LogFile())
	if err != nil {
		return err
	}
	defer log.Close() // the child has it too
	p.cmd = exec.Command(cfg.Binary, append(flags, cfg.Flags...)...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	endWithParent(p.cmd)
	started := make(chan error)
	go func() { // ends with the process
		runtime.LockOSThread() // the kernel takes the end of the thread that started a process for the end of its parent
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.err = p.cmd.Wait()
			close(p.exited)
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	if err := p.findListeners(); err != nil {
		p.Kill()
		return err
	}
	if cfg.Authority == nil {
		if p.CA, err = os.ReadFile(devCA); err != nil {
			p.Kill()
			return err
		}
	}
	return nil
}

// findListeners waits for the log line that names the ports.
func (p *Process) findListeners() error {
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		for line := range bytes.Lines(p.Log()) {
			var entry struct{ Msg, Listen, Admin string }
			if json.Unmarshal(line, &entry) == nil && entry.Msg == "serving" {
				p.Reviews, p.Admin = entry.Listen, entry.Admin
				return nil
			}
		}
		select {
		case <-p.exited:
			return fmt.Errorf("it ended at once: %v", p.err)
		default:
		}
	}
	return errors.New("it did not say where it listens within two minutes")
}

// WaitReady waits until /readyz says yes, and each file of the directory of modules was served or refused. A
// gateway is ready without a file that loads for longer than the grace of its start, as on a busy machine.
func (p *Process) WaitReady(ctx context.Context) error {
	last := "never asked"
	for {
		if code, text, err := p.page(ctx, "/readyz"); err != nil {
			last = err.Error()
		} else if code != http.StatusOK {
			last = string(bytes.TrimSpace(text))
		} else if last, err = p.untried(ctx); err == nil && last == "" {
			return nil
		} else if err != nil {
			last = err.Error()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the gateway is not ready (%s): %w", last, ctx.Err())
		case <-p.exited:
			return fmt.Errorf("the gateway ended before it was ready: %v", p.err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// untried names a file of the directory of modules that was neither served nor refused yet; "" if there is none.
func (p *Process) untried(ctx context.Context) (string, error) {
	files, err := filepath.Glob(filepath.Join(p.modules, "*.wasm"))
	if err != nil {
		return "", err
	}
	list, err := p.Modules(ctx)
	if err != nil {
		return "", err
	}
	for _, file := range files {
		if !slices.ContainsFunc(list, func(m Module) bool { return m.File == filepath.Base(file) && m.State != "loading" }) {
			return file + " was not tried", nil
		}
	}
	return "", nil
}

// Terminate tells the gateway to drain and end, with SIGTERM. Telling it again would end it at
// once, so only the first call does anything. It does not wait.
func (p *Process) Terminate() error {
	var err error
	p.terminated.Do(func() { err = p.cmd.Process.Signal(syscall.SIGTERM) })
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// Stop ends the gateway as Kubernetes does: SIGTERM, and SIGKILL if that takes more than a minute.
// The error is nil after a clean end.
func (p *Process) Stop() error {
	if err := p.Terminate(); err != nil {
		return err
	}
	select {
	case <-p.exited:
		return p.err
	case <-time.After(time.Minute):
		p.Kill()
		return errors.New("the gateway did not end within a minute of SIGTERM")
	}
}

// Kill ends the gateway at once, as the kernel does when memory runs out.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // it may have ended already
	<-p.exited
}

// Alive says whether the process still runs.
func (p *Process) Alive() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// LogFile is where its output goes, until Remove.
func (p *Process) LogFile() string { return filepath.Join(p.dir, "gateway.log") }

// Log returns its output so far.
func (p *Process) Log() []byte {
	text, err := os.ReadFile(p.LogFile())
	if err != nil {
		return []byte(err.Error())
	}
	return text
}

// Remove deletes the files of the harness and the gateway, once the process has ended.
func (p *Process) Remove() { _ = os.RemoveAll(p.dir) }
