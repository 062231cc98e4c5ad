package oci

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Push writes modules to a registry as one image, and returns the reference with the image's
// digest. It takes at most five minutes.
func Push(ctx context.Context, r Registry, text string, files []File) (pushed string, err error) {
	return PushAs(ctx, r, text, ArtifactType, files)
}

// PushAs is Push for other files, with an artifactType of their own.
func PushAs(ctx context.Context, r Registry, text, artifactType string, files []File) (pushed string, err error) {
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
