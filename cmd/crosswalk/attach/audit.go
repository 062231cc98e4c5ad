package attach

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/plural"
)

// Audit is an audit log of one API server.
type Audit struct {
	File        string
	First, Last time.Time // of all its events; zero if it has none
	Requests    int       // for the objects of the definition, at any version
	Clients     []Client  // at the version that leaves, the last one first
}

// Client is a client of an API server that sent requests at a version.
type Client struct {
	User, Agent string
	Verbs       []string
	Last        time.Time
}

// String is the client in words.
func (c Client) String() string {
	return fmt.Sprintf("%s (%s): %s, last %s", c.User, c.Agent, strings.Join(c.Verbs, ", "), c.Last.UTC().Format(time.RFC3339))
}

// evidence says which time the log covers, and which clients it has.
func (a Audit) evidence(resource, version string) (lines []string) {
	if a.First.IsZero() {
		return []string{a.File + ": no events"}
	}
	text := fmt.Sprintf("%s, %s to %s: %s for %s", a.File, a.First.UTC().Format(time.RFC3339), a.Last.UTC().Format(time.RFC3339), plural.Count(a.Requests, "request"), resource)
	switch {
	case a.Requests == 0:
		text += " at any version; check that the API server's policy records them"
	case len(a.Clients) == 0:
		text += ", none at " + version
	}
	lines = []string{text}
	for _, c := range a.Clients[:min(len(a.Clients), maxNamed)] {
		lines = append(lines, "at "+version+": "+c.String())
	}
	if more := len(a.Clients) - maxNamed; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more in the audit log", more))
	}
	return lines
}

// idle reports whether the log shows that no client has sent a request at the version for a while.
// Its end counts, not the present: an old log does not say that a client has stopped.
func (a Audit) idle(while time.Duration) bool {
	return !a.First.IsZero() && !slices.ContainsFunc(a.Clients, func(c Client) bool { return a.Last.Sub(c.Last) < while })
}
