package oci

import (
	"os"
	"path"
	"strings"

	"github.com/docker/cli/cli/config"
	"github.com/docker/cli/cli/config/configfile"
	"github.com/docker/cli/cli/config/types"
	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
)

// keychain reads docker's configuration as a kubelet reads image pull secrets: a key may have the
// path of a repository or of its parents, and * in the names of its host. The library's keychain
// would take the credentials of any of several paths of a host, at random.
type keychain struct{}

func (keychain) Resolve(target authn.Resource) (authn.Authenticator, error) {
	file, err := config.Load(os.Getenv("DOCKER_CONFIG"))
	if err != nil {
		return nil, err
	}
	_, helper := file.CredentialHelpers[target.RegistryStr()]
	if helper || file.CredentialsStore != "" || len(file.AuthConfigs) == 0 {
		return authn.DefaultKeychain.Resolve(target) // it runs helpers, and also looks for podman's file
	}
	found, ok := credentials(file, target.RegistryStr(), strings.TrimPrefix(target.String(), target.RegistryStr()+"/"))
	if !ok {
		return authn.Anonymous, nil
	}
	return authn.FromConfig(authn.AuthConfig{
		Username: found.Username, Password: found.Password, Auth: found.Auth,
		IdentityToken: found.IdentityToken, RegistryToken: found.RegistryToken,
	}), nil
}

// credentials returns those of the longest path, and of these those of the longest host, so that a
// name goes before a pattern.
func credentials(file *configfile.ConfigFile, host, repository string) (found types.AuthConfig, ok bool) {
	longest := [2]int{-1, -1}
	for key, c := range file.AuthConfigs {
		h, p := splitKey(key)
		if !matchesHost(h, host) || p != "" && !strings.HasPrefix(repository+"/", p+"/") {
			continue
		}
		if len(p) > longest[0] || len(p) == longest[0] && len(h) > longest[1] {
			found, ok, longest = c, true, [2]int{len(p), len(h)}
		}
	}
	return found, ok
}

// splitKey splits a key, such as https://index.docker.io/v1/ or registry.example.com/team, into host and path.
func splitKey(key string) (host, repository string) {
	if _, after, ok := strings.Cut(key, "://"); ok {
		key = after
	}
	host, repository, _ = strings.Cut(key, "/")
	repository = strings.Trim(repository, "/")
	if repository == "v1" || repository == "v2" { // the registry's API
		repository = ""
	}
	if host == "docker.io" || host == "registry-1.docker.io" {
		host = name.DefaultRegistry
	}
	return host, repository
}

// matchesHost compares a host name by name, in which * stands for any characters. The port is a
// part of the last name.
func matchesHost(pattern, host string) bool {
	if pattern == host { // an IPv6 address has brackets, not a pattern's
		return true
	}
	patterns, names := strings.Split(pattern, "."), strings.Split(host, ".")
	if len(patterns) != len(names) {
		return false
	}
	for i, p := range patterns {
		if ok, err := path.Match(p, names[i]); err != nil || !ok {
			return false
		}
	}
	return true
}
