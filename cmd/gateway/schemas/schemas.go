// Package schemas reads the CustomResourceDefinitions beside the modules, which the gateway
// checks converted objects against, and reports the conversions that they need and that no module
// does.
package schemas

import (
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/internal/child"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// Config configures Schemas. All fields but Enforce are required.
type Config struct {
	// Enforce rejects definitions with rules that cannot be checked.
	Enforce    bool
	Logger     *slog.Logger
	Registerer prometheus.Registerer
	// Routes returns the routes over the serving modules.
	Routes func() *host.Routes
	// Memory is the most memory of all definitions together, in bytes, and of the process that reads
	// one, which gets 160 MiB at most; usually MaxMemory.
	Memory int
	// Owners is how many owners share Memory, and OwnerOf returns whose modules serve a kind; empty
	// if no module does. Without owners, OwnerOf is nil.
	Owners  int
	OwnerOf func(group, kind string) string
}

// Schemas has the definitions of the files <plural>.<group>.crd.yaml in the module directory. It
// keeps the last good content of each file, also after the file is deleted, until a .crd.removed
// file takes the definition out of service. It is safe for concurrent use, and a nil *Schemas,
// without definitions, is valid, except as a runtime.Subscriber.
type Schemas struct {
	routes func() *host.Routes
	began  time.Time
	parser parser
	owners owners
	loaded atomic.Bool // the modules were loaded once

	current atomic.Pointer[map[groupKind]*schema.CRD] // never changed once stored

	reader reader        // of Run's goroutine
	wake   chan struct{} // of size 1: there is a new scan

	mu      sync.Mutex    // guards the fields below; never held while a file is read
	scanned *runtime.Scan // the newest scan that the reader does not have
	table
	unread  map[string]time.Time // files that wait to be read, and since when
	planned bool                 // the files to read are known: the directory was scanned once, with no file being written
	read    bool                 // the directory was read once, with no file being written, or reading it failed
	cause   string               // why the last scan could not read the directory
}

// table has the state of each file, and logs and counts its changes.
type table struct {
	logger  *slog.Logger
	metrics metrics
	files   map[string]*definition
	lacks   error // a definition that SHA256SUMS lists and that was never there
}

// parser reads definitions in a child process.
type parser struct {
	program string
	memory  int  // the most memory of the process, in bytes
	most    int  // the most memory of all definitions of an owner, in bytes
	enforce bool // rejects definitions with rules that cannot be checked
}

type groupKind struct{ group, kind string }

// definition is the state of one file.
type definition struct {
	crd    *schema.CRD // of the last good content; nil if there was none
	kept   int         // bytes of memory that crd keeps
	sum    [32]byte    // SHA-256 of the last good content
	since  time.Time
	failed [32]byte // SHA-256 of the newest content, if that was rejected
	err    error    // why it was rejected
	errAt  time.Time
	logged string // the missing conversions in the last log line
}

// New returns Schemas without definitions. The registry of the modules reads the directory and calls
// Scanned with each scan; Run reads the files beside it.
func New(config Config) *Schemas {
	s := &Schemas{
		routes: config.Routes, wake: make(chan struct{}, 1), began: time.Now(), owners: config.OwnerOf,
		parser: parser{program: child.Self(), memory: min(childMemory, config.Memory), most: config.Memory / max(config.Owners, 1), enforce: config.Enforce},
		table:  table{logger: config.Logger, metrics: newMetrics(config.Registerer), files: map[string]*definition{}},
	}
	s.current.Store(&map[groupKind]*schema.CRD{})
	return s
}

// Find returns the definition of a kind, or nil.
func (s *Schemas) Find(group, kind string) *schema.CRD {
	return (*s.current.Load())[groupKind{group, kind}]
}

// publish makes the definitions of the files the current ones. If two files define a kind, .json
// and .yaml, the first by name counts; of several owners, that of the kind's owner. s.mu is held.
func (s *Schemas) publish() {
	next := map[groupKind]*schema.CRD{}
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		if crd := s.files[name].crd; crd != nil {
			key := groupKind{crd.Group, crd.Kind}
			if next[key] == nil && s.owners.owns(name, crd) {
				next[key] = crd
			}
		}
	}
	s.current.Store(&next)
}

// ModulesLoaded notes that the modules were loaded once: from now on Schemas logs missing
// conversions.
func (s *Schemas) ModulesLoaded() {
	if s != nil {
		s.loaded.Store(true)
		s.Compare()
	}
}

// Compare finds the conversions that definitions need and no module does, and logs each change.
// Call it after the routes changed. It does nothing before ModulesLoaded.
func (s *Schemas) Compare() {
	if s == nil || !s.loaded.Load() {
		return
	}
	routes := s.routes()
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, d := range s.files {
		if d.crd == nil {
			continue
		}
		if why := s.owners.foreign(name, d.crd); why != "" {
			if s.metrics.missing.DeleteLabelValues(foreign.Label(name)); d.logged != why {
				s.logger.Warn("definition is not used", "file", name, "kind", d.crd.Kind, "group", d.crd.Group, "err", why)
			}
			d.logged = why
			continue
		}
		missing := missingFrom(d.crd, routes)
		s.metrics.missing.WithLabelValues(foreign.Label(name)).Set(float64(len(missing)))
		now := strings.Join(missing, "; ")
		switch {
		case now == d.logged:
		case now != "":
			s.logger.Warn("conversions are missing", "file", name, "kind", d.crd.Kind, "group", d.crd.Group, "err", now)
		default:
			s.logger.Info("no conversions are missing any more", "file", name, "kind", d.crd.Kind, "group", d.crd.Group)
		}
		d.logged = now
	}
}

const (
	// startPatience bounds the wait at the start for files that are still being written; the
	// modules have the same bound.
	startPatience = 10 * time.Second
	// readPatience bounds the wait at the start for all definitions together: the small ones of
	// every group are read first.
	readPatience = 5 * time.Second
)

// WasRead reports whether the gateway need not wait for definitions any more: each file that the
// start found was read, reading the directory failed, or reading takes longer than readPatience.
func (s *Schemas) WasRead() bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read || (s.planned || !s.parser.enforce) && time.Since(s.began) > readPatience
}

// Known reports whether Unread knows all files that the start found.
func (s *Schemas) Known() bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read || s.planned
}

// Unread returns the first definition's file of a kind's group and owner that waits to be read and of
// which no content is in use, and since when; file is "" if there is none.
func (s *Schemas) Unread(group, kind string) (file string, since time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, found := range s.unread {
		if d := s.files[name]; groupOf(name) == group && s.owners.mayOwn(name, group, kind) && (d == nil || d.crd == nil) && (file == "" || name < file) {
			file, since = name, found
		}
	}
	return file, since
}

// Incomplete returns an error if a definition is missing without which Enforce must not begin.
func (s *Schemas) Incomplete() error {
	if s == nil || !s.parser.enforce {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lacks
}

// Checks returns a check for each good definition: that modules do all conversions that it needs.
func (s *Schemas) Checks() (all []serve.Check) {
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

// missingFrom returns the conversions that an API server may ask for, by a definition, and that
// routes do not have.
func missingFrom(crd *schema.CRD, routes *host.Routes) []string {
	return crd.Missing(func(from, to string) bool { return routes.Path(crd.Group, crd.Kind, from, to) != nil })
}
