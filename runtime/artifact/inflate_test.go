package artifact

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/crosswalk-gateway/crosswalk/internal/dictionary"
)

func gzipped(t testing.TB, content []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func zstandard(t testing.TB, content []byte, options ...zstd.EOption) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, options...)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(content, nil)
}

// common is a frame that needs the newest dictionary.
func common(t testing.TB, content []byte) []byte {
	t.Helper()
	d := dictionary.Newest()
	text, err := d.Content()
	if err != nil {
		t.Fatal(err)
	}
	return zstandard(t, content, zstd.WithEncoderDictRaw(d.ID, text))
}

// streamed is a frame that does not say how long its content is, as of a compressor at the end of a
// pipe.
func streamed(t testing.TB, content []byte, window int) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := zstd.NewWriter(&buf, zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(content, 1<<16) { // more than one write, or the frame has a length
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestInflate(t *testing.T) {
	echo := fixture(t, "good_echo").Content
	zst, gz := zstandard(t, echo), gzipped(t, echo)
	half := len(echo) / 2
	skippable := append(binary.LittleEndian.AppendUint32([]byte{0x50, 0x2a, 0x4d, 0x18}, 5), "aside"...)
	for _, tc := range []struct {
		name, packing string
		content       []byte
	}{
		{"gzip", packedGzip, gz},
		{"gzip in two members", packedGzip, slices.Concat(gzipped(t, echo[:half]), gzipped(t, echo[half:]))},
		{"zstd", packedZstd, zst},
		{"zstd without a length", packedZstd, streamed(t, echo, 8<<20)},
		{"zstd with a checksum", packedZstd, zstandard(t, echo, zstd.WithEncoderCRC(true))},
		{"zstd with the dictionary", packedZstd, common(t, echo)},
		{"zstd with the dictionary in the first of two frames", packedZstd, slices.Concat(common(t, echo[:half]), zstandard(t, echo[half:]))},
		{"zstd in two frames, one to skip between them", packedZstd, slices.Concat(zstandard(t, echo[:half]), skippable, zstandard(t, echo[half:]))},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Inflate(tc.packing, tc.content, 32<<20)
			if err != nil || !bytes.Equal(got, echo) {
				t.Errorf("%d bytes, %v; want %d bytes", len(got), err, len(echo))
			}
		})
	}
}

func TestInflateErrors(t *testing.T) {
	echo := fixture(t, "good_echo").Content
	zst, gz := zstandard(t, echo), gzipped(t, echo)
	damaged := bytes.Clone(zstandard(t, echo, zstd.WithEncoderCRC(true)))
	damaged[len(damaged)-1] ^= 1
	const tooMuch = "the module inflates to more than 33554432 bytes (--max-module-bytes)"
	for _, tc := range []struct {
		name, packing string
		content       []byte
		want          string
	}{
		{"gzip bomb", packedGzip, gzipped(t, make([]byte, 40<<20)), tooMuch},
		{"gzip truncated", packedGzip, gz[:200], "the gzip file is truncated: copy it again"},
		{"not gzip", packedGzip, echo, "file has the extension .gz but is not gzip: gzip: invalid header"},
		{"gzip, then something", packedGzip, slices.Concat(gz, echo), "the gzip file has trailing data: pack the module again"},

		{"zstd bomb", packedZstd, streamed(t, make([]byte, 40<<20), 8<<20), tooMuch},
		{"zstd bomb in frames", packedZstd, bytes.Repeat(zstandard(t, make([]byte, 1<<20)), 40), tooMuch},
		{"zstd bomb that says so", packedZstd, zstandard(t, make([]byte, 40<<20), zstd.WithWindowSize(1<<20)), tooMuch},
		{"zstd truncated", packedZstd, zst[:200], "the zstd file is truncated: copy it again"},
		{"zstd truncated in its first bytes", packedZstd, zst[:3], "the zstd file is truncated: copy it again"},
		{"not zstd", packedZstd, echo, "file has the extension .zst but is not zstd"},
		{"gzip for zstd", packedZstd, gz, "file has the extension .zst but is not zstd"},
		{"empty", packedZstd, nil, "file has the extension .zst but is empty"},
		{"zstd, then something", packedZstd, slices.Concat(zst, echo), "the zstd file has trailing data: pack the module again"},
		{"zstd, then a byte", packedZstd, slices.Concat(zst, []byte{0}), "the zstd file is truncated: copy it again"},
		{"zstd, damaged", packedZstd, damaged, "inflating the zstd file: CRC check failed"},
		{"zstd, dictionary", packedZstd, zstandard(t, echo, zstd.WithEncoderDictRaw(7, bytes.Repeat([]byte("crosswalk"), 99))), "the zstd file needs the dictionary 7, and this release has only 1260000 (go1.26): use the .gz file of the module, or a later release"},
		{"zstd, dictionary in the second frame", packedZstd, slices.Concat(zst, common(t, echo)), "a later frame of the zstd file needs another dictionary than the first: pack the module again"},
		{"zstd, another dictionary in the second frame", packedZstd, slices.Concat(common(t, echo), zstandard(t, echo, zstd.WithEncoderDictRaw(7, echo))), "a later frame of the zstd file needs another dictionary than the first: pack the module again"},
		{"zstd, dictionary, truncated", packedZstd, common(t, echo)[:60], "the zstd file is truncated: copy it again"},
		{"zstd bomb with a dictionary", packedZstd, common(t, make([]byte, 40<<20)), tooMuch},
		{"zstd, wide window", packedZstd, streamed(t, slices.Concat(echo, make([]byte, 1<<17)), 64<<20), "the zstd file needs a window of more than 33554432 bytes: pack the module with zstd -19 and no more, or raise --max-module-bytes"},
		{"zstd, absurd window", packedZstd, []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0xff, 1, 0, 0}, "the zstd file needs a window of more than 33554432 bytes: pack the module with zstd -19 and no more, or raise --max-module-bytes"},
		{"zstd, absurd length", packedZstd, []byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0}, "the zstd file needs a window of more than 33554432 bytes: pack the module with zstd -19 and no more, or raise --max-module-bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := Inflate(tc.packing, tc.content, 32<<20); err == nil || err.Error() != tc.want {
				t.Errorf("error %v, want %s", err, tc.want)
			}
		})
	}
	if _, err := Inflate(packedZstd, zstandard(t, make([]byte, 1000)), 1000); err != nil {
		t.Errorf("exactly the limit: %v", err)
	}
	if _, err := Inflate(packedZstd, zstandard(t, make([]byte, 1001)), 1000); err == nil {
		t.Error("a byte above the limit is let through")
	}
}

// TestInflateBombIsBoundedM18 inflates files that unpack to 10 GiB. Neither packing may take more
// memory than a small multiple of the limit.
func TestInflateBombIsBoundedM18(t *testing.T) {
	const limit = 1 << 20
	part := make([]byte, 64<<20)
	for packing, pack := range map[string]func() []byte{
		packedGzip: func() []byte { return bytes.Repeat(gzipped(t, part), 160) },
		packedZstd: func() []byte { return bytes.Repeat(streamed(t, part, leastWindow), 160) },
	} {
		content := pack()
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		_, err := Inflate(packing, content, limit)
		goruntime.ReadMemStats(&after)
		if want := "the module inflates to more than 1048576 bytes (--max-module-bytes)"; err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", packing, err, want)
		}
		// 8 MiB of window and as much again of room to move it, the output as it grew, and decoding
		// tables.
		if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
			t.Errorf("%s: allocated %d bytes", packing, took)
		}
	}
}

// TestInflateTools unpacks files of the packers of a distribution.
func TestInflateTools(t *testing.T) {
	echo := fixture(t, "good_echo").Content
	for _, tc := range []struct {
		packing string
		command []string
	}{
		{packedGzip, []string{"gzip", "-9c"}},
		{packedZstd, []string{"zstd", "-19", "-qc"}},
		{packedZstd, []string{"zstd", "--ultra", "-22", "-qc"}},
		{packedZstd, []string{"zstd", "-T0", "-qc"}},
	} {
		if _, err := exec.LookPath(tc.command[0]); err != nil {
			t.Logf("skipped: %v", err)
			continue
		}
		file := filepath.Join(t.TempDir(), "module.wasm")
		if err := os.WriteFile(file, echo, 0o644); err != nil {
			t.Fatal(err)
		}
		packed, err := exec.Command(tc.command[0], append(tc.command[1:], file)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Inflate(tc.packing, packed, 32<<20); err != nil || !bytes.Equal(got, echo) {
			t.Errorf("%v: %d bytes, %v", tc.command, len(got), err)
		}
	}
}
