// Command report reads the output of the benchmarks (make bench, make bench-e2e) and prints it as a table, or writes the document and
// the picture of docs/performance.md, or the table of sdk/README.md, from it. Of its own it measures sizes and loading times only.
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
	docs := flags.String("docs", "", "`directory` to write performance.md and performance.svg to; without it a table is printed")
	sdk := flags.String("sdk", "", "`document` to write the table of languages to, between its marks")
	modules := flags.String("modules", "", "`directory` with a directory of modules for each language, for -sdk")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return fmt.Errorf("name the files with what the benchmarks printed")
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
		targets, notes := r.targets(false)
		for _, g := range []grid{r.wholeRatios(), r.declaredRatios(), r.times(), r.serverTimes(), r.walls(), r.lists(), r.cores(), r.modules(), targets} {
			if len(g) > 1 {
				if _, err := io.WriteString(stdout, "\n"+g.text()); err != nil {
					return err
				}
			}
		}
		_, err := io.WriteString(stdout, "\n"+numbered(notes))
		return err
	}
	if err := os.WriteFile(filepath.Join(*docs, "performance.md"), []byte(r.document()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(*docs, "performance.svg"), []byte(r.chart()), 0o644)
}
