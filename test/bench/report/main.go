// Command report reads the output of the benchmarks (make bench, make bench-e2e) and prints it as
// tables, or writes docs/use/performance.md with its chart, or writes the table of sdk/README.md. It
// measures only the sizes and loading times of that table itself.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	if err := report(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func report(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	docs := flags.String("docs", "", "`directory` to write performance.md and performance.svg to; by default, print tables")
	sdk := flags.String("sdk", "", "`document` to write the table of languages to, between its markers")
	modules := flags.String("modules", "", "`directory` with one directory of modules for each language, for -sdk")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return fmt.Errorf("name the files with the output of the benchmarks")
	}
	r := &results{}
	for _, path := range flags.Args() {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		err = r.read(file)
		file.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if *sdk != "" {
		return r.writeSDKTable(*sdk, *modules)
	}
	if *docs == "" {
		for _, g := range []grid{r.wholeRatios(), r.declaredRatios(), r.times(), r.serverTimes(), r.lists(), r.first(), r.modules()} {
			if len(g) > 1 {
				if _, err := io.WriteString(stdout, "\n"+g.text()); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for name, content := range map[string]string{"performance.md": r.document(), "performance.svg": r.chart()} {
		if err := os.WriteFile(filepath.Join(*docs, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}
