package oci

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/docker/cli/cli/config/configfile"
	"github.com/docker/cli/cli/config/types"
)

// TestCredentialsByPath has keys as Kubernetes' image pull secrets may have them.
func TestCredentialsByPath(t *testing.T) {
	keys := []string{"reg.x.io", "reg.x.io/team", "https://reg.x.io/team/modules/", "reg.x.io/tea", "*.x.io/team/other", "*.y.io:5000", "exact.y.io:5000", "https://index.docker.io/v1/", "[::1]:5000"}
	for _, tc := range []struct{ host, repository, want string }{
		{"reg.x.io", "team/modules", "https://reg.x.io/team/modules/"},
		{"reg.x.io", "team/more", "reg.x.io/team"},
		{"reg.x.io", "teams", "reg.x.io"},
		{"reg.x.io", "team/other/deep", "*.x.io/team/other"},
		{"new.x.io", "team/modules", ""},
		{"exact.y.io:5000", "m", "exact.y.io:5000"},
		{"any.y.io:5000", "m", "*.y.io:5000"},
		{"any.y.io", "m", ""},
		{"a.b.y.io:5000", "m", ""},
		{"index.docker.io", "library/m", "https://index.docker.io/v1/"},
		{"[::1]:5000", "m", "[::1]:5000"},
	} {
		for range 5 { // the order of a map varies
			file := configWith(keys)
			got, ok := credentials(file, tc.host, tc.repository)
			if got.Username != tc.want || ok != (tc.want != "") {
				t.Errorf("%s/%s: credentials of %q, want those of %q", tc.host, tc.repository, got.Username, tc.want)
			}
		}
	}
}

func configWith(keys []string) *configfile.ConfigFile {
	file := configfile.New("")
	for _, key := range keys {
		file.AuthConfigs[key] = types.AuthConfig{Username: key}
	}
	return file
}

// TestCredentialsReachTheirRepositoryOnly has a registry whose repositories have a user each.
func TestCredentialsReachTheirRepositoryOnly(t *testing.T) {
	inner := handler()
	host := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, _, ok := r.BasicAuth()
		if parts := strings.Split(r.URL.Path, "/"); !ok || len(parts) > 3 && parts[2] != user {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			http.Error(w, "no rights for "+user, http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	docker := t.TempDir()
	t.Setenv("DOCKER_CONFIG", docker)
	configure := func(text string) { must(t, os.WriteFile(filepath.Join(docker, "config.json"), []byte(text), 0o600)) }
	files, err := Files(write(t, map[string]string{"f.wasm": "x"}))
	must(t, err)
	login := func(user string) string { return fmt.Sprintf(`{"username": %q, "password": "secret"}`, user) }
	configure(fmt.Sprintf(`{"auths": {"%[1]s/a": %[2]s, "%[1]s/b": %[3]s, "https://%[1]s/v2/": %[4]s}}`, host, login("a"), login("b"), login("rest")))
	for _, repository := range []string{"a/m", "b/m", "rest/m"} {
		if _, err := Push(context.Background(), Registry{}, host+"/"+repository+":v1", files, ArtifactType); err != nil {
			t.Error(err)
		}
	}
	configure(fmt.Sprintf(`{"auths": {"%s/a": %s}}`, host, login("a")))
	if _, err := Push(context.Background(), Registry{}, host+"/b/m:v1", files, ArtifactType); err == nil || strings.Contains(err.Error(), "no rights for a") {
		t.Errorf("without a key for the repository: %v", err)
	}
	helper := t.TempDir()
	must(t, os.WriteFile(filepath.Join(helper, "docker-credential-test"), []byte("#!/bin/sh\necho '{\"ServerURL\": \"x\", \"Username\": \"b\", \"Secret\": \"secret\"}'\n"), 0o700))
	t.Setenv("PATH", helper+":"+os.Getenv("PATH"))
	configure(fmt.Sprintf(`{"credHelpers": {%q: "test"}}`, host))
	if _, err := Push(context.Background(), Registry{}, host+"/b/m:v1", files, ArtifactType); err != nil {
		t.Errorf("with a credential helper: %v", err)
	}
}
