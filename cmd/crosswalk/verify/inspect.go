package verify

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// configMap is the maximum total size of a ConfigMap's values in bytes (ValidateConfigMap in
// kubernetes/kubernetes).
const configMap = 1 << 20

var inspectFormats = []output.Format{output.Table, output.JSON, output.YAML}

func inspectCommand() *cobra.Command {
	var how modules.Limits
	var format *output.Format
	var routes bool
	c := &cobra.Command{
		Use: "inspect [flags] MODULE|DIR...", Short: "show facts about modules, and the routes between versions",
		Long: `Shows each module's conversions, digest, size (and whether a ConfigMap can hold it), imports, description, and how long it takes to load.

With --routes it reads file names only, and shows for every kind the versions by priority and the path of each conversion, as every gateway
with these modules chooses it, or lists the conversion as missing. It ignores modules that a .removed file takes out of service.
`,
		Example:           "crosswalk inspect modules\ncrosswalk inspect -o json modules\ncrosswalk inspect --routes modules",
		Args:              command.SomeArgs("module"),
		ValidArgsFunction: command.CompleteModules,
		RunE: func(cmd *cobra.Command, args []string) error {
			s := command.StreamsOf(cmd)
			if routes {
				if cmd.Flags().Changed("output") {
					return command.Usagef("--routes has a format of its own: omit -o")
				}
				return showRoutes(s.Out, args)
			}
			config, err := how.Config(s)
			if err != nil {
				return err
			}
			files, err := modules.FilesOf(s, args)
			if err != nil {
				return err
			}
			var all []facts
			for i, path := range files {
				f, err := factsOf(cmd.Context(), path, config)
				if err != nil {
					return err
				}
				all = append(all, f)
				if *format != output.Table {
					continue
				}
				if i > 0 {
					fmt.Fprintln(s.Out)
				}
				if _, err := io.WriteString(s.Out, f.table()); err != nil {
					return err
				}
			}
			if *format == output.Table {
				return nil
			}
			return output.Write(s.Out, *format, all)
		},
	}
	c.Flags().BoolVar(&routes, "routes", false, "show the path of each conversion that the modules make possible")
	format = output.Flag(c.Flags(), inspectFormats...)
	how.Declare(c.Flags())
	command.CompleteFlag(c, "output", command.CompleteFormats(inspectFormats...))
	return c
}

// facts are the facts about a module that inspect shows.
type facts struct {
	File        string              `json:"file"`
	Kind        string              `json:"kind"`
	Group       string              `json:"group"`
	Converts    []string            `json:"converts"` // v1→v2
	Command     bool                `json:"command"`  // it starts for every batch
	SHA256      string              `json:"sha256"`
	Bytes       int                 `json:"bytes"`
	GzipBytes   int                 `json:"gzipBytes,omitempty"`   // 0: the file is packed already
	Imports     []string            `json:"imports,omitempty"`     // unknown if the file is packed
	MemoryBytes int64               `json:"memoryBytes,omitempty"` // at the start; likewise
	Name        string              `json:"name,omitempty"`
	Version     string              `json:"version,omitempty"`
	Language    string              `json:"language,omitempty"`
	SDK         string              `json:"sdk,omitempty"`
	Source      string              `json:"source,omitempty"`
	Licence     string              `json:"licence,omitempty"`
	Proof       module.Proof        `json:"proof,omitzero"`
	Fields      map[string][]string `json:"fields,omitempty"` // that it sees, by version; none: whole objects
	Cases       int                 `json:"cases"`            // golden cases that it passed
	LoadSeconds float64             `json:"loadSeconds"`

	sees, cases string
}

func factsOf(ctx context.Context, path string, config runtime.OpenConfig) (f facts, err error) {
	start := time.Now()
	m, err := modules.Open(ctx, path, config)
	if err != nil {
		return f, err
	}
	defer m.Close()
	took := time.Since(start)
	content, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	d := m.Description()
	f = facts{
		File: m.Name(), Kind: m.Edges()[0].Kind, Group: m.Edges()[0].Group, Converts: edgeNames(m), Command: m.ABI() == "command", SHA256: m.Digest(),
		Bytes: len(content), GzipBytes: gzipSize(m.Name(), content),
		Name: d.Name, Version: d.Version, Language: d.Language, SDK: d.SDK, Source: d.Source, Licence: d.Licence, Proof: d.Proof,
		Fields: m.Declared(), Cases: len(m.Cases()), LoadSeconds: took.Seconds(), sees: sees(m), cases: caseCount(m),
	}
	if strings.HasSuffix(m.Name(), ".wasm") {
		if scanned, err := meter.Scan(content, meter.Limits{}); err == nil {
			f.Imports, f.MemoryBytes = imports(scanned), int64(scanned.MemoryMin)<<16
		}
	}
	return f, nil
}

// table returns the facts for people.
func (f facts) table() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-12s "+format+"\n", append([]any{name}, args...)...)
	}
	fmt.Fprintln(&b, f.File)
	line("converts", "%s.%s %s", f.Kind, f.Group, strings.Join(f.Converts, ", "))
	if f.Command {
		line("abi", "command: it starts for every batch")
	} else {
		line("abi", "reactor: it stays instantiated")
	}
	line("sha256", "%s", f.SHA256)
	line("size", "%s", sizeText(f.Bytes, f.GzipBytes))
	if f.MemoryBytes > 0 || len(f.Imports) > 0 {
		line("imports", "%s", cmp.Or(strings.Join(f.Imports, ", "), "nothing"))
		line("memory", "%d KiB at the start", f.MemoryBytes>>10)
	}
	for _, d := range []struct{ name, value string }{
		{"name", f.Name}, {"version", f.Version}, {"language", f.Language}, {"sdk", f.SDK}, {"source", f.Source}, {"licence", f.Licence}, {"proof", f.Proof.String()},
	} {
		if d.value != "" {
			line(d.name, "%s", d.value)
		}
	}
	line("sees", "%s", f.sees)
	line("loaded in", "%v", time.Duration(f.LoadSeconds*float64(time.Second)).Round(time.Millisecond))
	line("sidecar", "%s", f.cases)
	return b.String()
}

// sizes returns the size of a module's file, and whether it fits a ConfigMap.
func sizes(name string, content []byte) string {
	return sizeText(len(content), gzipSize(name, content))
}

// gzipSize returns the size of an unpacked module as .wasm.gz in bytes, and 0 for a packed one.
func gzipSize(name string, content []byte) int {
	if !strings.HasSuffix(name, ".wasm") {
		return 0
	}
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is valid
	_, _ = w.Write(content)                                    // to memory
	_ = w.Close()
	return packed.Len()
}

func sizeText(raw, packed int) string {
	fits := func(n int) string {
		if n > configMap {
			return "too large for a ConfigMap"
		}
		return "fits a ConfigMap"
	}
	text := fmt.Sprintf("%d bytes, %s", raw, fits(raw))
	if packed > 0 {
		text += fmt.Sprintf("; %d bytes as .wasm.gz, %s", packed, fits(packed))
	}
	return text
}

func imports(m *meter.Module) []string {
	var names []string
	for _, im := range m.Imports {
		names = append(names, im.Module+"."+im.Name)
	}
	slices.Sort(names)
	return names
}

// showRoutes writes the routes between the versions that modules convert, from their names.
func showRoutes(out io.Writer, args []string) error {
	names, misnamed, err := modules.Names(args)
	if err != nil {
		return err
	}
	if err := writeRoutes(out, routesOf(names)); err != nil || misnamed == nil {
		return err
	}
	return command.Findingf("ignored, as by a gateway: %w", misnamed)
}

// namesake is a module of which only the name is known.
type namesake string

func (n namesake) Name() string              { return string(n) }
func (namesake) Digest() string              { return "" }
func (namesake) Fields(_, _ string) []string { return nil }
func (namesake) Convert(context.Context, string, string, [][]byte) ([][]byte, map[int]string, error) {
	return nil, nil, errors.New("only the module's name is known")
}

func routesOf(names []artifact.Name) *host.Routes {
	var edges []host.Edge
	for _, n := range names {
		for _, e := range n.Edges() {
			edges = append(edges, host.Edge{Group: e.Group, Kind: e.Kind, From: e.From, To: e.To, Module: namesake(n.File)})
		}
	}
	return host.NewRoutes(edges)
}

// writeRoutes writes the way between every ordered pair of versions of every kind.
func writeRoutes(out io.Writer, routes *host.Routes) error {
	var b strings.Builder
	for _, name := range routes.Kinds() {
		kind, group, _ := strings.Cut(name, ".")
		versions := routes.Versions(group, kind)
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(versions, ", "))
		for _, from := range versions {
			for _, to := range versions {
				if from != to {
					writeWay(&b, from, to, routes.Path(group, kind, from, to))
				}
			}
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func writeWay(b *strings.Builder, from, to string, way []host.Edge) {
	if way == nil {
		fmt.Fprintf(b, "  %s → %s  missing\n", from, to)
		return
	}
	steps, files := []string{from}, []string(nil)
	for _, e := range way {
		steps, files = append(steps, e.To), append(files, e.Module.Name())
	}
	fmt.Fprintf(b, "  %s  %s\n", strings.Join(steps, " → "), strings.Join(slices.Compact(files), ", "))
}
