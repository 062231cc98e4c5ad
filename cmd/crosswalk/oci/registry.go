package oci

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/docker/cli/cli/config"
	"github.com/docker/cli/cli/config/configfile"
	"github.com/docker/cli/cli/config/types"
	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	_ "golang.org/x/crypto/x509roots/fallback" // an image from scratch has no certificate authorities

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/bounded"
)

// DefaultCertificates is the directory in which docker and containerd look for the certificate
// authorities of a registry, too.
const DefaultCertificates = "/etc/docker/certs.d"

// Registry says how registries are reached. Credentials come from docker's configuration
// ($DOCKER_CONFIG/config.json or ~/.docker/config.json), with its credential helpers.
type Registry struct {
	// Certificates is a directory with a directory for each registry, named HOST or HOST:PORT. Its
	// files *.crt are certificate authorities that this registry is trusted with, beside the
	// system's. It need not exist.
	Certificates string
	// PlainHTTP allows HTTP without TLS, which is always allowed for this machine, for private
	// addresses and for names in .local. TLS is tried first.
	PlainHTTP bool
	UserAgent string
}

// reference parses REF, REF:TAG or REF@sha256:DIGEST. A digest wins over a tag before it.
func (r Registry) reference(text string) (name.Reference, error) {
	var options []name.Option
	if r.PlainHTTP {
		options = append(options, name.Insecure)
	}
	ref, err := name.ParseReference(text, options...)
	if err != nil {
		return nil, fmt.Errorf("%q is not the reference of an image: %w; write REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@sha256:DIGEST", text, err)
	}
	return ref, nil
}

// options are the options for the registry of one reference.
func (r Registry) options(ctx context.Context, ref name.Reference) ([]remote.Option, error) {
	transport, err := r.transport(ref.Context().RegistryStr())
	if err != nil {
		return nil, err
	}
	return []remote.Option{
		remote.WithContext(ctx),
		remote.WithAuthFromKeychain(keychain{}),
		remote.WithTransport(boundedManifests{transport}),
		remote.WithUserAgent(r.UserAgent),
	}, nil
}

// transport trusts the registry's own certificate authorities beside the system's.
func (r Registry) transport(registry string) (http.RoundTripper, error) {
	transport := remote.DefaultTransport.(*http.Transport).Clone()
	dir := filepath.Join(r.Certificates, registry)
	entries, err := os.ReadDir(dir)
	if r.Certificates == "" || errors.Is(err, fs.ErrNotExist) {
		return transport, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the certificate authorities of %s: %w", registry, err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // a system without any
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".crt") {
			continue
		}
		file := filepath.Join(dir, e.Name())
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading the certificate authorities of %s: %w", registry, err)
		}
		if !pool.AppendCertsFromPEM(content) {
			return nil, fmt.Errorf("%s has no certificate in PEM form", file)
		}
	}
	if transport.TLSClientConfig == nil {
		transport.TLSClientConfig = &tls.Config{}
	}
	transport.TLSClientConfig.RootCAs = pool
	return transport, nil
}

// boundedManifests ends manifests of more than maxManifest bytes with an error. The library bounds
// tokens and errors, and a layer by the size in its manifest. It also refuses answers that call
// themselves signed manifests of Docker's schema 1: the library takes the digest of these from a
// header, so that a registry could answer a digest of an index's image with any manifest.
type boundedManifests struct{ http.RoundTripper }

func (b boundedManifests) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	for r.Response != nil && r.Response.Request != nil { // a redirect can lead to any path
		r = r.Response.Request
	}
	if err == nil && strings.Contains(r.URL.Path, "/manifests/") {
		if kind := response.Header.Get("Content-Type"); strings.Contains(kind, "vnd.docker.distribution.manifest.v1") {
			_ = response.Body.Close()
			return nil, errSchema1
		}
		response.Body = bounded.Body(response.Body, maxManifest, "the manifest")
	}
	return response, err
}

var errSchema1 = errors.New("the registry answers with a manifest of Docker's schema 1, whose digest cannot be verified: push the image again with a present tool")

// withRemedy adds the remedy to the error of a registry that rejects the credentials, wants some,
// or has no TLS.
func withRemedy(err error) error {
	if strings.Contains(err.Error(), "no child with platform") {
		return fmt.Errorf("%w; build the image for this platform, too, or push the files with crosswalk push, for all platforms", err)
	}
	if strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
		return fmt.Errorf("%w; the registry has no TLS: add --plain-http if it is one of your own network", err)
	}
	if e := (*transport.Error)(nil); errors.As(err, &e) && (e.StatusCode == http.StatusUnauthorized || e.StatusCode == http.StatusForbidden) {
		return fmt.Errorf("%w; log in with docker login, or name a directory with a config.json in DOCKER_CONFIG", err)
	}
	return err
}

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
