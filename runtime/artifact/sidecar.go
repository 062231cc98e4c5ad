package artifact

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/bytesize"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

const (
	// wasmPage is the size of a page of WebAssembly memory.
	wasmPage = 64 << 10
	// maxCases is the most golden cases of a sidecar: some seconds on the interpreter, which is
	// fifty times slower.
	maxCases = 1000
)

// Sidecar is the content of a sidecar. It is immutable; the zero value means that there is none.
type Sidecar struct {
	File   string
	Pin    string // the hex sha256 that the module's file must have; empty if any will do
	Limits sidecarLimits
	Cases  []GoldenCase
	Known  []KnownFailure
	Fields DeclaredPaths // that the module reads and writes; nil: nothing is said of them
	Losses []Loss        // that the author acknowledges
}

// sidecarLimits replace the operator's limits if they are not zero. They are never higher.
type sidecarLimits struct {
	FuelPerObject int64
	Memory        int64 // bytes
	CallTimeout   time.Duration
}

// SidecarBase returns the base of the module's name that a sidecar's name goes with. It returns
// false for all other names, including those of CustomResourceDefinitions (.crd.yaml): a version
// has no dot.
func SidecarBase(file string) (base string, ok bool) {
	if base, ok = strings.CutSuffix(file, SidecarEnding); !ok {
		return "", false
	}
	_, err := ParseName(base + ".wasm")
	return base, err == nil
}

// ContentSum returns a checksum of a module's file together with its sidecar, if it has one. Two
// contents with equal sums are the same module.
func ContentSum(file watch.File, beside *watch.File) [sha256.Size]byte {
	if beside == nil {
		return file.Sum
	}
	return sha256.Sum256(append(file.Sum[:], beside.Sum[:]...))
}

// ReadSidecar reads a module's sidecar; nil is an empty sidecar.
//
// The error names the file, the line or the case, and the remedy.
func ReadSidecar(name Name, beside *watch.File) (*Sidecar, error) {
	if beside == nil {
		return &Sidecar{}, nil
	}
	s := &Sidecar{File: beside.Name}
	if n := len(beside.Content); n > MaxSidecar {
		return nil, fmt.Errorf("%s has %d bytes; a sidecar may have %d", s.File, n, MaxSidecar)
	}
	root, err := parseYAML(beside.Content)
	if err != nil {
		return nil, fmt.Errorf("%s %w", s.File, err)
	}
	if err := eachMember("", root, []string{"sha256", "limits", "fields", "known", "lossy", "cases"}, func(key string, value *yaml.Node) error {
		switch key {
		case "sha256":
			return s.readPin(value)
		case "limits":
			return s.Limits.read(value)
		case "fields":
			return s.readFields(name, value)
		case "known":
			return s.readKnown(name, value)
		case "lossy":
			return s.readLosses(name, value)
		}
		return s.readCases(name, value)
	}); err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	return s, nil
}

func (s *Sidecar) readPin(n *yaml.Node) error {
	text, err := textAt("sha256", n)
	if err != nil {
		return err
	}
	if sum, err := hex.DecodeString(text); err != nil || len(sum) != sha256.Size {
		return fmt.Errorf("line %d: sha256 %q is not a digest: write the 64 hexadecimal digits that sha256sum prints for the module's file", n.Line, foreign.Fit(text, maxQuoted))
	}
	s.Pin = strings.ToLower(text)
	return nil
}

func (l *sidecarLimits) read(n *yaml.Node) error {
	return eachMember("limits", n, []string{"fuelPerObject", "memory", "callTimeout"}, func(key string, value *yaml.Node) error {
		text, err := textAt("limits."+key, value)
		if err != nil {
			return err
		}
		ok := false
		form := ""
		switch key {
		case "fuelPerObject":
			form = "a whole number above 0"
			l.FuelPerObject, err = strconv.ParseInt(text, 10, 64)
			ok = err == nil && l.FuelPerObject > 0
		case "memory":
			form = "a size such as 64Mi, a multiple of 64Ki"
			l.Memory, ok = bytesize.Parse(text)
			ok = ok && l.Memory > 0 && l.Memory%wasmPage == 0
		case "callTimeout":
			form = "a time above 0 such as 500ms or 2s"
			l.CallTimeout, err = time.ParseDuration(text)
			ok = err == nil && l.CallTimeout > 0
		}
		if !ok {
			return fmt.Errorf("line %d: limits.%s %q is not %s", value.Line, key, foreign.Fit(text, maxQuoted), form)
		}
		return nil
	})
}

// CheckPin compares the module's file with the digest in the sidecar.
func (s *Sidecar) CheckPin(file watch.File) error {
	if sum := hex.EncodeToString(file.Sum[:]); s.Pin != "" && s.Pin != sum {
		return fmt.Errorf("%s pins sha256 %s, and %s has %s: put the module in place that is pinned, or pin this one if it is the one you mean", s.File, foreign.Digest(s.Pin), file.Name, foreign.Digest(sum))
	}
	return nil
}
