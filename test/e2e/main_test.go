// Package e2e drives the gateway's binary with a real API server and with the API server's own
// client code.
package e2e

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/test/internal/apiserver"
	"github.com/crosswalk-gateway/crosswalk/test/internal/artifacts"
	"github.com/crosswalk-gateway/crosswalk/test/internal/certs"
	"github.com/crosswalk-gateway/crosswalk/test/internal/gateway"
)

// shared holds the fixtures of all tests, made once because each takes a second or more. TestMain
// sets it; tests run one after another.
var shared struct {
	server    *apiserver.Server // with a watch cache, as in production
	uncached  *apiserver.Server // without one, so that every read converts
	binary    string            // of the gateway
	authority *certs.Authority  // of the gateways' certificates
	plugins   func() (*artifacts.Plugins, error)
	tool      func() (string, error)      // builds the command crosswalk, once
	gateways  map[string]*gateway.Process // that serve the example converters, by language
}

func TestMain(m *testing.M) {
	// Interrupted tests remove their files and end their gateways, which have the same terminal and
	// also receive the signal.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code, err := run(ctx, m)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(ctx context.Context, m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "crosswalk-e2e-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	// All files go there, so that files of interrupted tests are removed too.
	if err := os.Setenv("TMPDIR", dir); err != nil {
		return 0, err
	}
	if shared.binary, err = artifacts.Gateway(ctx); err != nil {
		return 0, err
	}
	if shared.authority, err = certs.NewAuthority(); err != nil {
		return 0, err
	}
	shared.plugins = sync.OnceValues(func() (*artifacts.Plugins, error) { return artifacts.BuildPlugins(ctx) })
	shared.tool = sync.OnceValues(func() (string, error) { return artifacts.Program(ctx, "crosswalk") })
	shared.gateways = map[string]*gateway.Process{}
	defer func() {
		for language, p := range shared.gateways {
			if stopped := p.Stop(); stopped != nil && err == nil {
				err = fmt.Errorf("the gateway of the converters in %s did not end well: %w", language, stopped)
			}
			p.Remove()
		}
	}()
	log, err := os.Create(filepath.Join(dir, "apiserver.log"))
	if err != nil {
		return 0, err
	}
	defer log.Close()
	apiserver.LogTo(log)
	binary := os.Getenv("CROSSWALK_APISERVER")
	if shared.server, err = apiserver.Start(apiserver.Config{Binary: binary}); err != nil {
		return 0, err
	}
	defer shared.server.Stop()
	if shared.server.Version != "" {
		fmt.Println("the API server is apiextensions-apiserver", shared.server.Version)
	}
	if shared.uncached, err = apiserver.Start(apiserver.Config{NoWatchCache: true, Binary: binary}); err != nil {
		return 0, err
	}
	defer shared.uncached.Stop()

	done := make(chan int, 1)
	go func() { done <- m.Run() }()
	select {
	case code = <-done:
	case <-ctx.Done():
		return 1, nil
	}
	if code != 0 {
		for _, file := range slices.Concat([]string{log.Name()}, shared.server.Logs(), shared.uncached.Logs()) {
			fmt.Fprintf(os.Stderr, "--- the end of %s\n%s\n", file, tail(file, 16<<10))
		}
	}
	return code, nil
}

// tail returns the last bytes of a file.
func tail(file string, most int) []byte {
	text, err := os.ReadFile(file)
	if err != nil {
		return []byte(err.Error())
	}
	return text[max(0, len(text)-most):]
}
