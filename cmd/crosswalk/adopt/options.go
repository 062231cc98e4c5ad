package adopt

import (
	"io"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/compare"
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
	NoRun    bool // builds the module, and runs nothing
	Out      io.Writer
	Try      compare.Try
	Sources  compare.Sources // of objects to compare
}
