package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// skip is a line of the file.
type skip struct {
	Reason string
	Test   string // package and name; the package alone if not all of its tests ran; empty for a part of a script
}

// list prints each reason with its tests.
func list(out io.Writer, file string) error {
	content, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	tests := map[string][]string{}
	for line := range strings.Lines(string(content)) {
		var s skip
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if !slices.Contains(tests[s.Reason], s.Test) {
			tests[s.Reason] = append(tests[s.Reason], s.Test)
		}
	}
	if len(tests) == 0 {
		fmt.Fprintln(out, "No test was skipped.")
		return nil
	}
	fmt.Fprintln(out, "Skipped:")
	for _, reason := range slices.Sorted(maps.Keys(tests)) {
		fmt.Fprintf(out, "  %s\n", reason)
		for _, test := range tests[reason] {
			if test != "" {
				fmt.Fprintf(out, "      %s\n", test)
			}
		}
	}
	return nil
}
