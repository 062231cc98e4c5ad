package fuzz

import (
	"context"
	"iter"
)

// check tests objects of one version against conversions to another. To add one, write a method of
// checker in a file of its own, and name it in checks.
type check struct {
	// stored: the objects are as an API server stores them. Others are fragments.
	stored bool
	// edits, unless it is nil, makes other objects of them, of the version to. Then run tests these,
	// against the conversions to every other version.
	edits func(ctx context.Context, from, to *version, objects []*subject) iter.Seq2[[]*subject, error]
	// run returns the symptoms of each object.
	run func(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error)
}
