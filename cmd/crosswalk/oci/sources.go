package oci

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// source is one image of a Pull.
type source struct {
	ref    name.Reference
	as     string // the name for its only file; "" keeps the names of the image
	puller *remote.Puller
	found  *remote.Descriptor
}

// identity is a source's entry in a volume's list of digests: a new name makes other files.
func (s *source) identity(digest string) string {
	if s.as == "" {
		return digest
	}
	return digest + "=" + s.as
}

// sources parses references, at least one. A reference has no "=", so that REF=FILE is unambiguous.
func (r Registry) sources(texts []string) (list []*source, err error) {
	if len(texts) == 0 {
		return nil, errors.New("there is no reference of an image")
	}
	for _, text := range texts {
		text, as, named := strings.Cut(text, "=")
		ref, err := r.reference(text)
		if err != nil {
			return nil, err
		}
		if named && (as == "" || strings.HasPrefix(as, ".") || strings.ContainsAny(as, "/\\") || strings.ContainsFunc(as, unicode.IsSpace) || len(as) > maxName) {
			return nil, fmt.Errorf("%q is not a file name: write %s=FILE, with the name that the file gets in the directory", as, text)
		}
		list = append(list, &source{ref: ref, as: as})
	}
	return list, nil
}

// open prepares requests to the registry of the source.
func (s *source) open(ctx context.Context, r Registry) error {
	options, err := r.options(ctx, s.ref)
	if err != nil {
		return err
	}
	s.puller, err = remote.NewPuller(append(options, remote.WithPlatform(v1.Platform{OS: "linux", Architecture: runtime.GOARCH}))...)
	return err
}

// pinnedDigests returns the digests of references that all have one, as a volume has them.
func pinnedDigests(sources []*source) (digests string, pinned bool) {
	list := make([]string, len(sources))
	for i, s := range sources {
		ref, ok := s.ref.(name.Digest)
		if !ok {
			return "", false
		}
		list[i] = s.identity(ref.DigestStr())
	}
	return strings.Join(list, " "), true
}

// references returns the references with digests, as a volume has them.
func references(sources []*source, digests string) string {
	list := strings.Fields(digests)
	for i, s := range sources {
		digest, _, _ := strings.Cut(list[i], "=")
		list[i] = s.ref.Context().Digest(digest).String()
	}
	return strings.Join(list, " ")
}

// heads asks for the digests of all sources with HEAD requests; "" if one has no answer.
func heads(ctx context.Context, sources []*source) (digests string) {
	list := make([]string, len(sources))
	for i, s := range sources {
		found, err := s.puller.Head(ctx, s.ref)
		if err != nil {
			return ""
		}
		list[i] = s.identity(found.Digest.String())
	}
	return strings.Join(list, " ")
}

// extractAll writes the files of all images to a directory. A name that two images have must have
// the same content in both, as the signed list of a catalogue's entries does.
func extractAll(sources []*source, into string) (files int, err error) {
	e := extraction{left: maxTotal, room: maxTotal}
	from := map[string]*source{}
	for i, s := range sources {
		img, err := s.found.Image()
		if err != nil {
			return 0, withRemedy(err)
		}
		dir := into
		if i > 0 {
			if dir, err = os.MkdirTemp(into, "..image"); err != nil {
				return 0, err
			}
		}
		e.others, e.as = len(from), s.as
		if err := e.extract(img, dir); err != nil {
			if len(sources) > 1 {
				err = fmt.Errorf("%s: %w", s.ref, err)
			}
			return 0, err
		}
		for file := range e.names {
			if from[file] == nil {
				from[file] = s
			}
			if i > 0 {
				if err := merge(into, dir, file); err != nil {
					return 0, fmt.Errorf("%s and %s: %w", from[file].ref, s.ref, err)
				}
			}
		}
		if i > 0 {
			if err := os.RemoveAll(dir); err != nil {
				return 0, err
			}
		}
	}
	return len(from), nil
}

// merge moves a file to a directory, which may have it already.
func merge(into, dir, file string) error {
	old, err := sum(filepath.Join(into, file))
	if errors.Is(err, fs.ErrNotExist) {
		return os.Rename(filepath.Join(dir, file), filepath.Join(into, file))
	}
	if err != nil {
		return err
	}
	added, err := sum(filepath.Join(dir, file))
	if err != nil {
		return err
	}
	if old != added {
		return fmt.Errorf("both have a file %s, with different contents: name images of one release, or write a directory of your own and sign that", file)
	}
	return nil
}

func sum(file string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(file)
	if err != nil {
		return sum, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}
