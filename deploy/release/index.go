package main

import (
	"encoding/json"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
)

// plainIndex is an index without the field artifactType, which go-containerregistry gives to images,
// too. skopeo 1.9, of Debian 12, drops the field, and the copy would have another digest than the release's
// guide says.
type plainIndex struct{ images }

// images lets plainIndex embed an index, which has a method of the name ImageIndex.
type images = v1.ImageIndex

func (i plainIndex) IndexManifest() (*v1.IndexManifest, error) {
	manifest, err := i.images.IndexManifest()
	if err != nil {
		return nil, err
	}
	manifest = manifest.DeepCopy()
	for n := range manifest.Manifests {
		manifest.Manifests[n].ArtifactType = ""
	}
	return manifest, nil
}

func (i plainIndex) RawManifest() ([]byte, error) {
	manifest, err := i.IndexManifest()
	if err != nil {
		return nil, err
	}
	return json.Marshal(manifest)
}

func (i plainIndex) Digest() (v1.Hash, error) { return partial.Digest(i) }

func (i plainIndex) Size() (int64, error) { return partial.Size(i) }
