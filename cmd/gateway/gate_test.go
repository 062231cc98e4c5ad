package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"os"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/widgets"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// TestGateSaysWhy loads a bad file for each kind of reason, once with a good version that serves
// and once without. The good version must stay, and the log, the metrics, /modules, the status page
// and, without a good version, the user's message must have the reason.
func TestGateSaysWhy(t *testing.T) {
	read := func(path string) string {
		t.Helper()
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	hostile := func(name string) string { return read("../../runtime/testdata/" + name + ".wasm") }
	packed := func(content string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write([]byte(content)) // writing to a bytes.Buffer does not fail
		_ = w.Close()
		return b.String()
	}
	good := read("testdata/one.wasm")
	tests := []struct {
		name, ending, content, sidecar string
		want                           string
	}{
		{"Pin", ".wasm", good, "sha256: " + strings.Repeat("0", 64) + "\n", "pins sha256 000000000000, and "},
		{"Sidecar", ".wasm", good, "state: [", ".yaml is not YAML: line 1: "},
		{"Golden", ".wasm", read("testdata/two.wasm"), "cases: [{from: v1, to: v2, object: {}, want: {spec: {module: one}}}]\n", "the module's answer differs from want in spec.module (want \"one\", got \"two\")"},
		{"Format", ".wasm", "no module at all", "", "not a module that can be run: module, byte 0: does not begin like a WebAssembly module"},
		{"Scan", ".wasm", hostile("m03_table"), "", "table section, byte 34: a table of 134217728 elements; 131072 are allowed"},
		{"Vet", ".wasm", hostile("m09_start_trap"), "", "starting the module: the module trapped: unreachable"},
		{"Abi", ".wasm", read("testdata/none.wasm"), "", "the module does not export crosswalk_abi_v1, "},
		{"Describe", ".wasm", hostile("describe_garbage"), "", "does not return JSON"},
		{"Inflated", ".wasm.gz", packed(strings.Repeat("\x00", 2<<20)), "", "the module inflates to more than 1048576 bytes (--max-module-bytes)"},
		{"Packed", ".wasm.gz", packed(good) + strings.Repeat("x", 2<<20), "", "it is too large: the limit is 1048576 bytes"},
		{"Copied", ".wasm.gz", packed(good)[:60], "", "the gzip file is truncated: copy it again"},
	}
	file := func(prefix, name, ending string) string { return prefix + name + ".example.com_v1_v2" + ending }

	p := start(t, "--max-module-bytes", "1Mi")
	for _, tc := range tests {
		if tc.sidecar != "" {
			widgets.Put(t, p.modules, file("None", tc.name, ".yaml"), tc.sidecar)
		}
		widgets.Put(t, p.modules, file("None", tc.name, tc.ending), tc.content)
		first := good
		if tc.ending != ".wasm" {
			first = packed(good)
		}
		widgets.Put(t, p.modules, file("Last", tc.name, tc.ending), first)
	}
	status := func() map[string]runtime.Status {
		t.Helper()
		var list []runtime.Status
		if _, text := p.get(t, "/modules"); json.Unmarshal([]byte(text), &list) != nil {
			t.Fatalf("/modules: %s", text)
		}
		byFile := map[string]runtime.Status{}
		for _, st := range list {
			byFile[st.File] = st
		}
		return byFile
	}
	until := func(event string, ok func(map[string]runtime.Status) bool) map[string]runtime.Status {
		t.Helper()
		var s map[string]runtime.Status
		eventually.Succeeds(t, event, func() error {
			if s = status(); ok(s) {
				return nil
			}
			errs := []error{fmt.Errorf("%d files", len(s))}
			for name, st := range s {
				errs = append(errs, fmt.Errorf("%s: %s, %s", name, st.State, st.LastError))
			}
			return errors.Join(errs...)
		})
		return s
	}
	until("all are there", func(s map[string]runtime.Status) bool {
		for _, tc := range tests {
			if s[file("Last", tc.name, tc.ending)].State != runtime.StateServing || s[file("None", tc.name, tc.ending)].LastError == "" {
				return false
			}
		}
		return true
	})
	for _, tc := range tests {
		if tc.sidecar != "" {
			widgets.Put(t, p.modules, file("Last", tc.name, ".yaml"), tc.sidecar)
		}
		widgets.Put(t, p.modules, file("Last", tc.name, tc.ending), tc.content)
	}
	statuses := until("all bad files are refused", func(s map[string]runtime.Status) bool {
		for _, tc := range tests {
			if s[file("Last", tc.name, tc.ending)].LastError == "" {
				return false
			}
		}
		return true
	})
	_, metrics := p.get(t, "/metrics")
	_, page := p.get(t, "/")
	convert := func(kind string) string {
		t.Helper()
		_, text, err := p.post(fmt.Sprintf(`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-1","desiredAPIVersion":"example.com/v2",`+
			`"objects":[{"apiVersion":"example.com/v1","kind":%q,"metadata":{"name":"a","namespace":"b","uid":"c"}}]}}`, kind))
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Response struct {
				Result struct{ Status, Message string }
			}
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return answer.Response.Result.Status + ": " + answer.Response.Result.Message
	}

	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			last, none := file("Last", tc.name, tc.ending), file("None", tc.name, tc.ending)
			for name, state := range map[string]string{last: runtime.StateServing, none: runtime.StateFailed} {
				st := statuses[name]
				if st.State != state || !strings.Contains(st.LastError, tc.want) {
					t.Errorf("/modules: %s: %+v", name, st)
				}
				if want := fmt.Sprintf("crosswalk_module_last_reload_successful{module=%q} 0\n", name); !strings.Contains(metrics, want) {
					t.Errorf("the metrics have no %s", want)
				}
				if !strings.Contains(html.UnescapeString(page), st.LastError) {
					t.Errorf("the status page does not have: %s", st.LastError)
				}
			}
			if got := convert("Last" + tc.name); got != "Success: " {
				t.Errorf("the previous version does not serve: %s", got)
			}
			want := fmt.Sprintf("Failed: no module converts None%s.example.com from v1 to v2: module %s exists but is not loaded: %s", tc.name, none, statuses[none].LastError)
			if got := convert("None" + tc.name); got != want {
				t.Errorf("a user sees\n%s, not\n%s", got, want)
			}
		})
	}
	_ = p.signal(t, os.Interrupt)
	for line := range p.output.all { // until the gateway exits
		p.output.seen.WriteString(line + "\n")
	}
	logged := map[string]string{}
	for line := range strings.Lines(p.output.seen.String()) {
		var l struct{ Msg, Module, Err, Instead string }
		if json.Unmarshal([]byte(line), &l) == nil && l.Msg == "module refused" {
			logged[l.Module+": "+l.Err] = l.Instead
		}
	}
	for _, tc := range tests {
		for prefix, want := range map[string]string{"Last": "the previous module keeps serving (sha256 ", "None": "nothing converts these versions"} {
			name := file(prefix, tc.name, tc.ending)
			if instead, ok := logged[name+": "+statuses[name].LastError]; !ok || !strings.HasPrefix(instead, want) {
				t.Errorf("the log has no %s: %s (%q)", name, statuses[name].LastError, instead)
			}
		}
	}
}
