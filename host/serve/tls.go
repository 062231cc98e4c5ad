package serve

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

	current atomic.Pointer[servedCertificate]

	problem atomic.Pointer[string] // of the last reload; nil if it succeeded

	mu    sync.Mutex // one reload at a time; guards files
	files [][]byte   // the source of current: certificate, key, client CAs
}

// servedCertificate is what connections get. It never changes.
type servedCertificate struct {
	*tls.Config
	expiry time.Time // of the first certificate of the chain to expire
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
// A file cannot be read or is not PEM, the key does not belong to the certificate, or every client
// would be refused or refuse the certificate, and does not refuse the previous one: for example, it
// has expired. The previous certificate keeps serving, Problem says why, and
// crosswalk_tls_last_reload_successful is 0 until a later Reload succeeds.
func (c *Certificates) Reload() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.reload(time.Now())
	if err != nil {
		c.cfg.Metrics.certificateReloaded.Set(0)
		problem := err.Error()
		c.problem.Store(&problem)
		return err
	}
	c.noteGood()
	return nil
}

// Problem returns why the files are not those of the certificate that is served; "" if they are.
func (c *Certificates) Problem() string {
	if problem := c.problem.Load(); problem != nil {
		return *problem
	}
	return ""
}

// Expiry returns when the first certificate of the served chain expires.
func (c *Certificates) Expiry() time.Time { return c.current.Load().expiry }

func (c *Certificates) noteGood() {
	c.problem.Store(nil)
	c.cfg.Metrics.certificateReloaded.Set(1)
}

func (c *Certificates) reload(now time.Time) error {
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
	expiry, err := expiryOf(pair)
	if err != nil {
		return fmt.Errorf("certificate %s: %w", c.cfg.CertFile, err)
	}
	if why := refusals(pair, expiry, now); len(why) > 0 && c.accepted(now) {
		return fmt.Errorf("certificate %s: %s: every API server would refuse it: renew it", c.cfg.CertFile, strings.Join(why, ", and "))
	}
	var clients *x509.CertPool
	if c.cfg.ClientCAFile != "" {
		if clients = x509.NewCertPool(); !clients.AppendCertsFromPEM(files[2]) {
			return fmt.Errorf("client CA file %s: no PEM certificate in it", c.cfg.ClientCAFile)
		}
		if !anyValid(files[2], now) && len(c.files) > 2 && anyValid(c.files[2], now) {
			return fmt.Errorf("client CA file %s: all of its certificates have expired, or are not valid yet: every client would be refused: renew them", c.cfg.ClientCAFile)
		}
	}
	c.serve(pair, clients, expiry)
	c.files = files
	return nil
}

// accepted reports whether nothing speaks against the certificate that is served.
func (c *Certificates) accepted(now time.Time) bool {
	served := c.current.Load()
	return served != nil && len(refusals(served.Certificates[0], served.expiry, now)) == 0
}

// refusals are the reasons why every API server refuses a certificate, as the end of a sentence
// about it.
func refusals(pair tls.Certificate, expiry, now time.Time) (why []string) {
	if len(pair.Leaf.DNSNames)+len(pair.Leaf.IPAddresses) == 0 {
		why = append(why, "it has no subject alternative name")
	}
	if from := pair.Leaf.NotBefore; now.Before(from) {
		why = append(why, "it is not valid before "+from.UTC().Format(time.RFC3339)+", unless this machine's clock is wrong")
	}
	if now.After(expiry) {
		why = append(why, "it has expired at "+expiry.UTC().Format(time.RFC3339))
	}
	if uses := pair.Leaf.ExtKeyUsage; len(uses) > 0 && !slices.Contains(uses, x509.ExtKeyUsageServerAuth) && !slices.Contains(uses, x509.ExtKeyUsageAny) {
		why = append(why, "it is not for servers")
	}
	return why
}

// expiryOf returns when the first certificate of a chain expires.
func expiryOf(pair tls.Certificate) (time.Time, error) {
	expiry := pair.Leaf.NotAfter
	for _, der := range pair.Certificate[1:] {
		link, err := x509.ParseCertificate(der)
		if err != nil {
			return expiry, fmt.Errorf("a certificate of its chain: %w", err)
		}
		if link.NotAfter.Before(expiry) {
			expiry = link.NotAfter
		}
	}
	return expiry, nil
}

// anyValid reports whether one of the certificates of a PEM text is valid at a time.
func anyValid(text []byte, now time.Time) bool {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if ca, err := x509.ParseCertificate(block.Bytes); err == nil && !now.Before(ca.NotBefore) && !now.After(ca.NotAfter) {
			return true
		}
	}
	return false
}

// namesOf returns the subject alternative names of a certificate.
func namesOf(pair tls.Certificate) []string {
	names := slices.Clone(pair.Leaf.DNSNames)
	for _, ip := range pair.Leaf.IPAddresses {
		names = append(names, ip.String())
	}
	return names
}

// fingerprint returns the SHA-256 of a certificate, as openssl x509 -fingerprint -sha256 does,
// without colons and in lower case.
func fingerprint(pair tls.Certificate) string {
	sum := sha256.Sum256(pair.Leaf.Raw)
	return hex.EncodeToString(sum[:])
}

// serve makes a certificate, whose chain expires then, the current one.
func (c *Certificates) serve(pair tls.Certificate, clients *x509.CertPool, expiry time.Time) {
	config := &tls.Config{
		Certificates: []tls.Certificate{pair},
		MinVersion:   tls.VersionTLS12,
		NextProtos:   []string{"http/1.1"},
	}
	if clients != nil {
		config.ClientCAs = clients
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	before := c.current.Swap(&servedCertificate{config, expiry})
	c.cfg.Metrics.certificateExpiry.Set(float64(expiry.Unix()))

	attrs := []any{"audit", "certificate", "names", namesOf(pair), "expires", expiry.UTC().Format(time.RFC3339), "sha256", fingerprint(pair), "signed", pair.Leaf.Issuer.String()}
	var gone []string
	if before != nil {
		attrs = append(attrs, "before", fingerprint(before.Certificates[0]))
		gone = slices.DeleteFunc(namesOf(before.Certificates[0]), func(name string) bool { return pair.Leaf.VerifyHostname(name) == nil })
	}
	c.log.Info("serving certificate", attrs...)
	if len(gone) > 0 {
		c.log.Warn("the certificate lacks names of the previous one; API servers that connect to them refuse it", "file", c.cfg.CertFile, "names", gone)
	}
	for _, why := range refusals(pair, expiry, time.Now()) {
		c.log.Warn("every API server refuses the certificate", "file", c.cfg.CertFile, "err", why)
	}
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
			return c.current.Load().Config, nil
		},
	}
}
