package runtime

import (
	"encoding/hex"
	"errors"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/watch"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// unread is a module's file that is there and could not be read: it is too large, say, or a link that leads nowhere.
type unread struct {
	name   artifact.Name
	reason string
}

// unreadOf returns the modules among what a snapshot lacks, but for those of which another packing is there. While a file is still being
// written there are none: the next snapshot, which is near, says more.
func unreadOf(snapshot watch.Snapshot, files map[string][]*job) (list []unread) {
	if snapshot.Unsettled {
		return nil
	}
	for _, s := range snapshot.Skipped {
		if name, err := artifact.ParseName(s.Name); err == nil && files[name.Base] == nil {
			list = append(list, unread{name, s.Reason})
		}
	}
	return list
}

// denyUnread has files that could not be read fail like such that do not load, so that whoever misses their conversions is told why. It
// returns their names. r.mu is held.
func (r *Registry) denyUnread(list []unread, removed map[string]bool, now time.Time) (denied []string) {
	for _, u := range list {
		if removed[u.name.Base] {
			continue
		}
		r.deny(u.name.Base, &job{name: u.name, file: watch.File{Name: u.name.File}}, errors.New("it "+u.reason), now)
		denied = append(denied, u.name.File)
	}
	return denied
}

// hasFailed reports whether it is known of a file why it does not serve. r.mu is held.
func (r *Registry) hasFailed(file string) bool {
	name, err := artifact.ParseName(file)
	if err != nil {
		return false
	}
	s := r.slots[name.Base]
	return s != nil && s.failure != nil && s.failure.file == file
}

// digestOf is a digest in hexadecimal; empty for a file that could not be read.
func digestOf(sum [32]byte) string {
	if sum == [32]byte{} {
		return ""
	}
	return hex.EncodeToString(sum[:])
}

// instead says what happens to conversions whose module was refused. r.mu is held.
func (s *slot) instead() string {
	if s.serving == nil {
		return "nothing converts these versions"
	}
	return "the previous module keeps serving (sha256 " + foreign.Digest(s.serving.Digest()) + ")"
}
