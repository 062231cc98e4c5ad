package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestProgramOfAnotherHost takes a converter that was written for hosts that run a process for each
// review, runs it as such a process, and, compiled to WASI without a change, as a module: both must
// convert and refuse alike.
func TestProgramOfAnotherHost(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles a program twice")
	}
	dir := t.TempDir()
	native, module := filepath.Join(dir, "filter"), filepath.Join(dir, "CronTab.example.com_v1beta1_v1.wasm")
	build := func(output string, env ...string) {
		cmd := exec.Command("go", "build", "-trimpath", "-o", output, "./testdata/filter")
		cmd.Env = append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	build(native)
	build(module, "GOOS=wasip1", "GOARCH=wasm")

	const list = `{"apiVersion":"example.com/v1beta1","kind":"CronTab","metadata":{"name":"a","namespace":"n","uid":"1","generation":9007199254740993},"hostPort":"é:80","more":[1.50,{"b":null}]},
		{"apiVersion":"example.com/v1beta1","kind":"CronTab","metadata":{"name":"b","namespace":"n","uid":"2"}}`
	for _, c := range []struct{ name, to, objects, refusal string }{
		{"two objects", "v1", list, ""},
		{"back", "v1beta1", `{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a","namespace":"n","uid":"1"},"host":"h","port":"80"}`, ""},
		{"a refusal", "v1", `{"apiVersion":"example.com/v1beta1","kind":"CronTab","metadata":{"name":"a","namespace":"n","uid":"1"},"hostPort":"h"}`, `hostPort "h" has no port`},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(native)
			cmd.Stdin = strings.NewReader(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"example.com/` +
				c.to + `","objects":[` + c.objects + `]}}`)
			text, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var process struct {
				Response struct {
					ConvertedObjects json.RawMessage
					Result           struct{ Message string }
				}
			}
			if err := json.Unmarshal(text, &process); err != nil || process.Response.Result.Message != c.refusal {
				t.Fatalf("the process says %v: %s", err, text)
			}
			code, out, errors := crosswalk(`{"apiVersion":"v1","kind":"List","items":[`+c.objects+`]}`, "convert", "--to", c.to, module)
			if c.refusal != "" {
				if code == 0 || !strings.Contains(errors, c.refusal) {
					t.Fatalf("the module ends with %d and %q, not with the refusal %q", code, errors, c.refusal)
				}
				return
			}
			if code != 0 {
				t.Fatal(errors)
			}
			got, want := numbered(t, out), numbered(t, string(process.Response.ConvertedObjects))
			if len(got) == 0 || !reflect.DeepEqual(got, want) {
				t.Errorf("the module gives\n%s\nand the process\n%s", out, process.Response.ConvertedObjects)
			}
		})
	}
}

// numbered decodes JSON values, one after the other or in a list, and keeps numbers as they are
// written.
func numbered(t *testing.T, text string) (values []any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	for decoder.More() {
		var v any
		if err := decoder.Decode(&v); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if list, ok := v.([]any); ok {
			return list
		}
		values = append(values, v)
	}
	return values
}
