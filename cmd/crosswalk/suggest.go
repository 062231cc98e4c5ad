package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/nearest"
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
	if near := nearest.To(word, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}
