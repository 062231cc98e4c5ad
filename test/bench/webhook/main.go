// Command webhook is one of the conversion webhooks that the benchmarks compare the gateway with, in a process that links
// nothing else: its memory and its start are the webhook's own.
package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	"github.com/crosswalk-gateway/crosswalk/test/bench/crontab"
	"github.com/crosswalk-gateway/crosswalk/test/internal/native"
)

// handlers are the webhooks by name: controller-runtime's, that of the Kubernetes documentation, and
// a server that converts nothing.
var handlers = map[string]func() http.Handler{
	"B1": func() http.Handler {
		return conversion.NewWebhookHandler(crontab.NewScheme(), conversion.NewRegistry())
	},
	"B2":   documented,
	"echo": echo,
}

func documented() http.Handler { return native.Handler(native.CronTab) }

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: webhook NAME CERTIFICATE KEY")
		os.Exit(2)
	}
	if err := serve(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "webhook:", err)
		os.Exit(1)
	}
}

// serve serves a handler over TLS on a free port, which it prints, until its standard input ends,
// which happens when its parent ends.
func serve(name, certificate, key string) error {
	handler, ok := handlers[name]
	if !ok {
		return fmt.Errorf("there is no handler %q", name)
	}
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	server := &http.Server{Handler: handler(), TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}}
	go func() { // ends with its parent
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	// API servers use HTTP/1.1 for Services, and the gateway offers nothing else.
	if err := server.Serve(tls.NewListener(listener, server.TLSConfig)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
