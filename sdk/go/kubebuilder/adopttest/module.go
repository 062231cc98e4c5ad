package adopttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// answer is the module's result for an object.
type answer struct {
	text    []byte
	refusal string
}

// module has the objects converted by a module, as a gateway with its default limits does it.
func (c *comparison) module(name string, objects []object) ([]answer, error) {
	program := os.Getenv("CROSSWALK")
	if program == "" {
		program = "crosswalk"
	}
	var list bytes.Buffer
	list.WriteByte('[')
	for i, o := range objects {
		if i > 0 {
			list.WriteByte(',')
		}
		list.Write(o.text)
	}
	list.WriteByte(']')
	module, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	command := exec.Command(program, "convert", "--each", "--fragments", "--quiet", "--to", c.to.apiVersion, module)
	command.Stdin = &list
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 && len(out) > 0 {
		err = nil // objects are refused
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(command.Args, " "), err, stderr.Bytes())
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(lines) != len(objects) {
		return nil, fmt.Errorf("%s answered with %d lines for %d objects: %s", strings.Join(command.Args, " "), len(lines), len(objects), stderr.Bytes())
	}
	answers := make([]answer, len(lines))
	for i, line := range lines {
		var refused struct{ Refused *string }
		if err := json.Unmarshal(line, &refused); err == nil && refused.Refused != nil {
			answers[i].refusal = *refused.Refused
		} else {
			answers[i].text = line
		}
	}
	return answers, nil
}
