package schemas

import (
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// Status is the state of one file with a CustomResourceDefinition, as /modules shows it.
type Status struct {
	File     string     `json:"file"`
	State    string     `json:"state"`              // StateChecking, or runtime's StateSuperseded or StateFailed
	Defines  string     `json:"defines,omitempty"`  // <Kind>.<group>
	Digest   string     `json:"digest,omitempty"`   // SHA-256 of the content in use
	Versions []string   `json:"versions,omitempty"` // "v1 (storage)", "v2", "v3 (not served)"
	Since    *time.Time `json:"since,omitempty"`    // since when this content is in use
	// Missing are conversions that an API server may ask for and that no module does. Unchecked are
	// versions that modules convert to and that the definition does not have. Warnings name the
	// parts of the definition that the gateway cannot check.
	Missing      []string   `json:"missing,omitempty"`
	Unchecked    []string   `json:"unchecked,omitempty"`
	Warnings     []string   `json:"warnings,omitempty"`
	LastError    string     `json:"lastError,omitempty"` // why the gateway rejected the newest content of the file
	LastErrorAt  *time.Time `json:"lastErrorAt,omitempty"`
	FailedDigest string     `json:"failedDigest,omitempty"` // SHA-256 of the rejected content
}

// Checks reports whether the gateway checks converted objects of a kind against the definition.
func (st *Status) Checks(kind, group string) bool {
	return st.State == StateChecking && st.Defines == kind+"."+group
}

// StateChecking is the state of a definition that the gateway checks converted objects against.
const StateChecking = "checking"

// Status returns the state of every file, sorted by name. Names are fit for a terminal and a page:
// characters that would change the text around them are U+FFFD.
func (s *Schemas) Status() []Status {
	if s == nil {
		return nil
	}
	routes, current := s.routes(), *s.current.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []Status{}
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		d := *s.files[name]
		st := Status{File: foreign.Printable(name, 255), State: runtime.StateFailed}
		if d.err != nil {
			st.LastError, st.LastErrorAt = d.err.Error(), &d.errAt
			if d.failed != ([32]byte{}) { // otherwise the file could not be read
				st.FailedDigest = hex.EncodeToString(d.failed[:])
			}
		}
		if d.crd != nil {
			st.State, st.Defines = StateChecking, d.crd.Kind+"."+d.crd.Group
			if current[groupKind{d.crd.Group, d.crd.Kind}] != d.crd {
				st.State = runtime.StateSuperseded
			}
			st.Digest, st.Since, st.Warnings = hex.EncodeToString(d.sum[:]), &d.since, slices.Concat(d.crd.Warnings, d.crd.Skipped)
			known := map[string]bool{}
			for _, v := range d.crd.Versions {
				known[v.Name] = true
				switch {
				case v.Storage:
					st.Versions = append(st.Versions, v.Name+" (storage)")
				case !v.Served:
					st.Versions = append(st.Versions, v.Name+" (not served)")
				default:
					st.Versions = append(st.Versions, v.Name)
				}
			}
			if why := s.owners.foreign(name, d.crd); why != "" {
				st.LastError = why
				list = append(list, st)
				continue
			}
			st.Missing = missingFrom(d.crd, routes)
			for _, v := range routes.Versions(d.crd.Group, d.crd.Kind) {
				if !known[v] {
					st.Unchecked = append(st.Unchecked, v)
				}
			}
		}
		list = append(list, st)
	}
	return list
}
