package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/test/bench/crontab"
	"github.com/crosswalk-gateway/crosswalk/test/internal/artifacts"
	"github.com/crosswalk-gateway/crosswalk/test/internal/native"
)

const (
	group = crontab.Group
	kind  = crontab.Kind

	moduleFile = kind + "." + group + "_v1_v2.wasm"
)

// system answers reviews in this process. It is used by one goroutine at a time; the answer is good
// until the next call.
type system struct {
	name   string
	review func(body []byte) (answer []byte, err error)
}

// typedHandler is B1: the handler that controller-runtime serves for a kubebuilder project.
func typedHandler() http.Handler {
	return conversion.NewWebhookHandler(crontab.NewScheme(), conversion.NewRegistry())
}

// mapsHandler is B2: the handler of the Kubernetes documentation.
func mapsHandler() http.Handler { return native.Handler(native.CronTab) }

// ofHandler calls an HTTP handler with as little around it as can be.
func ofHandler(name string, handler http.Handler) system {
	answer := &recorder{header: http.Header{}}
	where := &url.URL{Path: "/convert"}
	return system{name, func(body []byte) ([]byte, error) {
		answer.Reset()
		answer.code = http.StatusOK
		handler.ServeHTTP(answer, &http.Request{
			Method: http.MethodPost, URL: where, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
		})
		if answer.code != http.StatusOK {
			return nil, fmt.Errorf("HTTP %d: %s", answer.code, answer.Bytes())
		}
		return answer.Bytes(), nil
	}}
}

// recorder is a ResponseWriter whose memory is used again.
type recorder struct {
	bytes.Buffer
	header http.Header
	code   int
}

func (r *recorder) Header() http.Header  { return r.header }
func (r *recorder) WriteHeader(code int) { r.code = code }

// languages are those that make plugins has built the converter in.
func languages(tb testing.TB) (dir string, names []string) {
	tb.Helper()
	if dir = os.Getenv("CROSSWALK_PLUGINS"); dir == "" {
		root, err := artifacts.Root()
		if err != nil {
			tb.Fatal(err)
		}
		dir = filepath.Join(root, "bin", "plugins")
	}
	built, err := filepath.Glob(filepath.Join(dir, "*", moduleFile))
	if err != nil {
		tb.Fatal(err)
	}
	for _, path := range built {
		names = append(names, filepath.Base(filepath.Dir(path)))
	}
	slices.Sort(names)
	return dir, names
}

// ofModule is the gateway without its server: a converter over a registry, so metered, checked and
// with every instance reset after its batch. Limits are the defaults but for how long calls may
// take; the trial loading in a process of its own is off. The module is shown whole objects, even
// if it declares fields.
func ofModule(tb testing.TB, plugins, language string) system {
	tb.Helper()
	return ofGateway(tb, plugins, language, false, nil)
}

// projectedSuffix marks the name of a language whose module declares its fields.
const projectedSuffix = "+fields"

// crontabFields are the declared fields of the example for languages in which it declares none
// itself.
const crontabFields = `fields:
  v1: [spec.cronSpec, "metadata.annotations['conversion.stable.example.com/partial-schedule']"]
  v2: [spec.min, spec.hour, spec.dayOfMonth, spec.month, spec.dayOfWeek]
`

// whole is a module that is shown whole objects.
type whole struct{ *module.Module }

func (whole) Fields(_, _ string) []string { return nil }

// cachedName is the name of a gateway that keeps answers, asked for the same objects again and
// again: which module made them once makes no difference.
const cachedName = "cached"

// ofGateway is ofModule with a module that is shown whole objects, or the fields that it or a
// sidecar declares, and with a cache unless it is nil.
func ofGateway(tb testing.TB, plugins, language string, projected bool, cache *host.Cache) system {
	tb.Helper()
	name := language
	if cache != nil {
		name = cachedName
	}
	if projected {
		name += projectedSuffix
	}
	converter := newConverter(tb, plugins, language, projected, cache)
	var answer []byte // of the call before, given back as a server does
	return system{name, func(body []byte) ([]byte, error) {
		converter.Recycle(answer)
		var outcome host.Outcome
		var rejected error
		answer, outcome, rejected = converter.Review(context.Background(), body)
		switch {
		case rejected != nil:
			return nil, rejected
		case outcome.Failure != "":
			return nil, fmt.Errorf("%s: %s", outcome.Failure, outcome.Message)
		}
		return answer, nil
	}}
}

// newConverter returns the gateway's converter over a registry with one module.
func newConverter(tb testing.TB, plugins, language string, projected bool, cache *host.Cache) *host.Converter {
	tb.Helper()
	dir := tb.TempDir()
	wasm, err := os.ReadFile(filepath.Join(plugins, language, moduleFile))
	if err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, moduleFile), wasm, 0o600); err != nil {
		tb.Fatal(err)
	}
	current := &served{projected: projected}
	registry, err := runtime.New(runtime.Config{
		Dir: dir, Registerer: prometheus.NewRegistry(), OnSet: current.replace, Quiet: time.Millisecond,
		Limits: module.Limits{CallTime: time.Minute}, // which costs the same as 2 s; the machine may do other things as well
	})
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- registry.Run(ctx) }() // ends with ctx
	tb.Cleanup(func() { cancel(); <-ended })
	file := language + "/" + moduleFile
	current.wait(tb, registry, file, func() bool { return current.Routes() != nil })
	if projected && !current.declares() {
		// In one step: the registry, which waits for a millisecond of quiet, would refuse half a file.
		sidecar := strings.TrimSuffix(moduleFile, ".wasm") + ".yaml"
		if err := errors.Join(
			os.WriteFile(filepath.Join(dir, "."+sidecar), []byte(crontabFields), 0o600),
			os.Rename(filepath.Join(dir, "."+sidecar), filepath.Join(dir, sidecar)),
		); err != nil {
			tb.Fatal(err)
		}
		current.wait(tb, registry, file, current.declares)
	}
	converter, err := host.NewConverter(host.ConverterConfig{Modules: current, Cache: cache})
	if err != nil {
		tb.Fatal(err)
	}
	return converter
}

// served joins a registry and a converter, as cmd/gateway does. It may be used by many goroutines
// at once.
type served struct {
	projected bool // modules are shown the fields that they declare, and not whole objects
	host.Sets
	set atomic.Pointer[runtime.Set]
}

func (s *served) replace(set *runtime.Set) {
	var routes *host.Routes // nil for a set without modules
	if bindings := set.Bindings(); len(bindings) > 0 {
		edges := make([]host.Edge, len(bindings))
		for i, b := range bindings {
			edges[i] = host.Edge{Group: b.Group, Kind: b.Kind, From: b.From, To: b.To, Module: b.Module}
			if !s.projected {
				edges[i].Module = whole{b.Module}
			}
		}
		routes = host.NewRoutes(edges)
	}
	s.set.Store(set)
	s.Replace(set, routes) // wait looks for routes first
}

// wait waits until the current set is as it should be.
func (s *served) wait(tb testing.TB, registry *runtime.Registry, file string, done func() bool) {
	tb.Helper()
	eventually.True(tb, file+" to be loaded", func() bool {
		if status := registry.Status(); len(status) > 0 && status[0].LastError != "" {
			tb.Fatalf("%s: %s", file, status[0].LastError)
		}
		return done()
	})
}

// declares says whether there are modules that are shown fields, and all of them in both
// directions.
func (s *served) declares() bool {
	bindings := s.set.Load().Bindings()
	for _, b := range bindings {
		if len(b.Module.Fields(b.From, b.To)) == 0 {
			return false
		}
	}
	return len(bindings) > 0
}

// systems returns the two baselines first, then the gateway with each module.
func systems(tb testing.TB) []system {
	all := []system{ofHandler("B1", typedHandler()), ofHandler("B2", mapsHandler())}
	dir, names := languages(tb)
	for _, language := range names {
		all = append(all, ofModule(tb, dir, language), ofGateway(tb, dir, language, true, nil))
	}
	if len(names) > 0 {
		all = append(all, ofGateway(tb, dir, names[0], false, host.NewCache(64<<20)))
	}
	return all
}

// adapted is the converter of an operator's existing Go types, unchanged. It is built here.
func adapted(tb testing.TB) system {
	tb.Helper()
	const name = "kubebuilder"
	dir := tb.TempDir()
	build := exec.Command("go", "build", "-buildmode=c-shared", "-buildvcs=false", "-trimpath", "-ldflags=-s -w",
		"-o", filepath.Join(dir, name, moduleFile), "./guests/"+name)
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("building the guest %s: %v: %s", name, err, out)
	}
	return ofModule(tb, dir, name)
}
