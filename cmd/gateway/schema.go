package main

import (
	"github.com/crosswalk-gateway/crosswalk/host/serve"

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
	"github.com/crosswalk-gateway/crosswalk/internal/child"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/sums"
	"github.com/crosswalk-gateway/crosswalk/internal/watch"
	"github.com/crosswalk-gateway/crosswalk/runtime"
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

// definitionRemoved is the end of a file that takes a definition out of service, as .removed does for modules: <plural>.<group>.crd.removed.
const definitionRemoved = ".crd" + runtime.Tombstone

// definitionBase is the name of a definition's file without its last ending, <plural>.<group>.crd.
func definitionBase(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".yaml"), ".json")
}

// schemas follows the files <plural>.<group>.crd.yaml of the module directory. The last good content of each serves for checks, also when the
// file has gone, until a .crd.removed file takes it out of service. It may be used by many goroutines at once.
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
	enforce bool   // refuse a definition with rules that are over a bound; set before run
	program string // that reads definitions in a child process
	memory  int    // the most that the child may take

	current atomic.Pointer[map[groupKind]*schema.CRD] // never changed once stored

	mu    sync.Mutex // guards what follows; held for moments only, never while a file is read
	files map[string]*definition
	read  bool   // the directory was read once, with nothing in it being written, or that failed
	cause string // why it could not be read at the last pass
	lacks error  // a definition that SHA256SUMS lists and that was never there
}

// schemaPatience is how long a file that is still being written at the start is waited for, as the modules are.
const schemaPatience = 10 * time.Second

type groupKind struct{ group, kind string }

// definition is what is known of one file.
type definition struct {
	crd    *schema.CRD // of the last good content; nil if there was none
	kept   int         // bytes of it
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
			Help: "1 if the newest content of a CustomResourceDefinition's file was loaded; 0 if it was not and the last good content, if any, is still used.",
		}, []string{"file"}),
		missing: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "crosswalk_conversions_missing",
			Help: "Conversions that API servers may request according to a CustomResourceDefinition's file and that no module provides. /modules lists them.",
		}, []string{"file"}),
	}
	reg.MustRegister(m.reloaded, m.missing)
	return m
}

func newSchemas(dir string, keys sums.Keys, settle, poll time.Duration, logger *slog.Logger, reg prometheus.Registerer, routes func() *host.Routes, ready func() bool) *schemas {
	s := &schemas{
		dir: dir, quiet: settle, keys: keys, log: logger, metrics: newSchemaMetrics(reg), routes: routes, ready: ready,
		watcher: watch.New(watch.Config{Dir: dir, Quiet: settle, MaxQuiet: 8 * settle, Poll: poll}), // without a logger: the modules' own watcher says what there is to say
		files:   map[string]*definition{}, began: time.Now(), program: child.Self, memory: schemaMemory,
	}
	s.current.Store(&map[groupKind]*schema.CRD{})
	return s
}

// Find returns the definition of a kind, or nil.
func (s *schemas) Find(group, kind string) *schema.CRD {
	return (*s.current.Load())[groupKind{group, kind}]
}

// run follows the directory until ctx ends.
func (s *schemas) run(ctx context.Context) { s.watcher.Run(ctx, func() { s.pass(ctx) }) }

// pass reads the directory once. It runs on the watcher's goroutine only.
func (s *schemas) pass(ctx context.Context) {
	snapshot, err := watch.Read(s.dir, watch.ReadLimits{FileBytes: maxDefinition, Quiet: s.quiet}, func(name string) bool {
		return isDefinition(name) || sums.Is(name) || strings.HasSuffix(name, definitionRemoved)
	})
	if err != nil {
		s.mu.Lock()
		if s.cause != err.Error() {
			s.log.Error("cannot read schemas; using the previous ones", "err", err)
		}
		s.read, s.cause = true, err.Error()
		s.mu.Unlock()
		return
	}
	known := s.sums()
	list := sums.Of(snapshot, s.keys, false)
	loads := map[string]func(*definition){} // by file, what the pass found
	removed := removedDefinitions(snapshot, list)
	again := false
	for _, f := range snapshot.Files {
		if !isDefinition(f.Name) || removed[definitionBase(f.Name)] {
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
			crd, kept, err := s.parse(ctx, f)
			if ctx.Err() != nil {
				return
			}
			if errors.As(err, new(laterError)) {
				f.Sum, again = [32]byte{}, true
			}
			loads[f.Name] = func(d *definition) {
				if s.settle(f.Name, d, f.Sum, crd, err); err == nil {
					d.kept = kept
				}
			}
		}
	}
	for _, f := range snapshot.Skipped {
		if !isDefinition(f.Name) || removed[definitionBase(f.Name)] {
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
			moved := slices.ContainsFunc(slices.Collect(maps.Keys(loads)), func(other string) bool { // to .json from .yaml
				return definitionBase(other) == definitionBase(name) && s.files[other].err == nil
			})
			s.gone(name, moved || removed[definitionBase(name)], snapshot.Unsettled, list)
		}
	}
	s.lacks = nil
	for _, name := range list.Absent(snapshot, isDefinition) {
		if s.files[name] == nil && !removed[definitionBase(name)] {
			s.lacks = list.Missing(name)
		}
	}
	s.publish()
	s.mu.Unlock()
	s.compare()
	if snapshot.Unsettled || again {
		s.watcher.Again()
	}
}

// removedDefinitions returns the definitions that a file takes out of service, by definitionBase.
func removedDefinitions(snapshot watch.Snapshot, list *sums.Check) map[string]bool {
	removed := map[string]bool{}
	for _, f := range snapshot.Files {
		if strings.HasSuffix(f.Name, definitionRemoved) && list.File(f) == nil {
			removed[strings.TrimSuffix(f.Name, runtime.Tombstone)] = true
		}
	}
	return removed
}

// gone decides about a definition whose file is not there. A module in this place serves until the gateway restarts, and so does its schema:
// otherwise, to delete a file would turn the enforcement off. s.mu is held.
func (s *schemas) gone(name string, removed, unsettled bool, list *sums.Check) {
	d := s.files[name]
	switch {
	case removed || d.crd == nil:
		s.log.Info("schema removed: its file was deleted or taken out of service", "file", name)
		s.metrics.reloaded.DeleteLabelValues(foreign.Label(name))
		s.metrics.missing.DeleteLabelValues(foreign.Label(name))
		delete(s.files, name)
	case unsettled: // it may be being replaced
	default:
		err := list.Missing(name)
		if err == nil {
			err = fmt.Errorf("the file was deleted; its schema is used until the gateway restarts or %s%s takes it out of service", definitionBase(name), runtime.Tombstone)
		}
		s.settle(name, d, [32]byte{}, nil, err)
	}
}

// incomplete says that a definition is missing without which --schema-check=enforce must not begin. A nil s has nothing to read.
func (s *schemas) incomplete() error {
	if s == nil || !s.enforce {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lacks
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

// parse reads a file, which must have the name that goes with its content, so that one kind has one file. kept is how many bytes the
// definition keeps.
func (s *schemas) parse(ctx context.Context, f watch.File) (crd *schema.CRD, kept int, err error) {
	doc, kept, err := vetDefinition(ctx, s.program, s.memory, f.Content)
	if err != nil {
		return nil, 0, err
	}
	if others := s.keptByOthers(f.Name); kept+others > maxSchemas {
		return nil, 0, fmt.Errorf("it takes %d MiB of memory, and with the other definitions more than %d MiB: simplify the schemas, or take definitions out", kept>>20, maxSchemas>>20)
	}
	if crd, err = schema.Parse(doc); err != nil {
		return nil, 0, err
	}
	if s.enforce && len(crd.Skipped) > 0 {
		return nil, 0, fmt.Errorf("%s (a rule that cannot be checked is not let pass with --schema-check=enforce)", crd.Skipped[0])
	}
	base := strings.TrimSuffix(crd.FileName(), ".yaml")
	if f.Name != base+".yaml" && f.Name != base+".json" {
		return nil, 0, fmt.Errorf("the file has the CustomResourceDefinition %s; call it %s", strings.TrimSuffix(base, ".crd"), crd.FileName())
	}
	return crd, kept, nil
}

// keptByOthers is how many bytes the definitions of all other files keep.
func (s *schemas) keptByOthers(name string) (sum int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for other, d := range s.files {
		if other != name {
			sum += d.kept
		}
	}
	return sum
}

// settle enters what came of a file that changed. s.mu is held.
func (s *schemas) settle(name string, d *definition, sum [32]byte, crd *schema.CRD, err error) {
	now := time.Now()
	if err != nil {
		if d.err == nil || d.err.Error() != err.Error() {
			instead := "its kind is not checked"
			if d.crd != nil {
				instead = "the previous schema is still used"
			}
			s.log.Error("schema refused", "file", name, "err", err, "instead", instead)
			d.errAt = now
		}
		d.failed, d.err = sum, err
		s.metrics.reloaded.WithLabelValues(foreign.Label(name)).Set(0)
		return
	}
	s.log.Info("schema loaded", "file", name, "sha256", hex.EncodeToString(sum[:6]), "kind", crd.Kind, "group", crd.Group)
	for _, warning := range slices.Concat(crd.Warnings, crd.Skipped) {
		s.log.Warn("schema warning", "file", name, "err", warning)
	}
	*d = definition{crd: crd, sum: sum, since: now, told: d.told}
	s.metrics.reloaded.WithLabelValues(foreign.Label(name)).Set(1)
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
		s.metrics.missing.WithLabelValues(foreign.Label(name)).Set(float64(len(missing)))
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
func (s *schemas) checks() (all []serve.Check) {
	if s == nil {
		return nil
	}
	routes := s.routes()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		if crd := s.files[name].crd; crd != nil {
			c := serve.Check{Name: name}
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
