package adopttest

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
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

// compare compares a module's answer with the result of the types.
func (c *comparison) compare(t *testing.T, o object, a answer) {
	t.Helper()
	if a.refusal != "" || o.refusal != "" {
		if o.refusal == "" && strings.Contains(a.refusal, "its answer has an invalid metadata.") {
			return // random text became a label: an API server would refuse the types' result, too
		}
		decoding := strings.HasPrefix(o.refusal, "decoding: ") // the module has words of its own for it
		if a.refusal == "" || o.refusal == "" || !decoding && !strings.Contains(a.refusal, o.refusal) {
			t.Errorf("refused with %q instead of %q: %s", a.refusal, o.refusal, o.text)
		}
		return
	}
	if version := decode(t, a.text).(map[string]any)["apiVersion"]; version != c.to.apiVersion {
		t.Errorf("the result's apiVersion is %v: %s", version, o.text)
	}
	text := a.text
	if c.kind.Opaque || o.fragment {
		again := reflect.New(c.to.of).Interface() // members that the types always write, and values as they write them
		err := json.Unmarshal(text, again)
		if err == nil {
			text, err = json.Marshal(again)
		}
		if err != nil {
			t.Errorf("the types do not take the result: %v: %s", err, a.text)
			return
		}
	}
	got := normal(t, text)
	if o.fragment {
		c.compareFragment(t, o, a, got)
		return
	}
	if !reflect.DeepEqual(got, o.want) {
		t.Errorf("%s\nbecame  %s\ninstead %s", o.text, encode(t, got), encode(t, o.want))
	}
}

// compareFragment checks that a fragment's result has only members that the types write, and lacks
// only members that they also write for an object with nothing but the fragment's metadata.
func (c *comparison) compareFragment(t *testing.T, o object, a answer, got any) {
	t.Helper()
	whole := decode(t, o.text).(map[string]any)
	bare := map[string]any{"apiVersion": whole["apiVersion"], "kind": whole["kind"], "metadata": whole["metadata"]}
	nothing, paniced := c.native(t, encode(t, bare))
	if paniced || nothing.refusal != "" {
		return
	}
	if reflect.DeepEqual(got, o.want) || equalBut(got, o.want, nothing.want) {
		return
	}
	t.Errorf("the fragment %s\nbecame  %s\ninstead %s", o.text, a.text, encode(t, o.want))
}

// equalBut says whether got is want, but for members that are as in nothing.
func equalBut(got, want, nothing any) bool {
	g, ok := got.(map[string]any)
	w, both := want.(map[string]any)
	if !ok || !both {
		return reflect.DeepEqual(got, want) || reflect.DeepEqual(want, nothing)
	}
	n, _ := nothing.(map[string]any)
	for name := range g {
		if _, ok := w[name]; !ok {
			return false
		}
	}
	for name, member := range w {
		there, ok := g[name]
		if !ok && !reflect.DeepEqual(member, n[name]) || ok && !equalBut(there, member, n[name]) {
			return false
		}
	}
	return true
}

// normal removes the parts that the gateway and the API server set: apiVersion, kind, and the
// metadata except labels and annotations.
func normal(t *testing.T, text []byte) any {
	t.Helper()
	o := decode(t, text).(map[string]any)
	metadata, _ := o["metadata"].(map[string]any)
	delete(o, "apiVersion")
	delete(o, "kind")
	delete(o, "metadata")
	for _, name := range []string{"labels", "annotations"} {
		if value, _ := metadata[name].(map[string]any); len(value) > 0 {
			o["metadata."+name] = value
		}
	}
	return o
}

func decode(t *testing.T, text []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
