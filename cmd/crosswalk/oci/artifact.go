package oci

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// The media types of the CNCF's Wasm artifact
// (https://tag-runtime.cncf.io/wgs/wasm/deliverables/wasm-oci-artifact), and the configuration of an
// artifact that has none (OCI image specification, manifest.md).
const (
	wasmLayer   types.MediaType = "application/wasm"
	wasmConfig  types.MediaType = "application/vnd.wasm.config.v0+json"
	emptyConfig types.MediaType = "application/vnd.oci.empty.v1+json"
)

// wasmArtifact makes the Wasm artifact of one module. Its time of creation is the epoch, so that the
// same file gives the same digest.
func wasmArtifact(files []File, annotations map[string]string) (v1.Image, error) {
	if len(files) != 1 || !strings.HasSuffix(files[0].Name, ".wasm") {
		return nil, errors.New("a Wasm artifact is one file NAME.wasm; push modules with sidecars, several modules or packed ones as an image")
	}
	a := artifact{layerType: wasmLayer, configType: wasmConfig, annotations: annotations}
	return a.image(files, func(digests []v1.Hash) any {
		return struct {
			Created      string    `json:"created"`
			Architecture string    `json:"architecture"`
			OS           string    `json:"os"`
			LayerDigests []v1.Hash `json:"layerDigests"`
		}{"1970-01-01T00:00:00Z", "wasm", "wasip1", digests}
	})
}

// referrer makes the manifest of an attachment.
func referrer(a Attachment, subject *v1.Descriptor) (v1.Image, error) {
	return artifact{layerType: types.MediaType(a.ArtifactType), configType: emptyConfig, artifactType: a.ArtifactType, subject: subject}.
		image(a.Files, func([]v1.Hash) any { return struct{}{} })
}

// artifact is a manifest whose layers are files, and not archives. It keeps the files in memory.
type artifact struct {
	layerType, configType types.MediaType
	artifactType          string
	annotations           map[string]string
	subject               *v1.Descriptor
}

func (a artifact) image(files []File, configure func(digests []v1.Hash) any) (v1.Image, error) {
	m := v1.Manifest{SchemaVersion: 2, MediaType: types.OCIManifestSchema1, ArtifactType: a.artifactType, Annotations: a.annotations, Subject: a.subject}
	core := artifactCore{layers: map[v1.Hash]v1.Layer{}}
	var digests []v1.Hash
	for _, f := range files {
		content, err := os.ReadFile(f.Path)
		if err != nil {
			return nil, err
		}
		layer := static.NewLayer(content, a.layerType)
		digest, err := layer.Digest()
		if err != nil {
			return nil, err
		}
		core.layers[digest], digests = layer, append(digests, digest)
		m.Layers = append(m.Layers, v1.Descriptor{MediaType: a.layerType, Size: int64(len(content)), Digest: digest, Annotations: map[string]string{titleAnnotation: f.Name}})
	}
	var err error
	if core.config, err = json.Marshal(configure(digests)); err != nil {
		return nil, err
	}
	config := static.NewLayer(core.config, a.configType)
	digest, err := config.Digest()
	if err != nil {
		return nil, err
	}
	m.Config = v1.Descriptor{MediaType: a.configType, Size: int64(len(core.config)), Digest: digest}
	if core.manifest, err = json.Marshal(m); err != nil {
		return nil, err
	}
	return partial.CompressedToImage(core)
}

// artifactCore is the part of v1.Image from which the library makes the rest.
type artifactCore struct {
	manifest, config []byte
	layers           map[v1.Hash]v1.Layer
}

func (c artifactCore) RawManifest() ([]byte, error)        { return c.manifest, nil }
func (c artifactCore) RawConfigFile() ([]byte, error)      { return c.config, nil }
func (c artifactCore) MediaType() (types.MediaType, error) { return types.OCIManifestSchema1, nil }
func (c artifactCore) LayerByDigest(h v1.Hash) (partial.CompressedLayer, error) {
	if layer, ok := c.layers[h]; ok {
		return layer, nil
	}
	return nil, fmt.Errorf("there is no layer %s", h)
}
