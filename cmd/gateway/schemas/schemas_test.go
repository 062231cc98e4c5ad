package schemas

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/widgets"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// TestMain lets the test binary be the child process that reads a definition.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == ChildArgument {
		os.Exit(ChildMain(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// following has Schemas over a directory of its own, that a test scans itself.
type following struct {
	*Schemas
	dir    string
	log    *bytes.Buffer
	routed *host.Routes
}

func newFollowing(t *testing.T) *following {
	f := &following{dir: t.TempDir(), log: &bytes.Buffer{}}
	logger := slog.New(slog.NewTextHandler(f.log, nil))
	f.Schemas = New(Config{Logger: logger, Registerer: prometheus.NewRegistry(), Routes: func() *host.Routes { return f.routed }, Memory: MaxMemory})
	f.ModulesLoaded()
	return f
}

// scan reads the directory as the registry of the modules does.
func (f *following) scan() runtime.Scan {
	snapshot, err := watch.Read(f.dir, watch.ReadLimits{Lower: f.FileLimit}, func(name string) bool {
		return isDefinition(name) || sums.Is(name) || strings.HasSuffix(name, runtime.Tombstone)
	})
	return runtime.Scan{Snapshot: snapshot, Checksums: sums.Of(snapshot, nil, false), Err: err}
}

// readAll scans the directory and reads all of its new files.
func (f *following) readAll() {
	f.Scanned(f.scan())
	for f.advance(context.Background()) {
	}
}

// step writes files (no content: deletes), scans, and returns the log and the status, without times
// and digests.
func (f *following) step(t *testing.T, files map[string]string) (log, status string) {
	t.Helper()
	for name, content := range files {
		if content == "" {
			if err := os.Remove(filepath.Join(f.dir, name)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		widgets.Put(t, f.dir, name, content)
	}
	f.log.Reset()
	f.readAll()
	content, err := json.Marshal(f.Status())
	if err != nil {
		t.Fatal(err)
	}
	status = regexp.MustCompile(`,"(digest|failedDigest|since|lastErrorAt)":"[^"]*"`).ReplaceAllString(string(content), "")
	return regexp.MustCompile(`(?m)^time=\S+ | (sha256|before)=\w+`).ReplaceAllString(f.log.String(), ""), status
}

func TestSchemaFiles(t *testing.T) {
	const (
		versions = `"versions":["v1 (storage)","v2"]`
		good     = `[{"file":"widgets.example.com.crd.yaml","state":"checking","defines":"Widget.example.com",` + versions + `}]`
		gone     = "the file was deleted; its schema is used until the gateway restarts or widgets.example.com.crd.removed takes it out of service"
		loaded   = "level=INFO msg=\"schema loaded\" audit=schema file=widgets.example.com.crd.yaml kind=Widget group=example.com\n"
	)
	f := newFollowing(t)
	f.routed = host.NewRoutes([]host.Edge{
		{Group: "example.com", Kind: "Widget", From: "v1", To: "v2", Module: still("a")},
		{Group: "example.com", Kind: "Widget", From: "v2", To: "v1", Module: still("a")},
	})
	found := func(want bool) {
		t.Helper()
		if got := f.Find("example.com", "Widget") != nil; got != want || f.Find("example.com", "Other") != nil {
			t.Errorf("a schema is found: %v, want %v", got, want)
		}
	}
	for _, s := range []struct {
		name        string
		files       map[string]string
		log, status string
		found       bool
	}{
		{"nothing", nil, "", "[]", false},
		{
			"broken from the first", map[string]string{widgets.File: "kind: Widget"},
			"level=ERROR msg=\"schema refused\" file=widgets.example.com.crd.yaml err=\"kind: must be CustomResourceDefinition, not \\\"Widget\\\"\" instead=\"objects of its kind are not checked\"\n",
			`[{"file":"widgets.example.com.crd.yaml","state":"failed","lastError":"kind: must be CustomResourceDefinition, not \"Widget\""}]`, false,
		},
		{"said once", nil, "", `[{"file":"widgets.example.com.crd.yaml","state":"failed","lastError":"kind: must be CustomResourceDefinition, not \"Widget\""}]`, false},
		{"mended", map[string]string{widgets.File: widgets.Definition("string")}, loaded, good, true},
		{"unchanged", nil, "", good, true},
		{"changed", map[string]string{widgets.File: widgets.Definition("integer")}, loaded, good, true},
		{
			"broken", map[string]string{widgets.File: "kind: Widget"},
			"level=ERROR msg=\"schema refused\" file=widgets.example.com.crd.yaml err=\"kind: must be CustomResourceDefinition, not \\\"Widget\\\"\" instead=\"the previous schema is still used\"\n",
			`[{"file":"widgets.example.com.crd.yaml","state":"checking","defines":"Widget.example.com",` + versions + `,"lastError":"kind: must be CustomResourceDefinition, not \"Widget\""}]`, true,
		},
		{"the old content comes back", map[string]string{widgets.File: widgets.Definition("integer")}, loaded, good, true},
		{"other files", map[string]string{"a.wasm": "x", "crd.yaml": "x", "widgets.yaml": "x"}, "", good, true},
		{
			"another name", map[string]string{"other.example.com.crd.yaml": widgets.Definition("string")},
			"level=ERROR msg=\"schema refused\" file=other.example.com.crd.yaml err=\"the file has the CustomResourceDefinition widgets.example.com; rename it to widgets.example.com.crd.yaml\" instead=\"objects of its kind are not checked\"\n",
			`[{"file":"other.example.com.crd.yaml","state":"failed","lastError":"the file has the CustomResourceDefinition widgets.example.com; rename it to widgets.example.com.crd.yaml"},` + good[1:], true,
		},
		{
			"gone", map[string]string{"other.example.com.crd.yaml": ""},
			"level=INFO msg=\"schema removed: its file was deleted or taken out of service\" file=other.example.com.crd.yaml\n", good, true,
		},
		{
			"too large", map[string]string{"big.example.com.crd.yaml": strings.Repeat(" ", maxDefinition+1)},
			"level=ERROR msg=\"schema refused\" file=big.example.com.crd.yaml err=\"it is too large: the limit is 4194304 bytes\" instead=\"objects of its kind are not checked\"\n",
			`[{"file":"big.example.com.crd.yaml","state":"failed","lastError":"it is too large: the limit is 4194304 bytes"},` + good[1:], true,
		},
		{
			"a name that is no text", map[string]string{"big.example.com.crd.yaml": "", "\xff.crd.yaml": "kind: Widget"},
			"level=ERROR msg=\"schema refused\" file=\"\\xff.crd.yaml\" err=\"kind: must be CustomResourceDefinition, not \\\"Widget\\\"\" instead=\"objects of its kind are not checked\"\n" +
				"level=INFO msg=\"schema removed: its file was deleted or taken out of service\" file=big.example.com.crd.yaml\n",
			good[:len(good)-1] + `,{"file":"�.crd.yaml","state":"failed","lastError":"kind: must be CustomResourceDefinition, not \"Widget\""}]`, true,
		},
		{
			"as JSON too", map[string]string{"\xff.crd.yaml": "", "widgets.example.com.crd.json": widgets.Definition("string")},
			"level=INFO msg=\"schema loaded\" audit=schema file=widgets.example.com.crd.json kind=Widget group=example.com\nlevel=INFO msg=\"schema removed: its file was deleted or taken out of service\" file=\"\\xff.crd.yaml\"\n",
			`[{"file":"widgets.example.com.crd.json","state":"checking","defines":"Widget.example.com",` + versions + `},{"file":"widgets.example.com.crd.yaml","state":"superseded","defines":"Widget.example.com",` + versions + `}]`, true,
		},
		{
			"all gone", map[string]string{"widgets.example.com.crd.json": "", widgets.File: ""},
			"level=ERROR msg=\"schema refused\" file=widgets.example.com.crd.json err=\"" + gone + "\" instead=\"the previous schema is still used\"\n" +
				"level=ERROR msg=\"schema refused\" file=widgets.example.com.crd.yaml err=\"" + gone + "\" instead=\"the previous schema is still used\"\n",
			`[{"file":"widgets.example.com.crd.json","state":"checking","defines":"Widget.example.com",` + versions + `,"lastError":"` + gone + `"},{"file":"widgets.example.com.crd.yaml","state":"superseded","defines":"Widget.example.com",` + versions + `,"lastError":"` + gone + `"}]`, true,
		},
		{
			"one is there again", map[string]string{widgets.File: widgets.Definition("string")},
			loaded + "level=INFO msg=\"schema removed: its file was deleted or taken out of service\" audit=schema file=widgets.example.com.crd.json\n", good, true,
		},
		{
			"taken out of service", map[string]string{"widgets.example.com.crd.removed": "x"},
			"level=INFO msg=\"schema removed: its file was deleted or taken out of service\" audit=schema file=widgets.example.com.crd.yaml\n",
			"[]", false,
		},
	} {
		log, status := f.step(t, s.files)
		lines := strings.SplitAfter(log, "\n")
		slices.Sort(lines[:len(lines)-1]) // of several files, in no order
		if log = strings.Join(lines, ""); log != s.log || status != s.status {
			t.Errorf("%s: logged\n%s\nwant\n%s\nstatus\n%s\nwant\n%s", s.name, log, s.log, status, s.status)
		}
		found(s.found)
	}
	if n := testutil.CollectAndCount(f.metrics.reloaded) + testutil.CollectAndCount(f.metrics.missing); n != 0 {
		t.Errorf("%d series are left of files that have gone", n)
	}
}

// TestSchemaDirectoryIsLost: schemas stay in use while the directory cannot be read.
func TestSchemaDirectoryIsLost(t *testing.T) {
	f := newFollowing(t)
	f.step(t, map[string]string{widgets.File: widgets.Definition("string")})
	if err := os.RemoveAll(f.dir); err != nil {
		t.Fatal(err)
	}
	if log, _ := f.step(t, nil); !strings.Contains(log, "cannot read schemas; using the previous ones") {
		t.Errorf("logged %s", log)
	}
	if log, status := f.step(t, nil); log != "" || !strings.Contains(status, `"state":"checking"`) || f.Find("example.com", "Widget") == nil {
		t.Errorf("logged %s, status %s", log, status)
	}
}

// TestMissingConversions: missing conversions are logged once for each change, shown, and counted.
func TestMissingConversions(t *testing.T) {
	const (
		line    = "level=WARN msg=\"conversions are missing\" file=widgets.example.com.crd.yaml kind=Widget group=example.com err="
		forward = "v2 is served, and nothing converts v1 (storage) to v2"
		back    = "v2 is served, and nothing converts v2 to v1 (storage)"
	)
	edge := func(from, to string) host.Edge {
		return host.Edge{Group: "example.com", Kind: "Widget", From: from, To: to, Module: still("a")}
	}
	f := newFollowing(t)
	f.step(t, map[string]string{widgets.File: widgets.Definition("string")})
	f.log.Reset()
	for _, s := range []struct {
		name    string
		edges   []host.Edge
		log     string
		missing []string
	}{
		{"none still", nil, "", []string{forward, back}}, // the scan has logged it
		{"one way", []host.Edge{edge("v1", "v2")}, line + `"` + back + "\"\n", []string{back}},
		{"another module", []host.Edge{edge("v1", "v2"), edge("v2", "v3")}, "", []string{back}},
		{"by a detour", []host.Edge{edge("v1", "v2"), edge("v2", "v3"), edge("v3", "v1")},
			"level=INFO msg=\"no conversions are missing any more\" file=widgets.example.com.crd.yaml kind=Widget group=example.com\n", nil},
		{"none again", nil, line + `"` + forward + "; " + back + "\"\n", []string{forward, back}},
	} {
		f.routed = host.NewRoutes(s.edges)
		f.log.Reset()
		f.Compare()
		f.Compare()
		if log := regexp.MustCompile(`(?m)^time=\S+ `).ReplaceAllString(f.log.String(), ""); log != s.log {
			t.Errorf("%s: logged\n%s\nwant\n%s", s.name, log, s.log)
		}
		status := f.Status()[0]
		if !slices.Equal(status.Missing, s.missing) {
			t.Errorf("%s: missing %q, want %q", s.name, status.Missing, s.missing)
		}
		if unchecked := len(s.edges) > 1; slices.Equal(status.Unchecked, []string{"v3"}) != unchecked {
			t.Errorf("%s: unchecked %q", s.name, status.Unchecked)
		}
		if n := testutil.ToFloat64(f.metrics.missing.WithLabelValues(widgets.File)); n != float64(len(s.missing)) {
			t.Errorf("%s: the metric says %v", s.name, n)
		}
	}
}

// TestHammerSchemas looks schemas up and lists them while files and routes change, for the race
// detector.
func TestHammerSchemas(t *testing.T) {
	f := newFollowing(t)
	var routes atomic.Pointer[host.Routes]
	f.routes = routes.Load
	stop := make(chan struct{})
	var all sync.WaitGroup
	for caller := range 4 {
		all.Go(func() { // ends with stop
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if crd := f.Find("example.com", "Widget"); crd != nil {
					_ = crd.Check("v2", []byte(`{"spec":{"module":1}}`), schema.Options{}, func(schema.Violation) bool { return true })
				}
				if i%16 == caller {
					routes.Store(host.NewRoutes([]host.Edge{{Group: "example.com", Kind: "Widget", From: "v1", To: "v2", Module: still("a")}}))
					f.Compare()
					f.Status()
				}
			}
		})
	}
	for _, content := range []string{widgets.Definition("string"), "broken", widgets.Definition("integer")} {
		widgets.Put(t, f.dir, widgets.File, content)
		f.readAll()
	}
	close(stop)
	all.Wait()
	if status := f.Status(); len(status) != 1 || status[0].State != StateChecking || status[0].LastError != "" {
		t.Errorf("in the end: %+v", status)
	}
}
