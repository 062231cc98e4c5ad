package oci

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Content is what Push writes beside the files.
type Content struct {
	// ArtifactType marks the manifest; "" is ArtifactType.
	ArtifactType string
	// Annotations are the manifest's, such as org.opencontainers.image.source.
	Annotations map[string]string
	// Wasm makes the CNCF's Wasm artifact of one file, which must be a plain module, and not an
	// image: tools of the Wasm ecosystem read it, kubelets cannot mount it.
	Wasm bool
	// Attached are files about the image, each pushed as a referrer of it.
	Attached []Attachment
}

// Attachment is a manifest of its own that refers to the image, such as a bill of materials. Tools
// find it by the image's digest (OCI distribution specification, "Listing Referrers").
type Attachment struct {
	ArtifactType string // the media type of the files, too
	Files        []File
}

// Push writes files to a registry as one image, then its attachments, and returns the reference
// with the image's digest. The same files and content give the same digest. It takes at most five
// minutes.
//
// # Errors
//
// The registry cannot be reached or refuses, a file cannot be read, or the reference has a digest.
func Push(ctx context.Context, r Registry, text string, files []File, c Content) (pushed string, err error) {
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
	img, err := c.image(files)
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
	for _, a := range c.Attached {
		if err := a.push(ref, img, options); err != nil {
			return "", fmt.Errorf("pushing a referrer of %s: %w", ref, withRemedy(err))
		}
	}
	return ref.Context().Digest(digest.String()).String(), nil
}

func (c Content) image(files []File) (v1.Image, error) {
	if c.Wasm {
		return wasmArtifact(files, c.Annotations)
	}
	if c.ArtifactType == "" {
		c.ArtifactType = ArtifactType
	}
	return image(files, c.ArtifactType, c.Annotations)
}

func (a Attachment) push(ref name.Reference, subject v1.Image, options []remote.Option) error {
	described, err := partial.Descriptor(subject)
	if err != nil {
		return err
	}
	// A descriptor of the subject has only these members in the specification.
	described = &v1.Descriptor{MediaType: described.MediaType, Size: described.Size, Digest: described.Digest}
	img, err := referrer(a, described)
	if err != nil {
		return err
	}
	digest, err := img.Digest()
	if err != nil {
		return err
	}
	return remote.Write(ref.Context().Digest(digest.String()), img, options...)
}
