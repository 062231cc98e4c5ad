package artifact

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/crosswalk-gateway/crosswalk/internal/dictionary"
)

// The packings of a module's file.
const (
	packedNot  = ""
	packedGzip = "gzip"
	packedZstd = "zstd"
)

// leastWindow is the window that every zstd decoder should support (RFC 8878, 3.1.1.1.2), in bytes.
// zstd -19 uses it if the length of its input is unknown.
const leastWindow = 8 << 20

// Inflate unpacks a module's file to at most limit bytes. It allocates at most three times limit,
// or 8 MiB, independently of the sizes that the file declares, and 5 MB for a dictionary.
//
// Several members or frames in a row are one module, as for gunzip and unzstd; anything else after
// the first is an error. A zstd file may need a dictionary that the gateway has, in its first frame
// or in all frames.
func Inflate(packing string, content []byte, limit int) ([]byte, error) {
	var packed io.Reader
	switch packing {
	case packedNot:
		if len(content) > limit {
			return nil, fmt.Errorf("the module has %d bytes; %d are allowed (--max-module-bytes)", len(content), limit)
		}
		return content, nil
	case packedGzip:
		r, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			return nil, fmt.Errorf("file has the extension .gz but is not gzip: %w", err)
		}
		packed = r
	case packedZstd:
		if len(content) == 0 { // zstd accepts this as zero frames
			return nil, errors.New("file has the extension .zst but is empty")
		}
		options := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(uint64(max(limit, leastWindow)))}
		if id := dictionaryOf(content); id != 0 {
			d, ok := dictionary.Find(id)
			if !ok {
				return nil, fmt.Errorf("the zstd file needs the dictionary %d, and this release has only %d (%s): use the .gz file of the module, or a later release", id, dictionary.Newest().ID, dictionary.Newest().Name)
			}
			common, err := d.Content()
			if err != nil {
				return nil, err
			}
			options = append(options, zstd.WithDecoderDictRaw(id, common))
		}
		r, err := zstd.NewReader(bytes.NewReader(content), options...)
		if err != nil {
			return nil, fmt.Errorf("file has the extension .zst but is not zstd: %w", err)
		}
		defer r.Close()
		packed = r
	}
	wasm, err := io.ReadAll(io.LimitReader(packed, int64(limit)+1))
	switch {
	case len(wasm) > limit:
		return nil, fmt.Errorf("the module inflates to more than %d bytes (--max-module-bytes)", limit)
	case err == nil:
		return wasm, nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("the %s file is truncated: copy it again", packing)
	case errors.Is(err, zstd.ErrMagicMismatch) && len(wasm) == 0:
		return nil, errors.New("file has the extension .zst but is not zstd")
	case errors.Is(err, zstd.ErrMagicMismatch), errors.Is(err, gzip.ErrHeader):
		return nil, fmt.Errorf("the %s file has trailing data: pack the module again", packing)
	case errors.Is(err, zstd.ErrUnknownDictionary):
		return nil, errors.New("a later frame of the zstd file needs another dictionary than the first: pack the module again")
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return nil, fmt.Errorf("the zstd file needs a window of more than %d bytes: pack the module with zstd -19 and no more, or raise --max-module-bytes", max(limit, leastWindow))
	}
	return nil, fmt.Errorf("inflating the %s file: %w", packing, err)
}

// dictionaryOf returns the ID of the dictionary that the first frame of a zstd file needs; 0 if it
// needs no dictionary, or is malformed.
func dictionaryOf(content []byte) uint32 {
	var head zstd.Header
	if err := head.Decode(content[:min(len(content), zstd.HeaderMaxSize)]); err != nil {
		return 0
	}
	return head.DictionaryID
}
