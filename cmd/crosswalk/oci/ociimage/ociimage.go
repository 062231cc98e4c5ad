// Package ociimage makes OCI images of one layer.
package ociimage

import (
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// OfLayer returns the image with one layer, the tar archive that open returns each time it is
// called, and a configuration for a platform that configure completes. Equal archives and
// configurations give equal digests.
//
// # Errors
//
// The archive cannot be read.
func OfLayer(open func() (io.ReadCloser, error), os, arch string, configure func(*v1.Config)) (v1.Image, error) {
	layer, err := tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err := mutate.AppendLayers(base, layer)
	if err != nil {
		return nil, err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = os, arch
	configure(&config.Config)
	return mutate.ConfigFile(img, config)
}
