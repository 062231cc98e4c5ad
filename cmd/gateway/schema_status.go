package main

import (
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// schemaStatus is what is known of one file with a CustomResourceDefinition, in the form that /modules shows.
type schemaStatus struct {
	File     string     `json:"file"`
	State    string     `json:"state"`              // stateChecking, or runtime's StateSuperseded or StateFailed
	Defines  string     `json:"defines,omitempty"`  // <Kind>.<group>
	Digest   string     `json:"digest,omitempty"`   // SHA-256 of what is used
	Versions []string   `json:"versions,omitempty"` // "v1 (storage)", "v2", "v3 (not served)"
	Since    *time.Time `json:"since,omitempty"`    // when it began to be used
	// Missing are conversions that an API server may ask for and that no modules do; Unchecked are versions that modules convert to
	// and the definition does not have; Warnings are what the definition has in it that cannot be checked.
	Missing      []string   `json:"missing,omitempty"`
	Unchecked    []string   `json:"unchecked,omitempty"`
	Warnings     []string   `json:"warnings,omitempty"`
	LastError    string     `json:"lastError,omitempty"` // why the newest content of the file is not used
	LastErrorAt  *time.Time `json:"lastErrorAt,omitempty"`
	FailedDigest string     `json:"failedDigest,omitempty"` // its SHA-256
}

// defines says whether converted objects of a kind are held against the definition.
func (st *schemaStatus) defines(kind, group string) bool {
	return st.State == stateChecking && st.Defines == kind+"."+group
}

// stateChecking is the state of a definition that converted objects are held against.
const stateChecking = "checking"

// status returns what is known of every file, sorted by name.
func (s *schemas) status() []schemaStatus {
	routes, current := s.routes(), *s.current.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []schemaStatus{}
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		d := *s.files[name]
		st := schemaStatus{File: name, State: runtime.StateFailed}
		if d.err != nil {
			st.LastError, st.LastErrorAt = d.err.Error(), &d.errAt
			if d.failed != ([32]byte{}) { // else it could not be read
				st.FailedDigest = hex.EncodeToString(d.failed[:])
			}
		}
		if d.crd != nil {
			st.State, st.Defines = stateChecking, d.crd.Kind+"."+d.crd.Group
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

// directoryStatus is what /modules shows: an entry for each file of the module directory, sorted by name. schemas is nil with
// --schema-check=off.
func directoryStatus(modules *runtime.Registry, schemas *schemas) any {
	type entry struct {
		file   string
		status any
	}
	var all []entry
	for _, st := range modules.Status() {
		all = append(all, entry{st.File, st})
	}
	if schemas != nil {
		for _, st := range schemas.status() {
			all = append(all, entry{st.File, st})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return strings.Compare(a.file, b.file) })
	list := make([]any, len(all))
	for i, e := range all {
		list[i] = e.status
	}
	return list
}
