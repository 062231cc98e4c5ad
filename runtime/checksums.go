package runtime

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/sums"
	"github.com/crosswalk-gateway/crosswalk/internal/watch"
)

// recordChecksums records the verdict of SHA256SUMS, and logs it if it is new. r.mu is held.
func (r *Registry) recordChecksums(list *sums.Check, now time.Time) {
	before := r.list
	r.list = list
	if list.Waits() {
		return
	}
	why := ""
	if problem := list.Problem(); problem != nil {
		why = problem.Error()
	}
	sum, there := list.Sum()
	if oldSum, _ := before.Sum(); oldSum == sum && r.listed.reason == why && !r.listed.at.IsZero() {
		return
	}
	r.listed = rejectedFile{why, now}
	_, by := list.Listing()
	switch {
	case why != "":
		r.logger.Error("no file of the module directory is accepted; loaded modules keep serving", "err", why)
	case there:
		r.logger.Info("using only the files that "+sums.ListFile+" lists", "sha256", hex.EncodeToString(sum[:6]), "signed", by)
	}
}

// leftOut reports whether the directory has a list that the snapshot omits because there are too
// many files.
func leftOut(dir string, snapshot watch.Snapshot) bool {
	cut := slices.ContainsFunc(snapshot.Skipped, func(s watch.Skipped) bool { return s.Name == "." })
	if !cut || slices.ContainsFunc(snapshot.Files, func(f watch.File) bool { return f.Name == sums.ListFile }) {
		return false
	}
	_, err := os.Lstat(filepath.Join(dir, sums.ListFile))
	return !errors.Is(err, fs.ErrNotExist)
}

// listStatus is the status of SHA256SUMS; without a file name if there is no list and none is
// required. r.mu is held.
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
