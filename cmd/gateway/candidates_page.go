package main

import (
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/shadow"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/statuspage"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// What the status page shows of candidates.

// trials are what is known of the candidates; nothing without --shadow-modules.
func (c *candidates) trials() []shadow.Status {
	if c == nil {
		return nil
	}
	return c.shadow.Status()
}

// trialOf returns what is known of the candidate for a step, or nil.
func trialOf(trials []shadow.Status, kind, from, to string) *shadow.Status {
	for i, t := range trials {
		if t.Kind == kind && t.From == from && t.To == to {
			return &trials[i]
		}
	}
	return nil
}

// score is how a candidate did, in words.
func score(t shadow.Status) string {
	return fmt.Sprintf("%d same, %d different, %d failed", t.Same, t.Different, t.Failed)
}

// views shows the candidates among the modules.
func (c *candidates) views(trials []shadow.Status) (views []statuspage.Module) {
	if c == nil {
		return nil
	}
	for _, st := range c.modules.Status() {
		if st.State == runtime.StateListing {
			continue
		}
		v := statuspage.Module{File: st.File, Status: "candidate", State: statuspage.Note, Digest: foreign.Digest(st.Digest), Trouble: st.LastError}
		if st.LastError != "" {
			v.State = statuspage.Bad
			if st.State != runtime.StateServing { // nothing of it is tried
				v.Status = "candidate, " + st.State
			}
		}
		for _, t := range trials {
			if t.Module != st.File {
				continue
			}
			v.Facts = append(v.Facts, statuspage.Fact{Name: t.From + "→" + t.To, Value: score(t)})
			if t.Different+t.Failed > 0 && v.State == statuspage.Note {
				v.State = statuspage.Warn
			}
			if fields := fields(t.Paths); fields != "" {
				v.Facts = append(v.Facts, statuspage.Fact{Name: t.From + "→" + t.To + " differs in", Value: fields})
			}
			if t.LastFailure != "" {
				v.Facts = append(v.Facts, statuspage.Fact{Name: t.From + "→" + t.To + " last failure", Value: t.LastFailure})
			}
		}
		views = append(views, v)
	}
	return views
}

// fields names the fields in which answers differ most often.
func fields(paths []shadow.PathCount) string {
	const most = 5
	var names []string
	for i, p := range paths {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(paths)-most))
			break
		}
		names = append(names, p.Path)
	}
	return strings.Join(names, ", ")
}
