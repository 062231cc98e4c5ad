// Package sums says which files of a directory may be used: those that its SHA256SUMS lists with
// the digests that they have, if there is one, and if keys are given, only while that list is
// signed by one of them.
package sums

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// The files that decide which files may be used. All names can be keys of a ConfigMap.
const (
	ListFile      = "SHA256SUMS"               // as sha256sum writes it
	SignatureFile = "SHA256SUMS.sig"           // a signature of its bytes, as openssl and cosign 2 write it
	BundleFile    = "SHA256SUMS.sigstore.json" // a signature of its bytes in a bundle, as cosign 3 writes it
)

// Is reports whether a name is one of the three.
func Is(name string) bool { return name == ListFile || isSignature(name) }

func isSignature(name string) bool { return name == SignatureFile || name == BundleFile }

// maxList is the most bytes of a list: the size of a ConfigMap, or some 10,000 names.
const maxList = 1 << 20

// maxShown is how many bytes of a name a message shows.
const maxShown = 80

// list is a SHA256SUMS: digests by the names of files. It is not changed once read.
type list map[string][sha256.Size]byte

// parse reads a list in the format of sha256sum: 64 hexadecimal digits, a space, a space or an
// asterisk, a name. It skips empty lines and lines that begin with #. Names are of files beside the
// list, optionally with "./" before them.
//
// The error names the line and the remedy. One malformed line invalidates the list, because the
// digest that it should pin is unknown.
func parse(content []byte) (list, error) {
	if len(content) > maxList {
		return nil, fmt.Errorf("it has %d bytes; a list may have %d", len(content), maxList)
	}
	l := list{}
	number := 0
	for line := range strings.Lines(string(content)) {
		number++
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		name, sum, err := parseLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d %w", number, err)
		}
		if before, twice := l[name]; twice && before != sum {
			return nil, fmt.Errorf("line %d lists %s a second time, with another digest", number, foreign.Quote(name, maxShown))
		}
		l[name] = sum
	}
	return l, nil
}

// parseLine reads one line, without its end.
func parseLine(line string) (name string, sum [sha256.Size]byte, err error) {
	const digits = 2 * sha256.Size
	switch {
	case line[0] == '\\':
		return "", sum, errors.New("has an escaped name: rename the file, for no name that the gateway reads has a backslash or an end of line in it")
	case strings.HasSuffix(line, "\r"):
		return "", sum, errors.New("ends with a carriage return: write the list with sha256sum, or with the line ends of Unix")
	case strings.HasPrefix(line, "SHA256 ("):
		return "", sum, errors.New("is of the tagged kind: write the list with sha256sum without --tag")
	}
	if len(line) < digits+3 || line[digits] != ' ' || line[digits+1] != ' ' && line[digits+1] != '*' {
		return "", sum, errors.New("is not as sha256sum writes it: 64 hexadecimal digits, two spaces, the name of a file")
	}
	if _, err := hex.Decode(sum[:], []byte(line[:digits])); err != nil {
		return "", sum, errors.New("is not as sha256sum writes it: it does not begin with 64 hexadecimal digits")
	}
	name = strings.TrimPrefix(line[digits+2:], "./")
	if strings.Contains(name, "/") {
		return "", sum, fmt.Errorf("names %s, which is a path: run sha256sum in the directory of the files", foreign.Quote(name, maxShown))
	}
	if name == "" {
		return "", sum, errors.New("has no name after the digest")
	}
	return name, sum, nil
}

// short is a digest as people compare it.
func short(sum [sha256.Size]byte) string { return hex.EncodeToString(sum[:6]) }
