package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"

	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// certificates loads the certificate that the flags name, or generates one for --dev and prints how
// to use it.
func (o *options) certificates(reviews net.Addr, metrics *serve.Metrics, logger *slog.Logger, stdout io.Writer) (*serve.Certificates, error) {
	if !o.dev {
		c, err := serve.LoadCertificates(serve.CertificatesConfig{
			CertFile: o.certFile, KeyFile: o.keyFile, ClientCAFile: o.clientCAFile, Metrics: metrics, Logger: logger,
		})
		if err != nil {
			flags := "--tls-cert-file, --tls-key-file"
			if o.clientCAFile != "" {
				flags += ", --client-ca-file"
			}
			return nil, fmt.Errorf("%s: %w", flags, err)
		}
		return c, nil
	}
	c, ca, err := serve.DevCertificates(o.devHosts, metrics, logger)
	if err != nil {
		return nil, fmt.Errorf("--dev: %w", err)
	}
	if o.devCAFile != "" {
		if err := os.WriteFile(o.devCAFile, ca, 0o644); err != nil {
			return nil, fmt.Errorf("--dev-ca-file: %w", err)
		}
	}
	name := "localhost"
	if len(o.devHosts) > 0 {
		name = o.devHosts[0]
	}
	_, port, err := net.SplitHostPort(reviews.String())
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	_, err = fmt.Fprintf(stdout, `The development certificate is good for as long as this process runs. In a CustomResourceDefinition:

  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: ["v1"]
      clientConfig:
        url: https://%s/convert
        caBundle: %s

`, net.JoinHostPort(name, port), base64.StdEncoding.EncodeToString(ca))
	return c, err
}

// follow reloads the certificate when its files change, until ctx ends. It adds its goroutines to
// done.
func follow(ctx context.Context, done *sync.WaitGroup, c *serve.Certificates, logger *slog.Logger) {
	reload := reloading(c.Reload, logger)
	for _, dir := range c.Dirs() {
		w := watch.New(watch.Config{Dir: dir, Logger: logger})
		done.Go(func() { w.Run(ctx, reload) }) // ends with ctx
	}
}

// reloading returns a function that reloads, and logs a problem once: each poll finds the same one,
// and the metric shows it. It is safe for concurrent use, because the files may be in several
// directories.
func reloading(reload func() error, logger *slog.Logger) func() {
	var mu sync.Mutex // guards last
	var last string
	return func() {
		mu.Lock()
		defer mu.Unlock()
		problem := ""
		if err := reload(); err != nil {
			problem = err.Error()
		}
		if problem != "" && problem != last {
			logger.Error("certificate not replaced; still serving the previous one", "err", problem)
		}
		last = problem
	}
}
