package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// flagError words an error of pflag: it states which values a flag accepts, where pflag quotes the
// standard library, and proposes the flag that was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &invalid):
		switch flag := invalid.GetFlag(); flag.Value.Type() {
		case "int", "int64":
			err = fmt.Errorf("--%s must be an integer, not %q", flag.Name, invalid.GetValue())
		case "duration":
			err = fmt.Errorf("--%s must be a duration such as 500ms or 5s, not %q", flag.Name, invalid.GetValue())
		case "size", "format":
			err = fmt.Errorf("--%s: %w", flag.Name, invalid.Unwrap())
		}
	case errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1:
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		err = fmt.Errorf("%w%s", err, didYouMean("--"+unknown.GetSpecifiedName(), names))
	}
	return command.UsageError{Err: err}
}

// didYouMean returns the end of a message about an unknown word: the known word that is closest,
// or "" if none is close.
func didYouMean(word string, known []string) string {
	best, least := "", max(1, len(word)/3)+1
	for _, k := range known {
		d := distance(word, k)
		if len(word) > 2 && strings.HasPrefix(k, word) {
			d = min(d, 1)
		}
		if d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance returns the number of bytes to insert, delete, replace or swap that make a into b.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
