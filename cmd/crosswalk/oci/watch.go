package oci

import (
	"context"
	"time"
)

// Watch pulls at once and then once an interval, until ctx ends, and tells report each result. An
// error does not end it: the directory keeps its content, and the next interval tries again. After
// each success it sets the time of the last successful pull in the directory, where the gateway
// finds it. References with digests need no registry once the directory has their images.
func Watch(ctx context.Context, r Registry, texts []string, dir string, interval time.Duration, report func(Result, error)) error {
	if _, err := r.sources(texts); err != nil {
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
		result, err := Pull(ctx, r, texts, dir)
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

// Has returns the digests of the images that a directory holds; "" if it holds none.
func Has(dir string) (digest string) { return volume{dir}.digest() }

// Pinned reports whether all references have a digest. A directory that has another image does not
// answer for them.
func Pinned(texts []string) bool {
	sources, err := Registry{}.sources(texts)
	if err != nil {
		return false
	}
	_, pinned := pinnedDigests(sources)
	return pinned
}
