// Package dictionary has the dictionaries of zstd files of modules in Go. Half of such a module is
// Go's library and the SDK, which are much the same in each of them: a file that refers to a
// dictionary does not contain these parts. crosswalk adopt writes such files, and gateways read
// them. Code matches only code of the same Go release, so gateways keep every released dictionary,
// by number.
package dictionary

import (
	_ "embed"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// Dictionary is the content that a frame with its ID refers to. Files outlive releases, so a
// dictionary never changes and is never removed; another release of Go gets another dictionary.
type Dictionary struct {
	ID     uint32 // in the frames; below 2^31 and above 2^15, where RFC 8878 leaves numbers to private use
	Name   string // the release of Go that its code comes from
	packed string // with zstd
}

// go126 is a module without conversions of a use, see testdata/go1.26.
//
//go:embed go1.26.zst
var go126 string

// Newest returns the dictionary for new files.
func Newest() Dictionary { return Dictionary{ID: 1_260_000, Name: "go1.26", packed: go126} }

// Find returns the dictionary with an ID.
func Find(id uint32) (d Dictionary, ok bool) {
	d = Newest()
	return d, d.ID == id
}

// Content unpacks the dictionary, 4 MB. Each call does so again: a gateway needs it only while it
// loads a module.
func (d Dictionary) Content() ([]byte, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	content, err := r.DecodeAll([]byte(d.packed), nil)
	if err != nil {
		return nil, fmt.Errorf("unpacking the dictionary %s: %w", d.Name, err)
	}
	return content, nil
}
