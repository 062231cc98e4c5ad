package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// startRegistry starts the registry of Debian's package docker-registry, which keeps its files in
// the directory of the run, and sets o.registry. stop ends it.
func (o *options) startRegistry(ctx context.Context) (stop func(), err error) {
	program, err := exec.LookPath("docker-registry")
	if err != nil {
		return nil, errors.New("there is no docker-registry to publish to: install it (apt-get install docker-registry), or name a registry with REGISTRY=HOST/PATH")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	host := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return nil, err
	}
	dir := filepath.Join(o.out, "registry")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "config.yml")
	config := fmt.Sprintf("version: 0.1\nlog: {level: error, accesslog: {disabled: true}}\nstorage: {filesystem: {rootdirectory: %q}}\nhttp: {addr: %s}\n", filepath.Join(dir, "storage"), host)
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		return nil, err
	}
	server := exec.CommandContext(ctx, program, "serve", file)
	server.Env = append(os.Environ(), "OTEL_TRACES_EXPORTER=none")
	if err := server.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() { // ends with the process, which stop kills
		_ = server.Wait()
		close(ended)
	}()
	stop = func() {
		_ = server.Process.Kill()
		<-ended
		fmt.Fprintf(o.log, "the registry has stopped; start it again with: %s serve %s\n", program, file)
	}
	o.registry = host + "/catalogue"
	for {
		if response, err := http.Get("http://" + host + "/v2/"); err == nil {
			return stop, response.Body.Close()
		}
		select {
		case <-ended:
			return nil, fmt.Errorf("%s ended: see its message with: %s serve %s", program, program, file)
		case <-ctx.Done():
			stop()
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
