package main

import "path/filepath"

// release is one run.
type release struct {
	version  string // v1.2.3
	revision string // of the repository
	out      string // the directory for the files
}

// path names a file of the release.
func (r release) path(name string) string { return filepath.Join(r.out, name) }
