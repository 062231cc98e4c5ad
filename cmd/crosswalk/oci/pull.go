package oci

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Result describes a finished Pull.
type Result struct {
	Reference string // with the digest
	Changed   bool   // the directory had other content before
	Files     int
}

// Pull writes the files of an image to a directory, in one atomic step as a kubelet writes volumes,
// and removes those of the image before. If the directory already holds the image of the reference,
// Pull changes nothing. It takes at most five minutes. On any error the directory keeps its
// content.
//
// The digests of manifest, configuration and layers are verified. One Pull at a time may work on a
// directory.
//
// # Errors
//
// The registry cannot be reached or refuses, a digest does not match, or the image is not a flat
// directory of at most 512 files with 512 MiB.
func Pull(ctx context.Context, r Registry, text, dir string) (Result, error) {
	ref, err := reference(text)
	if err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	v := volume{dir}
	if pinned, ok := ref.(name.Digest); ok && v.digest() == pinned.DigestStr() {
		return Result{Reference: ref.String()}, v.repair() // it needs no registry
	}
	options, err := r.options(ctx, ref)
	if err != nil {
		return Result{}, err
	}
	found, err := remote.Get(ref, append(options, remote.WithPlatform(v1.Platform{OS: "linux", Architecture: runtime.GOARCH}))...)
	if err != nil {
		return Result{}, fmt.Errorf("pulling %s: %w", ref, withRemedy(err))
	}
	result := Result{Reference: ref.Context().Digest(found.Digest.String()).String()}
	if v.digest() == found.Digest.String() {
		return result, v.repair()
	}
	img, err := found.Image()
	if err != nil {
		return Result{}, fmt.Errorf("pulling %s: %w", result.Reference, err)
	}
	err = v.replace(found.Digest.String(), func(into string) (err error) {
		result.Files, err = extract(img, into)
		return err
	})
	if err != nil {
		return Result{}, fmt.Errorf("pulling %s: %w", result.Reference, err)
	}
	result.Changed = true
	return result, nil
}

// extract writes the files of all layers to a directory; a later layer wins. Each layer is read to
// its end, where its digest is verified.
func extract(img v1.Image, into string) (files int, err error) {
	layers, err := img.Layers()
	if err != nil {
		return 0, err
	}
	if len(layers) > maxLayers {
		return 0, fmt.Errorf("the image has %d layers; at most %d are allowed", len(layers), maxLayers)
	}
	e := extraction{into: into, left: maxTotal, names: map[string]bool{}}
	for _, layer := range layers {
		content, err := layer.Uncompressed()
		if err != nil {
			return 0, err
		}
		if err := errors.Join(e.layer(content), content.Close()); err != nil {
			return 0, err
		}
	}
	if len(e.names) == 0 {
		return 0, errors.New("the image has no files")
	}
	return len(e.names), nil
}

// extraction writes files until its limits are reached.
type extraction struct {
	into  string
	left  int64 // bytes, of files and of everything else in the layers
	names map[string]bool
}

func (e *extraction) layer(content io.Reader) error {
	limited := &io.LimitedReader{R: content, N: e.left + 1}
	defer func() { e.left = limited.N - 1 }()
	archive := tar.NewReader(limited)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && header.Typeflag != tar.TypeDir {
			err = e.file(header, archive)
		}
		if limited.N <= 0 {
			return fmt.Errorf("the image has more than %d bytes", maxTotal)
		}
		if err != nil {
			return err
		}
	}
	// The digest covers the bytes after the archive, too.
	if _, err := io.Copy(io.Discard, limited); err != nil {
		return err
	}
	if limited.N <= 0 {
		return fmt.Errorf("the image has more than %d bytes", maxTotal)
	}
	return nil
}

func (e *extraction) file(header *tar.Header, content io.Reader) error {
	file := strings.TrimPrefix(path.Clean("/"+header.Name), "/")
	switch {
	case header.Typeflag != tar.TypeReg:
		return fmt.Errorf("%q in the image is a link or a device: an image of modules has regular files only", header.Name)
	case strings.Contains(file, "/"):
		return fmt.Errorf("%q in the image is in a directory: the modules must be at the root of the image, as crosswalk push puts them", header.Name)
	case strings.HasPrefix(file, "."):
		return fmt.Errorf("%q in the image begins with a dot: make an image of modules from scratch, as crosswalk push does", header.Name)
	}
	e.names[file] = true
	if len(e.names) > maxFiles {
		return fmt.Errorf("the image has more than %d files", maxFiles)
	}
	out, err := os.OpenFile(filepath.Join(e.into, file), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	return errors.Join(err, out.Chmod(0o644), out.Sync(), out.Close()) // the mode despite the umask
}
