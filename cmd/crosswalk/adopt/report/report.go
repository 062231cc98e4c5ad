// Package report tells people how adopting went: on the terminal, and with all lists in report.txt. It decides nothing.
package report

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
)

// File is the file with everything that is printed, and the lists that are only counted
// there.
const File = "report.txt"

// Report collects the text of report.txt and prints its first part. It is for one goroutine.
type Report struct {
	out             io.Writer
	lines, sections bytes.Buffer
}

// New returns a report that prints to out.
func New(out io.Writer) *Report { return &Report{out: out} }

// Line writes a line to the file and prints it.
func (r *Report) Line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	fmt.Fprintln(&r.lines, text)
	fmt.Fprintln(r.out, text)
}

// section writes a list to the file.
func (r *Report) section(title string, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(&r.sections, "\n%s\n\n    %s\n", title, strings.Join(lines, "\n    "))
	}
}

// Write writes the file.
func (r *Report) Write(dir string) error {
	return gocmd.WriteFile(filepath.Join(dir, File), append(r.lines.Bytes(), r.sections.Bytes()...))
}

// Stubs reports the functions that do nothing in the module.
func (r *Report) Stubs(x *extract.Extraction) {
	if stubs := x.Stubs(); len(stubs) > 0 {
		r.Line("without effect in the module: %s", strings.Join(stubs, ", "))
	}
}

// Opaque lists the opaque types.
func (r *Report) Opaque(o *extract.Opaque) {
	var names []string
	for t := range o.Types {
		names = append(names, t.Pkg().Name()+"."+t.Name())
	}
	if len(names) > 0 {
		slices.Sort(names)
		r.Line("opaque, carried as text: %s", strings.Join(names, ", "))
	}
	if o.Metadata != nil {
		r.Line("read of the metadata: %s", strings.Join(append([]string{"labels", "annotations"}, o.Metadata...), ", "))
	}
}
