package main

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/sums"
	"github.com/crosswalk-gateway/crosswalk/internal/watch"
)

// What --schema-check may be.
const (
	schemaOff     = "off"
	schemaReport  = "report"
	schemaEnforce = "enforce"
)

// maxDefinition is the most bytes of a file with a CustomResourceDefinition: what the schema package reads, and more than etcd takes.
const maxDefinition = 4 << 20

// isDefinition says whether a file of the module directory is one with a CustomResourceDefinition. The runtime leaves such files alone.
func isDefinition(name string) bool {
	return strings.HasSuffix(name, ".crd.yaml") || strings.HasSuffix(name, ".crd.json")
}

// schemas follows the files <plural>.<group>.crd.yaml of the module directory. What the last good content of each says serves for checks,
// until the file goes. It may be used by many goroutines at once.
type schemas struct {
	dir     string
	quiet   time.Duration // how long a file must not have changed; 0 means a watcher's default
	keys    sums.Keys     // of those who may sign what decides which files are used
	log     *slog.Logger
	metrics schemaMetrics
	routes  func() *host.Routes // that serve now
	ready   func() bool         // whether modules have been loaded once
	watcher *watch.Watcher
	began   time.Time

	current atomic.Pointer[map[groupKind]*schema.CRD] // never changed once stored

	mu    sync.Mutex // guards what follows; held for moments only, never while a file is read
	files map[string]*definition
	read  bool   // the directory was read once, with nothing in it being written, or that failed
	cause string // why it could not be read at the last pass
}

// schemaPatience is how long a file that is still being written at the start is waited for, as the modules are.
const schemaPatience = 10 * time.Second

type groupKind struct{ group, kind string }

// definition is what is known of one file.
type definition struct {
	crd    *schema.CRD // of the last good content; nil if there was none
	sum    [32]byte    // its SHA-256
	since  time.Time
	failed [32]byte // SHA-256 of the newest content, if that is no good
	err    error    // why it is not; nil if it is
	errAt  time.Time
	told   string // conversions logged as missing
}

// schemaMetrics are this package's metrics of definitions. Their label is a file of the module directory.
type schemaMetrics struct{ reloaded, missing *prometheus.GaugeVec }

func newSchemaMetrics(reg prometheus.Registerer) schemaMetrics {
	m := schemaMetrics{
		reloaded: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "crosswalk_schema_last_reload_successful",
			Help: "Whether the newest content of a CustomResourceDefinition's file is good: 0 means that the last good one, if any, is still used.",
		}, []string{"file"}),
		missing: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "crosswalk_conversions_missing",
			Help: "Conversions that an API server may ask for by a CustomResourceDefinition's file, and that no modules do. /modules names them.",
		}, []string{"file"}),
	}
	reg.MustRegister(m.reloaded, m.missing)
	return m
}

func newSchemas(dir string, keys sums.Keys, settle, poll time.Duration, logger *slog.Logger, reg prometheus.Registerer, routes func() *host.Routes, ready func() bool) *schemas {
	s := &schemas{
		dir: dir, quiet: settle, keys: keys, log: logger, metrics: newSchemaMetrics(reg), routes: routes, ready: ready,
		watcher: watch.New(watch.Config{Dir: dir, Quiet: settle, MaxQuiet: 8 * settle, Poll: poll}), // without a logger: the modules' own watcher says what there is to say
		files:   map[string]*definition{}, began: time.Now(),
	}
	s.current.Store(&map[groupKind]*schema.CRD{})
	return s
}

// Find returns the definition of a kind, or nil.
func (s *schemas) Find(group, kind string) *schema.CRD {
	return (*s.current.Load())[groupKind{group, kind}]
}

// run follows the directory until ctx ends.
func (s *schemas) run(ctx context.Context) { s.watcher.Run(ctx, s.pass) }

// pass reads the directory once. It runs on the watcher's goroutine only.
func (s *schemas) pass() {
	snapshot, err := watch.Read(s.dir, watch.ReadLimits{FileBytes: maxDefinition, Quiet: s.quiet}, func(name string) bool { return isDefinition(name) || sums.Is(name) })
	if err != nil {
		s.mu.Lock()
		if s.cause != err.Error() {
			s.log.Error("schemas cannot be read; those read before are still used", "err", err)
		}
		s.read, s.cause = true, err.Error()
		s.mu.Unlock()
		return
	}
	known := s.sums()
	list := sums.Of(snapshot, s.keys, false)
	loads := map[string]func(*definition){} // by file, what the pass found
	for _, f := range snapshot.Files {
		if sums.Is(f.Name) {
			continue
		}
		sum, before := known[f.Name]
		denied := list.File(f)
		switch {
		case list.Waits() && !before:
		case list.Waits(), denied == nil && sum == f.Sum:
			loads[f.Name] = func(*definition) {}
		case denied != nil: // noted without a digest, as of content that was not looked at: it may be allowed later
			loads[f.Name] = func(d *definition) { s.settle(f.Name, d, [32]byte{}, nil, denied) }
		default:
			crd, err := parseDefinition(f)
			loads[f.Name] = func(d *definition) { s.settle(f.Name, d, f.Sum, crd, err) }
		}
	}
	for _, f := range snapshot.Skipped {
		if sums.Is(f.Name) {
			continue // the modules' side has said it
		}
		_, before := known[f.Name]
		switch {
		case !snapshot.Unsettled:
			loads[f.Name] = func(d *definition) { s.settle(f.Name, d, [32]byte{}, nil, errors.New("it "+f.Reason)) }
		case before: // it may be the one that is being written; the next pass will know
			loads[f.Name] = func(*definition) {}
		}
	}

	s.mu.Lock()
	s.read, s.cause = s.read || !snapshot.Unsettled || time.Since(s.began) > schemaPatience, ""
	for name, load := range loads {
		if s.files[name] == nil {
			s.files[name] = &definition{}
		}
		load(s.files[name])
	}
	for name := range s.files {
		if _, there := loads[name]; !there {
			s.log.Info("schema's file has gone; its kind is not checked any more", "file", name)
			s.metrics.reloaded.DeleteLabelValues(fileLabel(name))
			s.metrics.missing.DeleteLabelValues(fileLabel(name))
			delete(s.files, name)
		}
	}
	s.publish()
	s.mu.Unlock()
	s.compare()
	if snapshot.Unsettled {
		s.watcher.Again()
	}
}

// sums returns the digests of the newest contents, good or not.
func (s *schemas) sums() map[string][32]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	sums := map[string][32]byte{}
	for name, d := range s.files {
		sums[name] = d.sum
		if d.err != nil {
			sums[name] = d.failed
		}
	}
	return sums
}

// fileLabel is a file's name as metrics have it. The names of definitions are looked at before anything says that they are good ones, and a
// label that is not UTF-8 would be a panic.
func fileLabel(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }

// parseDefinition reads a file, which must have the name that goes with its content, so that one kind has one file.
func parseDefinition(f watch.File) (*schema.CRD, error) {
	crd, err := schema.Parse(f.Content)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(crd.FileName(), ".yaml")
	if f.Name != base+".yaml" && f.Name != base+".json" {
		return nil, fmt.Errorf("the file has the CustomResourceDefinition %s; call it %s", strings.TrimSuffix(base, ".crd"), crd.FileName())
	}
	return crd, nil
}

// settle enters what came of a file that changed. s.mu is held.
func (s *schemas) settle(name string, d *definition, sum [32]byte, crd *schema.CRD, err error) {
	now := time.Now()
	if err != nil {
		if d.err == nil || d.err.Error() != err.Error() {
			instead := "its kind is not checked"
			if d.crd != nil {
				instead = "the schema read before is still used"
			}
			s.log.Error("schema refused", "file", name, "err", err, "instead", instead)
			d.errAt = now
		}
		d.failed, d.err = sum, err
		s.metrics.reloaded.WithLabelValues(fileLabel(name)).Set(0)
		return
	}
	s.log.Info("schema loaded", "file", name, "sha256", hex.EncodeToString(sum[:6]), "kind", crd.Kind, "group", crd.Group)
	for _, warning := range crd.Warnings {
		s.log.Warn("schema has something odd", "file", name, "err", warning)
	}
	*d = definition{crd: crd, sum: sum, since: now, told: d.told}
	s.metrics.reloaded.WithLabelValues(fileLabel(name)).Set(1)
}

// publish makes what the files say what checks use. Of two files for one kind, .json and .yaml, the first by name counts. s.mu is held.
func (s *schemas) publish() {
	next := map[groupKind]*schema.CRD{}
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		if crd := s.files[name].crd; crd != nil {
			key := groupKind{crd.Group, crd.Kind}
			next[key] = cmp.Or(next[key], crd)
		}
	}
	s.current.Store(&next)
}

// compare holds the definitions against what modules convert and logs what is missing, once. Call it whenever either has changed, and
// when modules were loaded for the first time; before that it does nothing.
func (s *schemas) compare() {
	if !s.ready() {
		return
	}
	routes := s.routes()
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, d := range s.files {
		if d.crd == nil {
			continue
		}
		missing := missingFrom(d.crd, routes)
		s.metrics.missing.WithLabelValues(fileLabel(name)).Set(float64(len(missing)))
		now := strings.Join(missing, "; ")
		switch {
		case now == d.told:
		case now != "":
			s.log.Warn("conversions are missing", "file", name, "kind", d.crd.Kind, "group", d.crd.Group, "err", now)
		default:
			s.log.Info("no conversions are missing any more", "file", name, "kind", d.crd.Kind, "group", d.crd.Group)
		}
		d.told = now
	}
}

// wasRead says whether the directory was read once, or that failed. A nil s has nothing to read.
func (s *schemas) wasRead() bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read
}

// checks are one for each definition that could be read: whether modules do all that it demands. A nil s has none.
func (s *schemas) checks() (all []host.Check) {
	if s == nil {
		return nil
	}
	routes := s.routes()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		if crd := s.files[name].crd; crd != nil {
			c := host.Check{Name: name}
			if missing := missingFrom(crd, routes); len(missing) > 0 {
				c.Err = errors.New(strings.Join(missing, "; "))
			}
			all = append(all, c)
		}
	}
	return all
}

// missingFrom says which conversions an API server may ask for, by a definition, that routes do not have.
func missingFrom(crd *schema.CRD, routes *host.Routes) []string {
	return crd.Missing(func(from, to string) bool { return routes.Path(crd.Group, crd.Kind, from, to) != nil })
}
