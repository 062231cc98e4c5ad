package verify

import (
	"errors"
	"io"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

// reported runs a command that may write annotations. If the command ends with an error before it has
// written any, reported writes the error as one: programs that read SARIF reject an empty file, and
// take one without results for a success. file is the first that the user named.
func reported(s command.Streams, format output.Format, file string, run func(s command.Streams) error) error {
	if format != output.GitHub && format != output.SARIF {
		return run(s)
	}
	out := &counter{Writer: s.Out}
	inner := s
	inner.Out = out
	err := run(inner)
	if err == nil || errors.Is(err, command.ErrFound) || out.written {
		return err
	}
	return errors.Join(err, output.WriteAnnotations(s.Out, format, []output.Annotation{failure(err, file)}, map[string]string{
		"module-refused": "A gateway does not serve a module",
		"not-checked":    "A command ended with an error before it had checked everything",
	}))
}

// failure returns the annotation of the error that ended a command.
func failure(err error, file string) output.Annotation {
	a := output.Annotation{Rule: "not-checked", Level: output.LevelError, Title: "the check did not run to its end", Message: err.Error(), File: file}
	var refused modules.RefusedError
	if errors.As(err, &refused) {
		a.Rule, a.Title, a.File = "module-refused", "a gateway does not serve this module", refused.File
	}
	return a
}

// counter records whether anything was written.
type counter struct {
	io.Writer
	written bool
}

func (c *counter) Write(p []byte) (int, error) {
	c.written = c.written || len(p) > 0
	return c.Writer.Write(p)
}

// ended returns the error that ended a command with some results. A report for a program has them, and
// a failure for the error.
func ended(report *output.Report, format output.Format, file string, err error) error {
	if format != output.GitHub && format != output.SARIF && format != output.JUnit || report.Results() == 0 {
		return err
	}
	report.Add(output.Result{File: file, Module: file, Check: "the check runs to its end", Verdict: output.Fail, Why: err.Error()})
	return errors.Join(err, report.Close())
}
