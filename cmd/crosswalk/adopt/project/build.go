package project

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
	"github.com/crosswalk-gateway/crosswalk/internal/dictionary"
)

// NoJSON is the build tag of modules without encoding/json.
const NoJSON = "crosswalk_adopt"

// Build builds the module of the project in dir, without the names of functions and debugging information.
func Build(ctx context.Context, dir, module, tags string) error {
	args := []string{"build", "-mod=vendor", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-s -w"}
	if tags != "" {
		args = append(args, "-tags="+tags)
	}
	command := gocmd.Command(ctx, dir, wasmEnvironment(), append(args, "-o", module, ".")...)
	if out, err := command.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("the module cannot be built: %w\n%s", err, gocmd.Beginning(string(out)))
	}
	return nil
}

// wasmEnvironment is that of go for the project as a module.
func wasmEnvironment() []string {
	return append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOWORK=off", "GOFLAGS=")
}

// Sizes are those of a module in its three forms, in bytes.
type Sizes struct {
	Raw  int `json:"raw"`
	Gzip int `json:"gzip"`
	Zstd int `json:"zstd"`
}

// Compress writes the module as .gz and .zst beside it.
func Compress(ctx context.Context, file string) (s Sizes, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return s, err
	}
	var packed bytes.Buffer
	g, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return s, err
	}
	if _, err := g.Write(text); err != nil {
		return s, err
	}
	if err := g.Close(); err != nil {
		return s, err
	}
	if err := gocmd.WriteFile(file+".gz", packed.Bytes()); err != nil {
		return s, err
	}
	small, err := pack(ctx, text)
	if err != nil {
		return s, err
	}
	if err := gocmd.WriteFile(file+".zst", small); err != nil {
		return s, err
	}
	return Sizes{len(text), packed.Len(), len(small)}, nil
}

// filter returns the output of a program for a text; nil if there is no such program, or it fails.
func filter(ctx context.Context, text []byte, program ...string) []byte {
	path, err := exec.LookPath(program[0])
	if err != nil {
		return nil
	}
	command := exec.CommandContext(ctx, path, program[1:]...)
	command.Stdin = bytes.NewReader(text)
	out, err := command.Output()
	if err != nil || len(out) == 0 {
		return nil
	}
	return out
}

// Test runs the generated test of a module, which writes its report to a file, and with packages to measure
// their coverage to another. The test bounds its own CPU time; wall time has no bound, because a busy
// machine would exceed it.
func Test(ctx context.Context, dir, module, program, report string, packages []string, profile string, variables ...string) (string, error) {
	args := []string{"test", "-mod=mod", "-vet=off", "-count=1", "-timeout=0"}
	if len(packages) > 0 {
		args = append(args, "-coverpkg="+strings.Join(packages, ","), "-coverprofile="+profile)
	}
	environment := append(os.Environ(), "CROSSWALK="+program, "CROSSWALK_ADOPT_MODULES="+module, "CROSSWALK_ADOPT_REPORT="+report, "GOWORK=off", "GOFLAGS=")
	environment = append(environment, variables...)
	command := gocmd.Command(ctx, dir, environment, append(args, ".")...)
	out, err := command.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

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
