// Package dockerregistry runs the registry of Debian's package docker-registry.
package dockerregistry

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// program is the registry's.
const program = "docker-registry"

// Find returns an error if the registry is not installed.
func Find() error {
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("%s is not installed (apt-get install %[1]s)", program)
	}
	return nil
}

// Config is a registry to start.
type Config struct {
	Dir  string    // for its configuration and its files
	Auth string    // more of its configuration, such as how clients log in; "" without
	Log  io.Writer // receives its messages; nil: none
}

// Registry is one that runs.
type Registry struct {
	Host    string // and port
	Command string // that starts it again, once it has stopped
	kill    func()
}

// Start starts a registry on a free port, and returns when it answers. It stops when ctx ends.
func Start(ctx context.Context, c Config) (*Registry, error) {
	if err := Find(); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Registry{Host: listener.Addr().String()}
	if err := listener.Close(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return nil, err
	}
	file := filepath.Join(c.Dir, "config.yml")
	config := fmt.Sprintf("version: 0.1\nlog: {level: error, accesslog: {disabled: true}}\nstorage: {filesystem: {rootdirectory: %q}}\nhttp: {addr: %s}\n%s\n",
		filepath.Join(c.Dir, "storage"), r.Host, c.Auth)
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		return nil, err
	}
	r.Command = program + " serve " + file
	server := exec.CommandContext(ctx, program, "serve", file)
	server.Env = append(os.Environ(), "OTEL_TRACES_EXPORTER=none")
	server.Stderr = c.Log // it logs every blob that is new as an error
	if err := server.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() { // ends with the process
		_ = server.Wait()
		close(ended)
	}()
	r.kill = func() {
		_ = server.Process.Kill()
		<-ended
	}
	for { // until ctx ends
		if response, err := http.Get("http://" + r.Host + "/v2/"); err == nil {
			return r, response.Body.Close()
		}
		select {
		case <-ended:
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, fmt.Errorf("the registry ended: see its message with: %s", r.Command)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Stop ends the registry. Stopping it twice is harmless.
func (r *Registry) Stop() { r.kill() }
