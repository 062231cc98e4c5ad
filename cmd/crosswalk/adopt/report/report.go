package adopt

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/project"
)

// reportName is the file with everything that is printed, and the lists that are only counted
// there.
const reportName = "report.txt"

// report collects the text of report.txt and prints its first part. It is for one goroutine.
type report struct {
	out             io.Writer
	lines, sections bytes.Buffer
}

// line writes a line to the file and prints it.
func (r *report) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	fmt.Fprintln(&r.lines, text)
	fmt.Fprintln(r.out, text)
}

// section writes a list to the file.
func (r *report) section(title string, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(&r.sections, "\n%s\n\n    %s\n", title, strings.Join(lines, "\n    "))
	}
}

// write writes the file.
func (r *report) write(dir string) error {
	return gocmd.WriteFile(filepath.Join(dir, reportName), append(r.lines.Bytes(), r.sections.Bytes()...))
}

// leftOut reports the parts of the packages that may have an effect when a program starts and are
// not in the module.
func (r *report) leftOut(x *extract.Extraction) {
	all := x.Left()
	inits, variables, imports := 0, 0, 0
	for _, o := range all {
		inits, variables, imports = inits+len(o.Inits), variables+len(o.Variables), imports+len(o.Imports)
	}
	if inits+variables+imports > 0 {
		r.line("left out of %d packages: %d init functions, %d variables and %d blank imports (%s lists them)", len(all), inits, variables, imports, reportName)
	}
	for _, o := range all {
		var lines []string
		for _, list := range []struct {
			name  string
			names []string
		}{{"init functions", o.Inits}, {"variables", o.Variables}, {"blank imports", o.Imports}} {
			if len(list.names) > 0 {
				lines = append(lines, list.name+": "+strings.Join(list.names, ", "))
			}
		}
		r.section("Left out of "+o.Pkg+":", lines)
	}
	if stubs := x.Stubs(); len(stubs) > 0 {
		r.line("without effect in the module: %s", strings.Join(stubs, ", "))
	}
}

// bytes reports the packages that the module's bytes come from: of Go's library and the SDK the
// sum, and the largest others.
func (r *report) bytes(portions []project.Portion) {
	const most, least = 4, 10 << 10
	var all, first []string
	data, library, sdk, others, rest := 0, 0, 0, 0, 0
	for _, p := range portions {
		all = append(all, fmt.Sprintf("%8d  %s", p.Bytes, p.Name))
		domain, _, _ := strings.Cut(p.Name, "/")
		switch {
		case p.Name == project.PartData:
			data += p.Bytes
		case strings.HasPrefix(p.Name+"/", gocmd.SDKModule+"/"):
			sdk += p.Bytes
		case !strings.Contains(domain, "."):
			library += p.Bytes
		case len(first) < most && p.Bytes >= least:
			first = append(first, fmt.Sprintf("%s %.2f", p.Name, mega(p.Bytes)))
		default:
			others, rest = others+1, rest+p.Bytes
		}
	}
	if others > 0 {
		first = append(first, fmt.Sprintf("%d others %.2f", others, mega(rest)))
	}
	r.line("MB of code: Go's library %.2f, the SDK %.2f, %s; of data: %.2f", mega(library), mega(sdk), strings.Join(first, ", "), mega(data))
	r.section("Bytes of the module by package:", all)
}

func mega(n int) float64 { return float64(n) / (1 << 20) }

// configMap is the most bytes that an API server takes in all values of a ConfigMap, before base64.
const configMap = 1 << 20

// room reports whether a .zst fits a ConfigMap, or the ways to the gateway for a larger file.
func room(size int) string {
	if size > configMap {
		return fmt.Sprintf("the .zst is %d KB too large for a ConfigMap: use crosswalk push and crosswalk pull, or an image volume (docs/use/registry.md)", (size-configMap+1023)>>10)
	}
	return fmt.Sprintf("the .zst fits a ConfigMap with %d KB to spare", (configMap-size)>>10)
}

// opaque lists the opaque types.
func (r *report) opaque(o *extract.Opaque) {
	var names []string
	for t := range o.Types {
		names = append(names, t.Pkg().Name()+"."+t.Name())
	}
	if len(names) > 0 {
		slices.Sort(names)
		r.line("opaque, carried as text: %s", strings.Join(names, ", "))
	}
	if o.Metadata != nil {
		r.line("read of the metadata: %s", strings.Join(append([]string{"labels", "annotations"}, o.Metadata...), ", "))
	}
}
