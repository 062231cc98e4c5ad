package runtime

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/sums"
	"github.com/crosswalk-gateway/crosswalk/internal/watch"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// obey reads what the snapshot's SHA256SUMS says, after its signature was verified, and logs what is new. r.mu is held.
func (r *Registry) obey(snapshot watch.Snapshot, now time.Time) {
	before := r.list
	r.list = sums.Of(snapshot, r.config.Keys, leftOut(r.config.Dir, snapshot))
	if r.list.Waits() {
		return
	}
	why := ""
	if problem := r.list.Problem(); problem != nil {
		why = problem.Error()
	}
	sum, there := r.list.Sum()
	if oldSum, _ := before.Sum(); oldSum == sum && r.listed.reason == why && !r.listed.at.IsZero() {
		return
	}
	r.listed = refusedFile{why, now}
	_, by := r.list.Listing()
	switch {
	case why != "":
		r.logger.Error("no file of the module directory is accepted; loaded modules keep serving", "err", why)
	case there:
		r.logger.Info("using only the files that "+sums.ListFile+" lists", "sha256", hex.EncodeToString(sum[:6]), "signed", by)
	}
}

// leftOut reports whether the directory has a list that is not in the snapshot for there were too many files.
func leftOut(dir string, snapshot watch.Snapshot) bool {
	cut := slices.ContainsFunc(snapshot.Skipped, func(s watch.Skipped) bool { return s.Name == "." })
	if !cut || slices.ContainsFunc(snapshot.Files, func(f watch.File) bool { return f.Name == sums.ListFile }) {
		return false
	}
	_, err := os.Lstat(filepath.Join(dir, sums.ListFile))
	return !errors.Is(err, fs.ErrNotExist)
}

// allowed returns those packings of a module that the list lets be used; all, if it is none of them. r.mu is held.
func (r *Registry) allowed(packings []*job) []*job {
	var allowed []*job
	for _, j := range packings {
		if r.list.File(j.file) == nil {
			allowed = append(allowed, j)
		}
	}
	if len(allowed) == 0 {
		return packings
	}
	return allowed
}

// permit says why the list does not let a module be used, or not yet; nil if it does. A module and its sidecar are one: without the
// sidecar that is listed it would be held to less than was meant. r.mu is held.
func (r *Registry) permit(base string, j *job) error {
	if err := r.list.File(j.file); err != nil {
		return err
	}
	if j.beside != nil {
		if err := r.list.File(*j.beside); err != nil {
			return err
		}
	} else if j.unread == "" {
		if err := r.list.Missing(base + artifact.SidecarEnding); err != nil {
			return err
		}
	}
	if s := r.slots[base]; s != nil && s.serving != nil && s.serving.Identity() != j.identity() {
		return r.list.Whole()
	}
	return nil
}

// deny enters that a module may not be loaded. What it depends on is in the directory, so that only a change there makes it be
// looked at again. r.mu is held.
func (r *Registry) deny(base string, j *job, why error, now time.Time) {
	r.drop(base)
	s := r.slots[base]
	if s == nil {
		s = &slot{}
		r.slots[base] = s
	}
	s.present = true
	file := j.name.File
	if f := s.failure; f != nil && f.file == file && f.identity == j.identity() && f.retryAt.IsZero() && f.err.Error() == why.Error() {
		return // it is known
	}
	s.failure = &failure{file: file, digest: j.file.Sum, identity: j.identity(), err: why, at: now}
	r.metrics.reloadOK.WithLabelValues(file).Set(0)
	r.metrics.reloadFailure.WithLabelValues(file).Inc()
	if r.list.Problem() != nil {
		return // which has been logged, once for all files
	}
	r.logger.Error("module refused", "module", file, "sha256", foreign.Digest(digestOf(j.file.Sum)), "err", why, "instead", s.instead())
}

// listStatus is the entry of SHA256SUMS; without a file if there is none and none is demanded. r.mu is held.
func (r *Registry) listStatus() Status {
	sum, there := r.list.Sum()
	problem := r.list.Problem()
	if !there && problem == nil {
		return Status{}
	}
	at := r.listed.at
	st := Status{File: sums.ListFile, State: StateListing, Since: &at}
	_, st.SignedBy = r.list.Listing()
	if there {
		st.Digest = hex.EncodeToString(sum[:])
	}
	if problem != nil {
		st.State, st.LastError, st.LastErrorAt, st.Since = StateRefused, problem.Error(), &at, nil
	}
	return st
}
