package artifact

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
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
// or 8 MiB, independently of the sizes that the file declares.
//
// Several members or frames in a row are one module, as for gunzip and unzstd; anything else after
// the first is an error. inflate rejects zstd dictionaries, because there is no source for one.
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
		r, err := zstd.NewReader(bytes.NewReader(content), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(uint64(max(limit, leastWindow))))
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
		return nil, errors.New("the zstd file needs a dictionary: pack the module without one")
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return nil, fmt.Errorf("the zstd file needs a window of more than %d bytes: pack the module with zstd -19 and no more, or raise --max-module-bytes", max(limit, leastWindow))
	}
	return nil, fmt.Errorf("inflating the %s file: %w", packing, err)
}
