package project

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/crosswalk-gateway/crosswalk/internal/dictionary"
)

// pack compresses a module with the newest dictionary, which makes it half as large. It uses the
// program zstd if there is one: its highest level makes an eighth less of a module than the
// library's.
func pack(ctx context.Context, text []byte) ([]byte, error) {
	d := dictionary.Newest()
	common, err := d.Content()
	if err != nil {
		return nil, err
	}
	out, err := packByProgram(ctx, text, d.ID, common)
	if err != nil || out != nil {
		return out, err
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(8<<20), zstd.WithEncoderDictRaw(d.ID, common))
	if err != nil {
		return nil, err
	}
	return z.EncodeAll(text, nil), nil
}

// packByProgram compresses with the program zstd; it returns nil if there is no such program.
func packByProgram(ctx context.Context, text []byte, id uint32, common []byte) ([]byte, error) {
	file, err := os.CreateTemp("", "crosswalk-dictionary")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.Write(common)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, fmt.Errorf("writing the dictionary for zstd: %w", err)
	}
	return withDictionaryID(filter(ctx, text, "zstd", "-19", "-D", file.Name(), "-c"), id), nil
}

// withDictionaryID returns a frame with the ID of its dictionary in the header (RFC 8878, 3.1.1.1):
// zstd writes none if the dictionary is plain content. It returns nil for a frame of another form.
func withDictionaryID(frame []byte, id uint32) []byte {
	const magic, idBits, singleSegment = 4, 3, 1 << 5 // the descriptor follows the magic number
	if len(frame) < 6 || frame[magic]&idBits != 0 {
		return nil
	}
	at := magic + 2 // after the window
	if frame[magic]&singleSegment != 0 {
		at-- // there is no window
	}
	out := append(make([]byte, 0, len(frame)+4), frame[:at]...)
	out[magic] |= idBits // four bytes
	return append(binary.LittleEndian.AppendUint32(out, id), frame[at:]...)
}
