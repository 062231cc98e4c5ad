package oci

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"regexp"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// titleAnnotation is the annotation with the name of a layer's file: OCI image specification,
// annotations.md. oras writes it for each file.
const titleAnnotation = "org.opencontainers.image.title"

// untitled stands for the name of a file until rename gives it one. A Wasm artifact has no place for
// a file's name: wash writes a layer without a title.
const untitled = "untitled"

// titles returns, for each layer that is one file and not an archive, the name of that file, and ""
// for archives.
func titles(img v1.Image) ([]string, error) {
	manifest, err := img.Manifest()
	if err != nil {
		return nil, err
	}
	names := make([]string, len(manifest.Layers))
	for i, layer := range manifest.Layers {
		if layer.MediaType.IsLayer() && (manifest.Config.MediaType.IsConfig() || !isFile(layer)) {
			continue
		}
		if names[i] = layer.Annotations[titleAnnotation]; names[i] == "" {
			names[i] = untitled
		}
		if names[i] == untitled && len(names) > 1 {
			return nil, fmt.Errorf("layer %d (%s) is a file without a name: push it with the annotation %s, as oras does", i+1, foreign.Quote(string(layer.MediaType), maxShown), titleAnnotation)
		}
	}
	return names, nil
}

// unpackAnnotation is what oras writes for a directory, which it packs as an archive.
const unpackAnnotation = "io.deis.oras.content.unpack"

// isArchive tells the files that are archives by their names.
var isArchive = regexp.MustCompile(`\.(tar(\.[a-z0-9]+)?|tgz)$`)

// isFile reports whether a layer of an artifact is one file although its media type is that of an
// archive: oras push FILE writes this type for a file of which nobody gave the type.
func isFile(layer v1.Descriptor) bool {
	title := layer.Annotations[titleAnnotation]
	return title != "" && layer.Annotations[unpackAnnotation] != "true" && !isArchive.MatchString(title)
}

// single writes a layer that is one file.
func (e *extraction) single(name string, content io.Reader) error {
	limited := &io.LimitedReader{R: content, N: e.left + 1}
	defer func() { e.left = limited.N - 1 }()
	err := e.entry(&tar.Header{Name: name, Typeflag: tar.TypeReg}, limited, map[string]bool{})
	if limited.N <= 0 {
		return tooLarge()
	}
	return err
}

// rename gives the only file of the image the name that the reference asks for.
func (e *extraction) rename() error {
	if e.as == "" {
		if e.names[untitled] {
			return errors.New("the image is one file without a name: write REF=FILE, such as registry.example.com/converter:v1=CronTab.stable.example.com_v1_v2.wasm")
		}
		return nil
	}
	if len(e.names) != 1 {
		return fmt.Errorf("the reference names one file, %s, but the image has %d files: leave out =%s", e.as, len(e.names), e.as)
	}
	for name := range e.names {
		if err := e.into.Rename(name, e.as); err != nil {
			return err
		}
	}
	e.names = map[string]bool{e.as: true}
	return nil
}
