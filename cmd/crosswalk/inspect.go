package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// configMap is the maximum total size of a ConfigMap's values in bytes (ValidateConfigMap in
// kubernetes/kubernetes).
const configMap = 1 << 20

func inspectCommand() *cobra.Command {
	var how loading
	c := &cobra.Command{
		Use: "inspect [flags] MODULE|DIR...", Short: "show facts about modules, and their descriptions",
		Long: `Shows each module's conversions, digest, size (and whether a ConfigMap can hold it), imports, description, and how long it takes to load.
`,
		Example:           "crosswalk inspect modules",
		Args:              someArgs("module"),
		ValidArgsFunction: completeModules,
		RunE: func(cmd *cobra.Command, args []string) error {
			s := streamsOf(cmd)
			config, err := how.config(s)
			if err != nil {
				return err
			}
			files, err := moduleFiles(args)
			if err != nil {
				return err
			}
			for i, path := range files {
				if i > 0 {
					fmt.Fprintln(s.out)
				}
				if err := inspect(cmd.Context(), s, path, config); err != nil {
					return err
				}
			}
			return nil
		},
	}
	how.flags(c.Flags())
	return c
}

func inspect(ctx context.Context, s streams, path string, config runtime.OpenConfig) error {
	start := time.Now()
	m, err := openModule(ctx, path, config)
	if err != nil {
		return err
	}
	defer m.Close()
	took := time.Since(start)
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-12s "+format+"\n", append([]any{name}, args...)...)
	}
	fmt.Fprintln(&b, m.Name())
	line("converts", "%s.%s %s", m.Edges()[0].Kind, m.Edges()[0].Group, strings.Join(edgeNames(m), ", "))
	line("abi", "%s", abiOf(m))
	line("sha256", "%s", m.Digest())
	line("size", "%s", sizes(m.Name(), content))
	if strings.HasSuffix(m.Name(), ".wasm") {
		if scanned, err := meter.Scan(content, meter.Limits{}); err == nil {
			line("imports", "%s", cmp.Or(strings.Join(imports(scanned), ", "), "nothing"))
			line("memory", "%d KiB at the start", scanned.MemoryMin*64)
		}
	}
	d := m.Description()
	for _, f := range []struct{ name, value string }{
		{"name", d.Name}, {"version", d.Version}, {"language", d.Language}, {"sdk", d.SDK}, {"source", d.Source}, {"licence", d.Licence},
	} {
		if f.value != "" {
			line(f.name, "%s", f.value)
		}
	}
	line("sees", "%s", sees(m))
	line("loaded in", "%v", took.Round(time.Millisecond))
	line("sidecar", "%s", caseCount(m))
	_, err = io.WriteString(s.out, b.String())
	return err
}

// abiOf returns a module's ABI and its consequence for instances.
func abiOf(m *module.Module) string {
	if m.IsCommand() {
		return "command: it starts for every batch"
	}
	return "reactor: it stays instantiated"
}

// sizes returns the size of a module's file, and whether it fits a ConfigMap.
func sizes(name string, content []byte) string {
	fits := func(n int) string {
		if n > configMap {
			return "too large for a ConfigMap"
		}
		return "fits a ConfigMap"
	}
	text := fmt.Sprintf("%d bytes, %s", len(content), fits(len(content)))
	if strings.HasSuffix(name, ".wasm") {
		var packed bytes.Buffer
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is valid
		_, _ = w.Write(content)                                    // to memory
		_ = w.Close()
		text += fmt.Sprintf("; %d bytes as .wasm.gz, %s", packed.Len(), fits(packed.Len()))
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
