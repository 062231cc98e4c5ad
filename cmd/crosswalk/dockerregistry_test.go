package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// credentials are those of the user crosswalk with the password secret, as htpasswd writes them.
const credentials = "crosswalk:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n"

// dockerRegistry starts the registry of Debian's package docker-registry, which asks for the name
// and the password of credentials, and returns its host and port. stop ends it.
func dockerRegistry(t *testing.T) (host string, stop func()) {
	t.Helper()
	passwords := filepath.Join(t.TempDir(), "passwords")
	writeFile(t, passwords, credentials)
	return registryWith(t, fmt.Sprintf("auth: {htpasswd: {realm: test, path: %s}}", passwords))
}

// registryWith does the same with another part auth of the registry's configuration.
func registryWith(t *testing.T, auth string) (host string, stop func()) {
	t.Helper()
	program, err := exec.LookPath("docker-registry")
	if err != nil {
		t.Skip("docker-registry is not installed (apt-get install docker-registry)")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host = listener.Addr().String()
	listener.Close()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "config.yml"), fmt.Sprintf(`
version: 0.1
log: {level: error, accesslog: {disabled: true}}
storage: {filesystem: {rootdirectory: %s/storage}}
http: {addr: %s}
%s
`, dir, host, auth))
	server := exec.CommandContext(t.Context(), program, "serve", filepath.Join(dir, "config.yml"))
	server.Env = append(os.Environ(), "OTEL_TRACES_EXPORTER=none")
	server.Stderr = t.Output() // it logs every blob that is new as an error
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { // ends with the process, which stop kills
		_ = server.Wait()
		close(ended)
	}()
	stop = func() {
		_ = server.Process.Kill()
		<-ended
	}
	t.Cleanup(stop)
	for { // until the test's own timeout
		if response, err := http.Get("http://" + host + "/v2/"); err == nil {
			response.Body.Close()
			if response.StatusCode != http.StatusUnauthorized {
				t.Fatalf("the registry answers %s without credentials", response.Status)
			}
			return host, stop
		}
		select {
		case <-ended:
			t.Fatal("the registry ended")
		case <-time.After(20 * time.Millisecond):
		}
	}
}
