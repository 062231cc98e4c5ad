package adopttest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// answer is the module's result for an object.
type answer struct {
	text    []byte
	refusal string
}

// module has the objects converted by the module, as a gateway with its default limits does it.
func (c *comparison) module(t *testing.T, objects []object) []answer {
	t.Helper()
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
	module, err := filepath.Abs(c.kind.Module)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "convert", "--each", "--quiet", "--to", c.to.apiVersion, module)
	command.Stdin = &list
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", strings.Join(command.Args, " "), err, stderr.Bytes())
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(lines) != len(objects) {
		t.Fatalf("%s answered with %d lines for %d objects: %s", strings.Join(command.Args, " "), len(lines), len(objects), stderr.Bytes())
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
	return answers
}
