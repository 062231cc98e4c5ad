package schemas

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/turns"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// retryPause is how long a file waits to be read again if the reason of the failure may pass.
const retryPause = 10 * time.Second

// reader reads the new files of the newest scan one at a time. The owners take turns, and the groups
// of each, so that one group's costly files delay another group's file by one file at most. Within a
// group, files of the start go first, then changes of files in use, then small files.
type reader struct {
	scan   runtime.Scan          // the newest
	unread map[string]watch.File // by name
	turns  turns.Nested          // of the owners and their groups
	again  bool                  // a file is to be read again later

	planned bool            // a scan was planned in which no file was being written
	start   map[string]bool // files of that scan that were not read yet
}

// Run reads the definitions of the scans that Scanned gets, until ctx ends. It is called once.
func (s *Schemas) Run(ctx context.Context) {
	if s == nil {
		return
	}
	retry := time.NewTimer(0)
	defer retry.Stop()
	for {
		for s.advance(ctx) {
		}
		if s.reader.again {
			retry.Reset(retryPause)
		}
		select {
		case <-s.wake:
		case <-retry.C:
			s.rescan()
		case <-ctx.Done():
			return
		}
	}
}

// rescan compares the newest scan again, for files that could not be read.
func (s *Schemas) rescan() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scanned == nil && s.reader.again {
		s.scanned = &s.reader.scan
	}
}

// advance takes the newest scan if there is a new one, and reads one file. It reports whether there
// is more to do. Only one goroutine calls it.
func (s *Schemas) advance(ctx context.Context) (more bool) {
	r := &s.reader
	s.mu.Lock()
	next := s.scanned
	s.scanned = nil
	s.mu.Unlock()
	if next != nil {
		r.scan, r.again = *next, false
		r.replace(s.plan(r.scan))
		if !r.planned && (!r.scan.Unsettled || time.Since(s.began) > startPatience) {
			r.planned, r.start = true, map[string]bool{}
			for name := range r.unread {
				r.start[name] = true
			}
			s.mu.Lock()
			s.planned = true
			s.mu.Unlock()
		}
		s.Compare()
	}
	if f, found := r.next(s.inUse()); found {
		began := time.Now()
		s.readFile(ctx, f)
		r.done(f, time.Since(began))
		if len(r.unread) == 0 {
			s.plan(r.scan) // a file that replaces another was read
			s.Compare()
		}
	}
	maps.DeleteFunc(r.start, func(name string, _ bool) bool { _, unread := r.unread[name]; return !unread })
	s.mu.Lock()
	s.read = s.read || r.planned && len(r.start) == 0 && ctx.Err() == nil
	s.mu.Unlock()
	return len(r.unread) > 0 && ctx.Err() == nil
}

// replace makes files the ones to read.
func (r *reader) replace(files map[string]watch.File) {
	before := r.unread
	r.unread = files
	for name := range files {
		r.turns.Join(ownerOf(name), groupOf(name))
	}
	for name := range before {
		r.turns.Leave(ownerOf(name), groupOf(name))
	}
}

// next returns the file that is next.
func (r *reader) next(inUse map[string]bool) (best watch.File, found bool) {
	owner, known := "", false // the owner that is next
	for name := range r.unread {
		if one := ownerOf(name); !known || cmp.Or(cmp.Compare(r.turns.Owner(one), r.turns.Owner(owner)), strings.Compare(one, owner)) < 0 {
			owner, known = one, true
		}
	}
	for _, f := range r.unread {
		if ownerOf(f.Name) != owner {
			continue
		}
		if !found || cmp.Or(
			cmp.Compare(r.turns.Used(owner, groupOf(f.Name)), r.turns.Used(owner, groupOf(best.Name))),
			first(r.start[f.Name], r.start[best.Name]),
			first(inUse[f.Name], inUse[best.Name]),
			cmp.Compare(f.Size, best.Size),
			strings.Compare(f.Name, best.Name),
		) < 0 {
			best, found = f, true
		}
	}
	return best, found
}

// first puts true first.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// done records that a file was read, which took so long.
func (r *reader) done(f watch.File, took time.Duration) {
	delete(r.unread, f.Name)
	r.turns.Charge(ownerOf(f.Name), groupOf(f.Name), took)
	r.turns.Leave(ownerOf(f.Name), groupOf(f.Name))
}

func ownerOf(name string) string {
	owner, _ := watch.SplitOwner(name)
	return owner
}

// groupOf returns the API group in the name of a definition's file, <plural>.<group>.crd.yaml.
func groupOf(name string) string {
	_, group, _ := strings.Cut(strings.TrimSuffix(definitionBase(name), ".crd"), ".")
	return group
}

// inUse returns the files of which a content is in use.
func (s *Schemas) inUse() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	used := map[string]bool{}
	for name, d := range s.files {
		used[name] = d.crd != nil
	}
	return used
}

// readFile reads one file and records the result.
func (s *Schemas) readFile(ctx context.Context, f watch.File) {
	whole, err := s.reader.scan.Read(f)
	if errors.Is(err, runtime.ErrChanged) {
		return // another scan follows
	}
	var d definition
	if err == nil {
		d.crd, d.kept, err = s.parser.parse(ctx, whole, s.keptBeside(f.Name))
	}
	if ctx.Err() != nil {
		return
	}
	if errors.As(err, new(laterError)) {
		f.Sum, s.reader.again = [32]byte{}, true
	}
	s.mu.Lock()
	delete(s.unread, f.Name)
	if err != nil {
		s.recordRefused(f.Name, s.file(f.Name), f.Sum, err)
	} else {
		_, signer := s.reader.scan.Checksums.For(ownerOf(f.Name)).Listing()
		s.recordLoaded(f.Name, s.file(f.Name), f.Sum, d.crd, signer)
		s.files[f.Name].kept = d.kept
	}
	s.publish()
	s.mu.Unlock()
	s.Compare()
}
