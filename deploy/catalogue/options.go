package main

import "io"

// options are those of a run.
type options struct {
	program  string // crosswalk
	list     string
	out      string // a directory for projects, entries, keys and the registry's files
	pages    string // a directory for the pages
	registry string // HOST[:PORT]/PATH; "" starts a registry
	key      string // a file with a private key; "" makes a key
	objects  int    // of crosswalk fuzz
	operator string // the only one to make; "" makes all
	log      io.Writer
}
