package adopt

import (
	"context"
	"encoding/json"
	"io"
	"time"
)

// Options select the conversions to adopt.
type Options struct {
	Packages []string // import paths or patterns, or path@version
	Kind     string   // Kind or Kind.group; "" means all
	Dir      string   // to write to; each of several kinds has a directory in it
	Program  string   // crosswalk, for the test; the Makefile finds it in PATH
	Opaque   bool
	SetUp    string // Go file that does the work of the operator's main before conversions; "" without
	Check    bool
	NoRun    bool              // builds the module, and runs nothing
	Given    []json.RawMessage // objects to compare, beside the operator's samples
	Out      io.Writer
	// Try loads a module as a gateway does, and measures it on an object in the versions from and
	// to.
	Try func(ctx context.Context, module string, pairs []Measurement) (load time.Duration, err error)
	// Objects returns the objects in a text of YAML or JSON; nil means that the operator's samples
	// are not compared.
	Objects func(text []byte) []json.RawMessage
	// Generate returns up to n objects of a version that an API server with the definition would
	// store; nil means that there are none.
	Generate func(ctx context.Context, definition []byte, apiVersion string, n int, given []json.RawMessage) []json.RawMessage
}

// Measurement is one direction that Try measures.
type Measurement struct {
	From, To     string
	Object       []byte
	One, InAList time.Duration // of CPU, for one object: by itself, and in a list of 1,000
}

// Runs is how often a time is measured. The least counts: other work on the machine makes the
// others longer.
const Runs = 10
