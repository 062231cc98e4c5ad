package main

import "strings"

const (
	// ArtifactType marks the manifest of an index.
	ArtifactType = "application/vnd.crosswalk.catalogue.v1"
	// Repository is the repository of the index, below the catalogue's.
	Repository = "index"
	// Tag is the tag of the newest index.
	Tag = "latest"
	// File is the index in its image.
	File = "index.json"
	// Equal is the verdict of crosswalk adopt without which no module is published.
	Equal = "equal"
)

// Index lists the kinds of a catalogue. A kind is there once, because all entries of a catalogue may
// be in one directory, where SHA256SUMS lists them by their files' names.
type Index struct {
	Entries []Entry `json:"entries"`
}

// Entry is one kind of an operator. An entry without a digest was not published, for the reasons.
type Entry struct {
	Operator   string   `json:"operator"`
	Version    string   `json:"version"` // of the operator
	Kind       string   `json:"kind"`
	Group      string   `json:"group"`
	Versions   []string `json:"versions"` // of the kind
	Module     string   `json:"module"`   // the file in the image
	Repository string   `json:"repository"`
	Digest     string   `json:"digest,omitempty"`
	Size       int64    `json:"size,omitempty"` // bytes of all files of the image
	Verdict    string   `json:"verdict"`
	Reasons    []string `json:"reasons,omitempty"`  // why the entry is not published
	Compared   int      `json:"compared"`           // objects that the module converted as the operator's code does
	Blocks     int      `json:"blocks,omitempty"`   // of the operator's conversion
	Ran        int      `json:"ran,omitempty"`      // blocks that ran in the comparison
	Accepted   []string `json:"accepted,omitempty"` // what the comparison did not show, and why the list accepts it
	Cases      int      `json:"cases"`              // golden cases from the operator's samples
	Losses     []Loss   `json:"losses,omitempty"`
	Page       string   `json:"page"` // in the image of the index
}

// Loss is a value that the operator's conversion loses or changes, which crosswalk fuzz finds.
type Loss struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Path     string `json:"path"`
	Property string `json:"property"`
	Class    string `json:"class,omitempty"` // docs/author/fuzz.md#classes
	Reason   string `json:"reason"`          // with file:line in the operator's module
}

// Name is <Kind>.<group>.
func (e Entry) Name() string { return e.Kind + "." + e.Group }

// RepositoryOf is the repository of a kind, below the catalogue's.
func RepositoryOf(kind, group string) string { return strings.ToLower(kind + "." + group) }
