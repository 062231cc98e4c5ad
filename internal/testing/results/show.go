package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// part is a row of the table. The commands of a part run one after the other, so their times add up.
type part struct {
	name           string
	wall, cpu      time.Duration
	tests, skipped int
	failed         bool
}

// show prints each reason with the tests that no part ran for it, and the table of the parts. The code
// is 1 if a part failed.
func show(out io.Writer, files []string) (code int, err error) {
	ran := map[string]bool{}
	skipped := map[string][]string{} // by reason
	var parts []part
	for _, file := range files {
		records, err := read(file)
		if err != nil {
			return 1, err
		}
		p := part{name: filepath.Base(file)}
		for _, r := range records {
			switch {
			case r.Ended != nil:
				p.wall, p.cpu, p.failed = p.wall+r.Ended.Wall, p.cpu+r.Ended.CPU, p.failed || r.Ended.Code != 0
			case r.Action != "skip":
				p.tests++
				ran[r.Test] = true
			default:
				p.skipped++
				if !slices.Contains(skipped[r.Reason], r.Test) {
					skipped[r.Reason] = append(skipped[r.Reason], r.Test)
				}
			}
		}
		if p.failed {
			code = 1
		}
		parts = append(parts, p)
	}
	printSkipped(out, skipped, ran)
	return code, printParts(out, parts)
}

func read(file string) (records []record, err error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for text := range strings.Lines(string(content)) {
		var r record
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		records = append(records, r)
	}
	return records, nil
}

func printSkipped(out io.Writer, skipped map[string][]string, ran map[string]bool) {
	for reason, tests := range skipped {
		skipped[reason] = slices.DeleteFunc(tests, func(test string) bool { return ran[test] })
		if len(skipped[reason]) == 0 {
			delete(skipped, reason)
		}
	}
	if len(skipped) == 0 {
		fmt.Fprintln(out, "No test was skipped.")
		return
	}
	fmt.Fprintln(out, "Skipped:")
	for _, reason := range slices.Sorted(maps.Keys(skipped)) {
		fmt.Fprintf(out, "  %s\n", reason)
		for _, test := range skipped[reason] {
			if test != "" {
				fmt.Fprintf(out, "      %s\n", test)
			}
		}
	}
}

func printParts(out io.Writer, parts []part) error {
	fmt.Fprintln(out)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "part\twall\tCPU s\ttests\tskipped\t\t")
	for _, p := range parts {
		result := "ok"
		if p.failed {
			result = "FAILED"
		}
		fmt.Fprintf(table, "%s\t%v\t%.0f\t%d\t%d\t%s\t\n", p.name, p.wall.Round(time.Second), p.cpu.Seconds(), p.tests, p.skipped, result)
	}
	return table.Flush()
}
