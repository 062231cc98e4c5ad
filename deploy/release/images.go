package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/oci/ociimage"
)

// imaged returns the programs that have an image.
func imaged() []string { return []string{"gateway", "controller", "crosswalk"} }

// images writes an OCI image layout for each program that runs in clusters, with an image for each
// architecture, as one .tar: skopeo, podman, ctr and docker load read such files.
func (r release) images(context.Context) error {
	for _, program := range imaged() {
		if err := r.image(program); err != nil {
			return err
		}
	}
	return nil
}

// index has the images of a program for all architectures.
func (r release) index(program string) (v1.ImageIndex, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, t := range targets() {
		if t.program != program || t.os != "linux" {
			continue
		}
		binary, err := os.ReadFile(r.path(t.file(r.version)))
		if err != nil {
			return nil, err
		}
		licenses, err := os.ReadFile(r.path(licensesFile))
		if err != nil {
			return nil, err
		}
		img, err := scratch(t, []entry{{t.program, 0o755, binary}, {licensesFile, 0o644, licenses}}, r.version, r.revision)
		if err != nil {
			return nil, err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        img,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: t.os, Architecture: t.arch}},
		})
	}
	return plainIndex{index}, nil
}

func (r release) image(program string) error {
	index, err := r.index(program)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(r.out, "layout")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // of no use after a failure, either
	name := "crosswalk/" + program + ":" + r.version
	if err := writeLayout(dir, index, r.version, name); err != nil {
		return err
	}
	list, err := dockerManifest(index, name)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), list, 0o644); err != nil {
		return err
	}
	entries, err := tree(os.DirFS(dir), "")
	if err != nil {
		return err
	}
	out, err := os.Create(r.path(program + "-" + r.version + "-image.tar"))
	if err != nil {
		return err
	}
	if err := writeTar(out, entries); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}

// writeLayout writes an index with the version as its name, as skopeo and crane read it, and with
// the full name, as containerd and Docker's containerd image store read it.
func writeLayout(dir string, index v1.ImageIndex, version, name string) error {
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	return path.AppendIndex(index, layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": version,
		"io.containerd.image.name":          "docker.io/" + name,
	}))
}

// dockerManifest is the manifest.json of the layout, without which docker load fails in Docker's
// own image store ("blobs/json: no such file"). That store has no images for several architectures,
// so each has a tag of its own.
func dockerManifest(index v1.ImageIndex, name string) ([]byte, error) {
	type image struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	blob := func(digest v1.Hash) string { return "blobs/" + digest.Algorithm + "/" + digest.Hex }
	images, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	var list []image
	for _, m := range images.Manifests {
		img, err := index.Image(m.Digest)
		if err != nil {
			return nil, err
		}
		manifest, err := img.Manifest()
		if err != nil {
			return nil, err
		}
		one := image{Config: blob(manifest.Config.Digest), RepoTags: []string{name + "-" + m.Platform.Architecture}}
		for _, layer := range manifest.Layers {
			one.Layers = append(one.Layers, blob(layer.Digest))
		}
		list = append(list, one)
	}
	return json.Marshal(list)
}

// scratch is the image of deploy/Dockerfile, made without a container runtime: one static binary,
// the licences, and a user without rights.
func scratch(t target, files []entry, version, revision string) (v1.Image, error) {
	var archive bytes.Buffer
	if err := writeTar(&archive, files); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil }
	return ociimage.OfLayer(open, t.os, t.arch, func(c *v1.Config) {
		*c = v1.Config{
			User:       "65532:65532",
			Entrypoint: []string{"/" + t.program},
			Labels: map[string]string{
				"org.opencontainers.image.title":    t.program,
				"org.opencontainers.image.version":  strings.TrimPrefix(version, "v"),
				"org.opencontainers.image.revision": revision,
				"org.opencontainers.image.licenses": "Apache-2.0",
			},
		}
		switch t.program {
		case "gateway":
			c.ExposedPorts = map[string]struct{}{"8080/tcp": {}, "9443/tcp": {}}
		case "controller":
			c.ExposedPorts = map[string]struct{}{"8080/tcp": {}, "8081/tcp": {}}
		}
	})
}
