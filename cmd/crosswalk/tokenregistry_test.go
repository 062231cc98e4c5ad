package main

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// TestPushAndPullWithTokens has a registry that sends its clients to a token service, as the
// registries of cloud providers do. The service knows one user.
func TestPushAndPullWithTokens(t *testing.T) {
	key, certificate := tokenKey(t)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "crosswalk" || password != "secret" {
			http.Error(w, "unknown user", http.StatusUnauthorized)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"token": signedToken(t, key, certificate, r.URL.Query().Get("service"), r.URL.Query()["scope"]), "expires_in": 60})
	}))
	t.Cleanup(service.Close)
	realm := strings.Replace(service.URL, "127.0.0.1", "localhost", 1) // the library accepts no private address
	bundle := filepath.Join(t.TempDir(), "service.pem")
	writeFile(t, bundle, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})))
	host, stop := registryWith(t, fmt.Sprintf("auth: {token: {realm: %s/token, service: test, issuer: issuer, rootcertbundle: %s}}", realm, bundle))
	config := t.TempDir()
	t.Setenv("DOCKER_CONFIG", config)
	module := filepath.Join(t.TempDir(), "CronTab.stable.example.com_v1_v2.wasm")
	writeFile(t, module, "\x00asm")
	if code, _, stderr := crosswalk("", "push", host+"/team/modules:v1", module); code != command.ExitError || !strings.Contains(stderr, " 401 ") || !strings.Contains(stderr, "; log in with docker login") {
		t.Errorf("without credentials: exit %d: %s", code, stderr)
	}
	writeFile(t, filepath.Join(config, "config.json"), `{"auths": {"`+host+`/team": {"username": "crosswalk", "password": "secret"}}}`)
	pushAndPull(t, host, stop)
}

// tokenKey returns the service's key, and a certificate of it.
func tokenKey(t *testing.T) (key *rsa.PrivateKey, certificate []byte) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "tokens"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	certificate, err = x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return key, certificate
}

// signedToken signs a JSON web token that grants each scope, such as
// repository:team/modules:push,pull.
func signedToken(t *testing.T, key *rsa.PrivateKey, certificate []byte, service string, scopes []string) string {
	type access struct {
		Type    string   `json:"type"`
		Name    string   `json:"name"`
		Actions []string `json:"actions"`
	}
	granted := []access{}
	for _, scope := range scopes {
		if parts := strings.Split(scope, ":"); len(parts) == 3 {
			granted = append(granted, access{parts[0], parts[1], strings.Split(parts[2], ",")})
		}
	}
	encode := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Error(err)
		}
		return base64.RawURLEncoding.EncodeToString(text)
	}
	now := time.Now().Unix()
	signed := encode(map[string]any{"typ": "JWT", "alg": "RS256", "x5c": []string{base64.StdEncoding.EncodeToString(certificate)}}) + "." +
		encode(map[string]any{"iss": "issuer", "sub": "crosswalk", "aud": service, "exp": now + 60, "nbf": now - 60, "iat": now, "jti": "1", "access": granted})
	digest := sha256.Sum256([]byte(signed))
	signature, err := key.Sign(rand.Reader, digest[:], crypto.SHA256)
	if err != nil {
		t.Error(err)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}
