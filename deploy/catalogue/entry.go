package main

// entry is one kind that a run makes.
type entry struct {
	Entry
	operator *operator
	kind     kind
	project  string // the directory of crosswalk adopt
	dir      string // the files of the image
	samples  []sample
}
