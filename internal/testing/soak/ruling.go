package main

import (
	"errors"
	"fmt"
	"io"
)

// ruling is the result for one thing that a run can judge: it held, it failed, or the run could not
// judge it.
type ruling struct {
	what string
	err  error  // why it failed
	not  string // why it was not judged
}

func holds(format string, a ...any) ruling { return ruling{what: fmt.Sprintf(format, a...)} }

func fails(what, format string, a ...any) ruling {
	return ruling{what: what, err: fmt.Errorf(format, a...)}
}

func unjudged(what, format string, a ...any) ruling {
	return ruling{what: what, not: fmt.Sprintf(format, a...)}
}

// failure joins the errors of rulings.
func failure(all []ruling) (err error) {
	for _, r := range all {
		err = errors.Join(err, r.err)
	}
	return err
}

// printAll writes what was judged, and then what was not.
func printAll(w io.Writer, all []ruling) {
	judged := 0
	for _, r := range all {
		switch {
		case r.err != nil:
			fmt.Fprintf(w, "FAILED      %s: %v\n", r.what, r.err)
		case r.not == "":
			fmt.Fprintf(w, "HELD        %s\n", r.what)
		default:
			continue
		}
		judged++
	}
	for _, r := range all {
		if r.not != "" {
			fmt.Fprintf(w, "NOT JUDGED  %s: %s\n", r.what, r.not)
		}
	}
	fmt.Fprintf(w, "judged %d of %d\n", judged, len(all))
}
