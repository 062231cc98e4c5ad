package oci

import (
	"context"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
)

// Watch pulls at once and then once an interval, until ctx ends, and tells report each result. An
// error does not end it: the directory keeps its content, and the next interval tries again. After
// each success it sets the time of the last successful pull in the directory, where the gateway
// finds it. A reference with a digest needs no registry once the directory has its image.
func Watch(ctx context.Context, r Registry, text, dir string, interval time.Duration, report func(Result, error)) error {
	if _, err := r.reference(text); err != nil {
		return err
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		result, err := Pull(ctx, r, text, dir)
		if ctx.Err() != nil {
			return nil
		}
		if err == nil {
			err = volume{dir}.confirm()
		}
		report(result, err)
		timer.Reset(interval)
	}
}

// Has returns the digest of the image that a directory holds; "" if it holds none.
func Has(dir string) (digest string) { return volume{dir}.digest() }

// Pinned reports whether a reference has a digest. A directory that has another image does not
// answer for it.
func Pinned(text string) bool {
	ref, err := Registry{}.reference(text)
	_, pinned := ref.(name.Digest)
	return err == nil && pinned
}
