package oci

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/klauspost/compress/zstd"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// extract writes the files of all layers to a directory; a later layer wins. Each layer is read to
// its end, where its digest is verified.
func (e *extraction) extract(img v1.Image, into string) error {
	layers, err := img.Layers()
	if err != nil {
		return err
	}
	if len(layers) > maxLayers {
		return fmt.Errorf("the image has %d layers; at most %d are allowed", len(layers), maxLayers)
	}
	root, err := os.OpenRoot(into)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // its files are closed
	e.into, e.names = root, map[string]bool{}
	names, err := titles(img)
	if err != nil {
		return err
	}
	for i, layer := range layers {
		content, err := layer.Compressed()
		if err != nil {
			return err
		}
		if names[i] == "" {
			err = e.packed(content)
		} else {
			err = e.single(names[i], content)
		}
		if err := errors.Join(err, content.Close()); err != nil {
			return err
		}
	}
	if len(e.names) == 0 {
		return errors.New("the image has no files")
	}
	return e.rename()
}

// extraction writes files until its limits are reached.
type extraction struct {
	into  *os.Root        // no name leads out of it, with the separators and devices of any system
	left  int64           // bytes, of files and of everything else in the layers
	room  int64           // bytes of files: a sparse file has more of them than the layer
	names map[string]bool // of the image that is read
	// others counts the files of the images before.
	others int
	as     string // the name for the only file of the image; "" keeps the names
}

// packed is layer for the bytes that the registry sends: an archive, or one that gzip or zstd
// packed.
func (e *extraction) packed(content io.Reader) error {
	buffered := bufio.NewReader(content)
	begin, _ := buffered.Peek(4) // an error is that of the next reading
	switch {
	case bytes.HasPrefix(begin, []byte{0x1f, 0x8b}):
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return err
		}
		return e.layer(unpacked)
	case bytes.Equal(begin, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		unpacked, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return err
		}
		defer unpacked.Close()
		if err = e.layer(unpacked); errors.Is(err, zstd.ErrWindowSizeExceeded) {
			return fmt.Errorf("a layer needs a window of more than %d bytes: pack it with zstd -19 and no more", maxWindow)
		}
		return err
	}
	return e.layer(buffered)
}

func (e *extraction) layer(content io.Reader) error {
	limited := &io.LimitedReader{R: content, N: e.left + 1}
	defer func() { e.left = limited.N - 1 }()
	archive := tar.NewReader(limited)
	lower := maps.Clone(e.names) // the files of layers before, which alone this one can delete
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && header.Typeflag != tar.TypeDir {
			err = e.entry(header, archive, lower)
		}
		if limited.N <= 0 {
			return tooLarge()
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
		return tooLarge()
	}
	return nil
}

func tooLarge() error { return fmt.Errorf("the image has more than %d bytes", maxTotal) }

// entry writes a file, or deletes what a layer before has. Names that begin with a dot are no
// modules to a gateway, and push leaves them out: such files are skipped.
func (e *extraction) entry(header *tar.Header, content io.Reader, lower map[string]bool) error {
	file := strings.TrimPrefix(path.Clean("/"+header.Name), "/")
	shown := foreign.Quote(header.Name, maxShown)
	deleted, deletes := strings.CutPrefix(file, ".wh.")
	switch {
	case strings.ContainsAny(file, `/\`):
		return fmt.Errorf("%s in the image is in a directory: the modules must be at the root of the image, as crosswalk push puts them", shown)
	case file == ".wh..wh..opq":
		return e.delete(lower, slices.Collect(maps.Keys(lower))...)
	case deletes:
		return e.delete(lower, deleted)
	case strings.HasPrefix(file, "."):
		return nil
	case header.Typeflag != tar.TypeReg:
		return fmt.Errorf("%s in the image is a link or a device: an image of modules has regular files only", shown)
	case len(file) > maxName:
		return fmt.Errorf("%s in the image has a name of %d bytes; at most %d are allowed", shown, len(file), maxName)
	case header.Size > e.room:
		return tooLarge()
	}
	e.room -= header.Size
	delete(lower, file)
	return e.file(file, content)
}

// delete removes files of layers before, if they are still there.
func (e *extraction) delete(lower map[string]bool, names ...string) error {
	for _, name := range names {
		if !lower[name] {
			continue
		}
		if err := e.into.Remove(name); err != nil {
			return err
		}
		delete(lower, name)
		delete(e.names, name)
	}
	return nil
}

func (e *extraction) file(file string, content io.Reader) error {
	e.names[file] = true
	if len(e.names)+e.others > maxFiles {
		return fmt.Errorf("the image has more than %d files", maxFiles)
	}
	out, err := e.into.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	return errors.Join(err, out.Chmod(0o644), out.Sync(), out.Close()) // the mode despite the umask
}
