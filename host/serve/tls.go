package serve

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// maxSnapshots bounds how often files that change while they are read are read again. A mounted
// secret is replaced in one step, so the second reading is normally the last.
const maxSnapshots = 5

// CertificatesConfig says where a server's certificate comes from.
type CertificatesConfig struct {
	CertFile, KeyFile string // PEM; both required. CertFile may hold a chain
	ClientCAFile      string // PEM; "" = clients need no certificate. API servers have no client certificate for conversion webhooks
	Metrics           *Metrics
	Logger            *slog.Logger // nil = none
}

// Certificates is a TLS certificate that follows its files: a new connection gets the newest valid
// one, an open connection keeps its own. It is safe for concurrent use.
type Certificates struct {
	cfg CertificatesConfig
	log *slog.Logger

	current atomic.Pointer[tls.Config] // with the certificate; never changed

	mu    sync.Mutex // one reload at a time; guards files
	files [][]byte   // the source of current: certificate, key, client CAs
}

// LoadCertificates reads a certificate and key for the first time.
//
// # Errors
//
// The errors of Reload; there is no previous certificate to keep yet.
func LoadCertificates(cfg CertificatesConfig) (*Certificates, error) {
	c := &Certificates{cfg: cfg, log: cfg.Logger}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if err := c.Reload(); err != nil {
		return nil, err
	}
	return c, nil
}

// Reload reads the files again and serves their content from the next connection on. Files with the
// same contents change nothing. Call it when they may have changed.
//
// # Errors
//
// A file cannot be read or is not PEM, or the key does not belong to the certificate. The previous
// certificate keeps serving, and crosswalk_tls_last_reload_successful is 0 until a later Reload
// succeeds.
func (c *Certificates) Reload() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.reload()
	if err != nil {
		c.cfg.Metrics.certificateReloaded.Set(0)
		return err
	}
	c.noteGood()
	return nil
}

func (c *Certificates) noteGood() {
	c.cfg.Metrics.certificateReloaded.Set(1)
	c.cfg.Metrics.certificateReloadTime.SetToCurrentTime()
}

func (c *Certificates) reload() error {
	files, err := c.snapshot()
	if err != nil {
		return err
	}
	if slices.EqualFunc(files, c.files, bytes.Equal) {
		return nil
	}
	pair, err := tls.X509KeyPair(files[0], files[1])
	if err != nil {
		return fmt.Errorf("certificate %s and key %s: %w", c.cfg.CertFile, c.cfg.KeyFile, err)
	}
	var clients *x509.CertPool
	if c.cfg.ClientCAFile != "" {
		clients = x509.NewCertPool()
		if !clients.AppendCertsFromPEM(files[2]) {
			return fmt.Errorf("client CA file %s: no PEM certificate in it", c.cfg.ClientCAFile)
		}
	}
	if err := c.serve(pair, clients); err != nil {
		return fmt.Errorf("certificate %s: %w", c.cfg.CertFile, err)
	}
	c.files = files
	return nil
}

// fingerprint returns the SHA-256 of a certificate, as openssl x509 -fingerprint -sha256 does,
// without colons and in lower case.
func fingerprint(pair tls.Certificate) string {
	sum := sha256.Sum256(pair.Leaf.Raw)
	return hex.EncodeToString(sum[:])
}

// serve makes a certificate the current one.
func (c *Certificates) serve(pair tls.Certificate, clients *x509.CertPool) error {
	expiry := pair.Leaf.NotAfter
	for _, der := range pair.Certificate[1:] {
		link, err := x509.ParseCertificate(der)
		if err != nil {
			return fmt.Errorf("a certificate of its chain: %w", err)
		}
		if link.NotAfter.Before(expiry) {
			expiry = link.NotAfter
		}
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{pair},
		MinVersion:   tls.VersionTLS12,
		NextProtos:   []string{"http/1.1"},
	}
	if clients != nil {
		config.ClientCAs = clients
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	before := c.current.Swap(config)
	c.cfg.Metrics.certificateExpiry.Set(float64(expiry.Unix()))

	names := slices.Clone(pair.Leaf.DNSNames)
	for _, ip := range pair.Leaf.IPAddresses {
		names = append(names, ip.String())
	}
	attrs := []any{"audit", "certificate", "names", names, "expires", expiry.UTC().Format(time.RFC3339), "sha256", fingerprint(pair), "signed", pair.Leaf.Issuer.String()}
	if before != nil {
		attrs = append(attrs, "before", fingerprint(before.Certificates[0]))
	}
	c.log.Info("serving certificate", attrs...)
	if len(names) == 0 {
		c.log.Warn("the certificate has no subject alternative name: every API server refuses it", "file", c.cfg.CertFile)
	}
	if from := pair.Leaf.NotBefore; time.Now().Before(from) {
		c.log.Warn("the certificate is not valid yet: every API server refuses it until then, unless this machine's clock is wrong",
			"file", c.cfg.CertFile, "from", from.UTC().Format(time.RFC3339))
	}
	if time.Now().After(expiry) {
		c.log.Warn("the certificate has expired: every API server refuses it", "file", c.cfg.CertFile)
	}
	return nil
}

// snapshot reads the files until two readings in a row agree, so that a certificate is never paired
// with its successor's key.
func (c *Certificates) snapshot() ([][]byte, error) { return settled(c.read) }

// settled reads until two reads in a row give the same.
func settled(read func() ([][]byte, error)) ([][]byte, error) {
	last, err := read()
	for range maxSnapshots {
		if err != nil {
			return nil, err
		}
		var again [][]byte
		if again, err = read(); err == nil && slices.EqualFunc(last, again, bytes.Equal) {
			return last, nil
		}
		last = again
	}
	return nil, errors.New("the certificate files change faster than they can be read")
}

func (c *Certificates) read() ([][]byte, error) {
	var files [][]byte
	for i, file := range c.paths() {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", [...]string{"the certificate", "the key", "the CAs of clients"}[i], err)
		}
		files = append(files, content)
	}
	return files, nil
}

// paths are the files of this certificate; empty if it was made in memory.
func (c *Certificates) paths() []string {
	if c.cfg.CertFile == "" {
		return nil
	}
	paths := []string{c.cfg.CertFile, c.cfg.KeyFile}
	if c.cfg.ClientCAFile != "" {
		paths = append(paths, c.cfg.ClientCAFile)
	}
	return paths
}

// Dirs returns the directories to watch, each once; empty if the certificate was made in memory.
func (c *Certificates) Dirs() []string {
	var dirs []string
	for _, file := range c.paths() {
		dirs = append(dirs, filepath.Dir(file))
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// tlsConfig is what a listener is given: it looks up the configuration of each connection when the
// connection comes.
func (c *Certificates) tlsConfig() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			return c.current.Load(), nil
		},
	}
}
