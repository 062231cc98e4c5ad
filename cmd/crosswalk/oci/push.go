package oci

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Push writes files to a registry as one image of an artifactType, and returns the reference with the
// image's digest. The same files give the same digest. It takes at most five minutes.
//
// # Errors
//
// The registry cannot be reached or refuses, a file cannot be read, or the reference has a digest.
func Push(ctx context.Context, r Registry, text string, files []File, artifactType string) (pushed string, err error) {
	ref, err := r.reference(text)
	if err != nil {
		return "", err
	}
	if _, pinned := ref.(name.Digest); pinned {
		return "", errors.New("a digest cannot be chosen: push to a tag; the digest follows from the files")
	}
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	options, err := r.options(ctx, ref)
	if err != nil {
		return "", err
	}
	img, err := image(files, artifactType)
	if err != nil {
		return "", err
	}
	digest, err := img.Digest()
	if err != nil {
		return "", err
	}
	if err := remote.Write(ref, img, options...); err != nil {
		return "", fmt.Errorf("pushing %s: %w", ref, withRemedy(err))
	}
	return ref.Context().Digest(digest.String()).String(), nil
}
