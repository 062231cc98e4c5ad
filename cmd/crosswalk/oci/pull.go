package oci

import (
	"context"
	"fmt"
	"strings"
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
