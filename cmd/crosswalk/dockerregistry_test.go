package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/dockerregistry"
)

// credentials are those of the user crosswalk with the password secret, as htpasswd writes them.
const credentials = "crosswalk:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n"

// dockerRegistry starts a registry that asks for the name and the password of credentials, and returns
// its host and port. stop ends it.
func dockerRegistry(t *testing.T) (host string, stop func()) {
	t.Helper()
	passwords := filepath.Join(t.TempDir(), "passwords")
	writeFile(t, passwords, credentials)
	return registryWith(t, fmt.Sprintf("auth: {htpasswd: {realm: test, path: %s}}", passwords))
}

// registryWith does the same with another part auth of the registry's configuration.
func registryWith(t *testing.T, auth string) (host string, stop func()) {
	t.Helper()
	if err := dockerregistry.Find(); err != nil {
		t.Skip(err)
	}
	r, err := dockerregistry.Start(t.Context(), dockerregistry.Config{Dir: t.TempDir(), Auth: auth, Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Stop)
	response, err := http.Get("http://" + r.Host + "/v2/")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		t.Fatalf("the registry answers %s without credentials", response.Status)
	}
	return r.Host, r.Stop
}
