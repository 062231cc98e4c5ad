package bench

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/test/internal/certs"
)

// askVariable makes the test binary a client: it names the URL, how long to ask it, and the file
// with the certificate authority. The client posts its standard input again and again, one request
// at a time, and prints how often.
const askVariable = "CROSSWALK_BENCH_ASK"

// overTLS serves a converter in this process, as the gateway does, to a client in another one.
func overTLS(b *testing.B, language string, converter *host.Converter, body []byte) column {
	b.Helper()
	authority, err := certs.NewAuthority()
	if err != nil {
		b.Fatal(err)
	}
	certificate, key, err := authority.WriteFiles(b.TempDir(), "127.0.0.1")
	if err != nil {
		b.Fatal(err)
	}
	metrics := serve.NewMetrics(prometheus.NewRegistry())
	pair, err := serve.LoadCertificates(serve.CertificatesConfig{CertFile: certificate, KeyFile: key, Metrics: metrics})
	if err != nil {
		b.Fatal(err)
	}
	server, err := serve.NewServer(serve.ServerConfig{Certificates: pair, Metrics: metrics, Review: converter.Review, Recycle: converter.Recycle})
	if err != nil {
		b.Fatal(err)
	}
	reviews, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx, reviews, nil) }()
	defer func() { stop(); <-ended }()
	ask := func(duration time.Duration) int {
		return askFromProcess(b, reviews.Addr().String(), authority, body, duration)
	}
	ask(turn) // warm
	return profileOf(b, language+", over TLS", func() int { return ask(splitTime) })
}

// askFromProcess starts a client and returns the number of its requests.
func askFromProcess(b *testing.B, address string, authority *certs.Authority, body []byte, duration time.Duration) int {
	b.Helper()
	ca := b.TempDir() + "/ca.pem"
	if err := os.WriteFile(ca, authority.PEM, 0o600); err != nil {
		b.Fatal(err)
	}
	client := exec.Command(os.Args[0])
	client.Env = append(os.Environ(), fmt.Sprintf("%s=https://%s/convert %v %s", askVariable, address, duration, ca))
	client.Stdin, client.Stderr = bytes.NewReader(body), os.Stderr
	out, err := client.Output()
	if err != nil {
		b.Fatal(err)
	}
	requests, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		b.Fatal(err)
	}
	return requests
}

// askServer is the client.
func askServer(what string) error {
	words := strings.Fields(what)
	if len(words) != 3 {
		return fmt.Errorf("%s must be a URL, a duration and a file", askVariable)
	}
	duration, err := time.ParseDuration(words[1])
	if err != nil {
		return err
	}
	pem, err := os.ReadFile(words[2])
	if err != nil {
		return err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return errors.New("no certificate authority")
	}
	body, err := io.ReadAll(bufio.NewReader(os.Stdin))
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	requests := 0
	for began := time.Now(); time.Since(began) < duration; requests++ {
		answer, err := client.Post(words[0], "application/json", bytes.NewReader(body))
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, answer.Body)
		if answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %w", answer.Status, err)
		}
	}
	fmt.Println(requests)
	return nil
}
