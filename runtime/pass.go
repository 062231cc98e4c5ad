package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/sums"
	"github.com/crosswalk-gateway/crosswalk/internal/watch"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Tombstone is the ending of a file that takes a module out of service: <base>.removed beside, or instead of, <base>.wasm.
// A file that merely vanishes takes nothing away (faults.md W7): an emptied ConfigMap or a lost mount must not turn off a
// conversion that objects depend on.
const Tombstone = ".removed"

func wanted(name string) bool {
	if _, ok := artifact.SidecarBase(name); ok {
		return true
	}
	return artifact.IsModuleFile(name) || strings.HasSuffix(name, Tombstone) || sums.Is(name) || artifact.Misspelled(name) != ""
}

// job is a file that is to be loaded, and what came of it.
type job struct {
	name   artifact.Name
	file   watch.File
	beside *watch.File // its sidecar, nil if it has none
	unread string      // why its sidecar, which is there, could not be read
	module *module.Module
	err    error
	since  time.Time // when the registry learned of this content
	again  bool      // this content has failed before

	// Guarded by Registry.mu:
	wanted  bool // somebody has asked for its conversions
	loaded  bool // or refused, or put last
	settled bool // what came of it was entered
	overran int  // tries that took longer than they may
	late    bool // it was put last, and nothing has come of it yet
	dropped bool // while it was put last, its content went
}

func (j *job) identity() [sha256.Size]byte {
	if j.unread != "" {
		return sha256.Sum256(append(j.file.Sum[:len(j.file.Sum):len(j.file.Sum)], j.unread...))
	}
	return artifact.Identity(j.file, j.beside)
}

// pass reads the directory once and, if that changed what should serve, publishes a new set. It runs on the watcher's
// goroutine only.
func (r *Registry) pass(ctx context.Context) {
	r.metrics.passes.Inc()
	limits := r.loader.Limits()
	snapshot, err := watch.Read(r.config.Dir, watch.ReadLimits{FileBytes: int64(limits.PackedBytes), TotalBytes: int64(limits.DirectoryBytes), Quiet: r.config.Quiet}, wanted)
	r.mu.Lock()
	r.judge(time.Now())
	if err != nil {
		if r.problem != err.Error() {
			r.logger.Error("cannot read the module directory; loaded modules keep serving", "err", err)
		}
		r.problem = err.Error()
		r.mu.Unlock()
		r.enter(nil)
		r.isReady()
		r.scheduleRetry()
		return
	}
	r.problem = ""
	if len(snapshot.Files) == 0 && !r.ready.Load() {
		level := slog.LevelWarn
		if r.config.Beside != nil { // modules serve from another
			level = slog.LevelInfo
		}
		r.logger.Log(ctx, level, "the module directory has no modules yet", "dir", r.config.Dir)
	}
	r.obey(snapshot, time.Now())
	jobs := r.queue(r.plan(snapshot, time.Now()), time.Now())
	r.mu.Unlock()

	r.run(ctx, jobs)
	if ctx.Err() != nil {
		for _, j := range jobs { // shutting down: what was just loaded is not wanted any more
			if j.module != nil && !j.settled {
				j.module.Close()
			}
		}
		return
	}
	r.enter(jobs)
	if snapshot.Unsettled {
		r.watcher.Again()
	}
	if !snapshot.Unsettled || time.Since(r.began) > startPatience {
		r.isReady()
	}
	r.scheduleRetry()
}

// queue notes what is to be loaded, puts last what has failed before, and returns the rest. r.mu is held.
func (r *Registry) queue(jobs []*job, now time.Time) (fresh []*job) {
	for _, j := range jobs {
		j.since = now
		r.jobs[j.name.Base] = j
		if j.again {
			j.late = true
			r.slow = append(r.slow, j)
		} else {
			fresh = append(fresh, j)
		}
	}
	return fresh
}

// startPatience is how long a file that is still being written at the start holds up readiness: half the time that reviews are put off by
// default. One that is written for longer may be written for ever.
const startPatience = 10 * time.Second

// isReady notes the end of the first pass.
func (r *Registry) isReady() {
	if r.ready.Swap(true) {
		return
	}
	close(r.first)
	if r.config.OnReady != nil {
		r.config.OnReady()
	}
}

// enter makes what came of jobs what serves, with all else that has changed since, and with the versions before where modules did not stand
// their probation.
func (r *Registry) enter(jobs []*job) {
	r.changing.Lock()
	defer r.changing.Unlock()
	r.mu.Lock()
	r.judge(time.Now()) // first: a bad version that is replaced is remembered too
	for _, j := range jobs {
		switch {
		case j.settled || j.late:
		case j.dropped:
			if j.module != nil {
				j.module.Close()
			}
		default:
			r.settle(j, time.Now())
			j.settled = true
			delete(r.jobs, j.name.Base)
		}
	}
	next := r.nextSet()
	r.mu.Unlock()
	if next != nil {
		r.publish(next)
	}
}

// scheduleRetry has the directory looked at again when the first of the failures may be tried again, or the first probation ends.
func (r *Registry) scheduleRetry() {
	r.mu.Lock()
	var next time.Time
	sooner := func(t time.Time) {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	for base, s := range r.slots {
		if s.failure != nil && r.jobs[base] == nil { // else it is being tried again
			sooner(s.failure.retryAt)
		}
		if s.previous != nil {
			_, _, until := s.previous.account()
			sooner(until)
		}
	}
	r.mu.Unlock()
	r.retry.Stop()
	if !next.IsZero() {
		r.retry.Reset(time.Until(next))
	}
}

// plan compares a snapshot with what is known, and returns what has to be loaded. r.mu is held.
func (r *Registry) plan(snapshot watch.Snapshot, now time.Time) []*job {
	refused := map[string]refusedFile{}
	refuse := func(file, reason string) {
		before, known := r.refused[file]
		if known && before.reason == reason {
			refused[file] = before
			return
		}
		refused[file] = refusedFile{reason, now}
		r.logger.Warn("ignoring file", "file", file, "reason", reason)
	}
	removed := map[string]bool{}
	files := map[string][]*job{}
	seen := map[string]bool{}
	sidecars := map[string]*watch.File{}
	unread := map[string]string{} // why a sidecar that is there could not be read, by base
	for i, f := range snapshot.Files {
		if base, ok := artifact.SidecarBase(f.Name); ok {
			sidecars[base] = &snapshot.Files[i]
			continue
		}
		if base, ok := strings.CutSuffix(f.Name, Tombstone); ok {
			if err := r.list.File(f); err != nil {
				refuse(f.Name, err.Error())
				continue
			}
			removed[base] = true
			continue
		}
		if sums.Is(f.Name) {
			continue
		}
		if right := artifact.Misspelled(f.Name); right != "" {
			refuse(f.Name, "it is ignored under this name; rename it to "+right)
			continue
		}
		name, err := artifact.ParseName(f.Name)
		if err != nil {
			refuse(f.Name, err.Error())
			continue
		}
		files[name.Base] = append(files[name.Base], &job{name: name, file: f})
		seen[name.Base] = true
	}
	denied := r.denyUnread(unreadOf(snapshot, files), removed, now)
	for _, s := range snapshot.Skipped {
		if s.Name == sums.ListFile {
			continue // it has an entry of its own
		}
		if !slices.Contains(denied, s.Name) && !(snapshot.Unsettled && r.hasFailed(s.Name)) { // these have one, too
			refuse(s.Name, s.Reason)
		}
		if base, ok := artifact.SidecarBase(s.Name); ok {
			unread[base] = s.Reason
		}
		if name, err := artifact.ParseName(s.Name); err == nil {
			seen[name.Base] = true // it is there, if unreadable: what serves is no orphan
		}
	}

	var jobs []*job
	for base, candidates := range files {
		if removed[base] {
			for _, j := range candidates {
				refuse(j.name.File, "taken out of service by "+base+Tombstone)
			}
			continue
		}
		allowed := r.allowed(candidates)
		chosen := r.choose(base, allowed)
		for _, j := range candidates {
			if !slices.Contains(allowed, j) {
				refuse(j.name.File, r.list.File(j.file).Error())
			} else if j != chosen {
				refuse(j.name.File, "the directory has the same module as "+chosen.name.File+"; delete one of them")
			}
		}
		chosen.beside, chosen.unread = sidecars[base], unread[base]
		if chosen.unread != "" && snapshot.Unsettled {
			continue // its sidecar may be being written: the next snapshot is near
		}
		if r.list.Waits() {
			continue // so may be what decides on it
		}
		if err := r.permit(base, chosen); err != nil {
			r.deny(base, chosen, err, now)
			continue
		}
		if r.isNews(base, chosen, now) {
			jobs = append(jobs, chosen)
		}
	}
	for base, f := range sidecars {
		if !seen[base] {
			refuse(f.Name, "there is no module "+base+".wasm, .wasm.gz or .wasm.zst beside it")
		}
	}
	sort.Slice(jobs, func(i, j int) bool { return jobs[i].name.File < jobs[j].name.File })
	for base, s := range r.slots {
		r.notePresence(base, s, seen[base], removed[base], now)
	}
	r.refused = refused
	return jobs
}

// choose picks one of the packings of a module: the one that serves, else the first by name.
func (r *Registry) choose(base string, candidates []*job) *job {
	if s := r.slots[base]; s != nil && s.serving != nil {
		for _, j := range candidates {
			if j.name.File == s.serving.Name() {
				return j
			}
		}
	}
	return slices.MinFunc(candidates, func(a, b *job) int { return strings.Compare(a.name.File, b.name.File) })
}

// isNews reports whether a file has to be loaded: it is not what serves, and has not failed so recently.
func (r *Registry) isNews(base string, j *job, now time.Time) bool {
	s := r.slots[base]
	if s == nil {
		r.slots[base] = &slot{present: true}
		return true
	}
	s.present = true
	if p := r.jobs[base]; p != nil {
		if p.identity() == j.identity() && p.name.File == j.name.File {
			return false // it was put last, and its turn will come
		}
		r.drop(base)
	}
	if s.serving != nil && s.serving.Identity() == j.identity() && s.serving.Name() == j.name.File {
		if s.failure != nil { // somebody put the old content back
			s.failure = nil
			r.metrics.reloadOK.WithLabelValues(j.name.File).Set(1)
			r.logger.Info("module file has the serving content again", "module", j.name.File, "sha256", foreign.Digest(s.serving.Digest()))
		}
		return false
	}
	if v, found := s.condemned[j.identity()]; found {
		if s.failure == nil || s.failure.identity != j.identity() || s.failure.file != j.name.File {
			s.failure = v.failure(j.name.File, j.identity(), j.file.Sum, now)
			r.metrics.reloadOK.WithLabelValues(j.name.File).Set(0)
			r.logger.Error("module refused", "module", j.name.File, "sha256", foreign.Digest(digestOf(j.file.Sum)), "err", v.err, "instead", s.instead())
		}
		return false
	}
	if s.failure == nil || s.failure.identity != j.identity() || s.failure.file != j.name.File {
		return true
	}
	j.again = !s.failure.retryAt.IsZero() // else it was not permitted, and now is
	return !now.Before(s.failure.retryAt)
}

// notePresence updates whether a module's file is there, and takes a module away whose removal was asked for.
func (r *Registry) notePresence(base string, s *slot, present, removed bool, now time.Time) {
	if removed || !present {
		r.drop(base)
	}
	switch {
	case removed:
		if s.serving != nil {
			r.logger.Info("module taken out of service", "module", s.serving.Name(), "by", base+Tombstone)
			r.metrics.forget(s.serving.Name())
		}
		delete(r.slots, base)
	case !present && s.present:
		s.present, s.gone = false, now
		if s.serving == nil {
			if s.failure != nil {
				r.metrics.forget(s.failure.file)
			}
			delete(r.slots, base)
			return
		}
		s.failure = nil
		r.metrics.orphaned.WithLabelValues(s.serving.Name()).Set(1)
		r.logger.Warn("module file was deleted; the module serves until the gateway restarts or "+base+Tombstone+" takes it out of service", "module", s.serving.Name())
	case present && !s.present:
		s.present = true
		if s.serving != nil {
			r.metrics.orphaned.WithLabelValues(s.serving.Name()).Set(0)
		}
	case present && s.serving != nil:
		r.metrics.orphaned.WithLabelValues(s.serving.Name()).Set(0)
	}
}

// settle enters what came of a job. r.mu is held.
func (r *Registry) settle(j *job, now time.Time) {
	s, file, digest := r.slots[j.name.Base], j.name.File, hex.EncodeToString(j.file.Sum[:])
	if j.err != nil {
		tries := 1
		if s.failure != nil && s.failure.identity == j.identity() {
			tries = s.failure.tries + 1
		}
		most := retryMax
		if module.IsBusy(j.err) {
			most = retryBusy
		}
		pause := min(retryFirst<<min(tries-1, 16), most)
		s.failure = &failure{file: file, digest: j.file.Sum, identity: j.identity(), err: j.err, at: now, tries: tries, retryAt: now.Add(pause)}
		r.metrics.reloadOK.WithLabelValues(file).Set(0)
		r.metrics.reloadFailure.WithLabelValues(file).Inc()
		level := slog.LevelError
		if tries > 1 { // it has been said
			level = slog.LevelDebug
		}
		r.logger.Log(context.Background(), level, "module refused", "module", file, "sha256", foreign.Digest(digest), "err", j.err, "instead", s.instead())
		return
	}
	r.beginProbation(s, j.module, now)
	if old := s.serving; old != nil {
		r.metrics.info.DeleteLabelValues(old.Name(), old.Digest())
		if old.Name() != file {
			r.metrics.forget(old.Name())
		}
		attrs := []any{"module", file, "sha256", foreign.Digest(digest), "before", foreign.Digest(old.Digest()), "took", j.module.Facts().Took.Round(time.Millisecond)}
		if old.Digest() == digest {
			attrs = append(attrs, "changed", "sidecar")
		}
		if p := s.previous; p != nil {
			attrs = append(attrs, "probation", r.config.Probation, "previous", foreign.Digest(p.Digest()))
		}
		r.logger.Info("module replaced", attrs...)
	} else {
		r.logger.Info("module loaded", "module", file, "sha256", foreign.Digest(digest), "edges", edgeList(j.name.Edges()), "abi", j.module.ABI(), "took", j.module.Facts().Took.Round(time.Millisecond))
	}
	s.serving, s.since, s.failure, s.present = j.module, now, nil, true
	r.metrics.info.WithLabelValues(file, digest).Set(1)
	r.metrics.reloadOK.WithLabelValues(file).Set(1)
	r.metrics.reloadTime.WithLabelValues(file).Set(float64(now.UnixMilli()) / 1000)
	r.metrics.orphaned.WithLabelValues(file).Set(0)
	r.metrics.declared.WithLabelValues(file).Set(float64(j.module.Facts().FieldCount))
}
