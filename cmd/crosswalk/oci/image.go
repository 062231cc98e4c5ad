package oci

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/oci/ociimage"
)

// File is a file to push.
type File struct {
	Name string // in the image; without a directory
	Path string
	Size int64
}

// Files lists the files of directories, and single files, sorted by name. Of a directory it takes
// the regular files (also behind links, as in mounted volumes) whose names do not begin with a dot.
//
// # Errors
//
// A path does not exist or is neither file nor directory, two files have the same name, or there
// are more or larger files than Pull accepts.
func Files(paths ...string) (files []File, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if info.Mode().IsRegular() {
			files = append(files, File{filepath.Base(path), path, info.Size()})
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			file := filepath.Join(path, e.Name())
			if strings.HasPrefix(e.Name(), ".") {
				continue
			}
			info, err := os.Stat(file)
			if err != nil {
				return nil, err
			}
			if info.Mode().IsRegular() {
				files = append(files, File{e.Name(), file, info.Size()})
			}
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files, checkFiles(files, paths)
}

func checkFiles(files []File, paths []string) error {
	if len(files) == 0 {
		return fmt.Errorf("%s has no files", strings.Join(paths, ", "))
	}
	if len(files) > maxFiles {
		return fmt.Errorf("there are %d files; a gateway reads %d at most", len(files), maxFiles)
	}
	var total int64
	for i, f := range files {
		if i > 0 && files[i-1].Name == f.Name {
			return fmt.Errorf("%s and %s have the same name: an image holds all files in one directory", files[i-1].Path, f.Path)
		}
		total += f.Size
	}
	if total > maxTotal {
		return fmt.Errorf("the files have %d bytes together; a gateway reads %d at most", total, maxTotal)
	}
	return nil
}

// image makes the image of the files. The same files give the same digest: the layer has neither
// times nor owners.
func image(files []File, artifactType string) (v1.Image, error) {
	// A runtime needs a platform in the configuration, and uses the root manifest on any.
	img, err := ociimage.OfLayer(func() (io.ReadCloser, error) { return archive(files), nil }, "linux", "amd64", func(*v1.Config) {})
	if err != nil {
		return nil, err
	}
	return typed{img, artifactType}, nil
}

// archive streams a tar with the files at its root. An error of a file is an error of the reader.
func archive(files []File) io.ReadCloser {
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(writeArchive(w, files)) }()
	return r
}

func writeArchive(w io.Writer, files []File) error {
	t := tar.NewWriter(w)
	for _, f := range files {
		if err := writeFile(t, f); err != nil {
			return err
		}
	}
	return t.Close()
}

func writeFile(t *tar.Writer, f File) error {
	in, err := os.Open(f.Path)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	if err := t.WriteHeader(&tar.Header{Name: f.Name, Mode: 0o644, Size: f.Size, Typeflag: tar.TypeReg}); err != nil {
		return err
	}
	if _, err := io.CopyN(t, in, f.Size); err != nil {
		return fmt.Errorf("reading %s, which changed meanwhile: %w", f.Path, err)
	}
	return nil
}

// typed is an image whose manifest has an artifactType, which the library cannot set.
type typed struct {
	v1.Image
	artifactType string
}

func (i typed) Manifest() (*v1.Manifest, error) {
	m, err := i.Image.Manifest()
	if err != nil {
		return nil, err
	}
	m = m.DeepCopy()
	m.ArtifactType = i.artifactType
	return m, nil
}

func (i typed) RawManifest() ([]byte, error) {
	m, err := i.Manifest()
	if err != nil {
		return nil, err
	}
	return json.Marshal(m)
}

func (i typed) Digest() (v1.Hash, error) {
	raw, err := i.RawManifest()
	if err != nil {
		return v1.Hash{}, err
	}
	digest, _, err := v1.SHA256(bytes.NewReader(raw))
	return digest, err
}

func (i typed) Size() (int64, error) { return partial.Size(i) }

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
