package oci

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Result describes a finished Pull.
type Result struct {
	Reference string // with the digest
	Changed   bool   // the directory had other content before
	Files     int
}

// Pull writes the files of images to a directory, in one atomic step as a kubelet writes volumes,
// and removes those of the images before. If the directory already holds the images of the
// references, Pull changes nothing. It takes at most five minutes, and memory for a manifest of 256
// KiB and a window of 8 MiB. On any error the directory keeps its content.
//
// The digests of manifest, configuration and layers are verified. Of two Pulls that work on a
// directory at the same time, one fails.
//
// # Errors
//
// A registry cannot be reached or refuses, a digest does not match, the images are not flat
// directories of at most 512 files with 512 MiB together, or two of them have different files of one
// name.
func Pull(ctx context.Context, r Registry, texts []string, dir string) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	sources, err := r.sources(texts)
	if err != nil {
		return Result{}, err
	}
	v := volume{dir}
	if has := v.digest(); has != "" {
		if digests, pinned := pinnedDigests(sources); pinned && has == digests { // it needs no registry
			return Result{Reference: references(sources, digests)}, v.repair()
		}
	}
	for _, s := range sources {
		if err := s.open(ctx, r); err != nil {
			return Result{}, err
		}
	}
	if has := v.digest(); has != "" {
		// Registries that count downloads, such as Docker Hub, do not count HEAD requests. Not
		// all registries answer it with a digest.
		if heads(ctx, sources) == has {
			return Result{Reference: references(sources, has)}, v.repair()
		}
	}
	digests := make([]string, len(sources))
	for i, s := range sources {
		if s.found, err = s.puller.Get(ctx, s.ref); err != nil {
			return Result{}, fmt.Errorf("pulling %s: %w", s.ref, withRemedy(err))
		}
		digests[i] = s.identity(s.found.Digest.String())
	}
	all := strings.Join(digests, " ")
	result := Result{Reference: references(sources, all)}
	if v.digest() == all {
		return result, v.repair()
	}
	err = v.replace(all, func(into string) (err error) {
		result.Files, err = extractAll(sources, into)
		return err
	})
	if err != nil {
		return Result{}, fmt.Errorf("pulling %s: %w", result.Reference, err)
	}
	result.Changed = true
	return result, nil
}

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
