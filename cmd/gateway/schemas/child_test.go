package schemas

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/child"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/widgets"
)

func TestReadInChild(t *testing.T) {
	doc, kept, err := readInChild(context.Background(), child.Self(), childMemory, []byte(widgets.Definition("string")))
	if err != nil || kept < 1<<10 || kept > 1<<20 {
		t.Fatalf("%d bytes are kept, %v", kept, err)
	}
	if crd, err := schema.Parse(doc); err != nil || crd.Kind != "Widget" || doc[0] != '{' {
		t.Errorf("%v, %v", crd, err)
	}
	boasts := filepath.Join(t.TempDir(), "boasts") // a child whose peak the samples missed
	if err := os.WriteFile(boasts, []byte("#!/bin/sh\necho '{\"Peak\":167772161}'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	dies := filepath.Join(t.TempDir(), "dies")
	if err := os.WriteFile(dies, []byte("#!/bin/sh\nkill -KILL $$\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, program, file, want string
		memory                    int
		later                     bool
	}{
		{"an error", child.Self(), "kind: Widget", `kind: must be CustomResourceDefinition, not "Widget"`, childMemory, false},
		{"an alias", child.Self(), "a: &a [x]\nb: *a\n", "the file cannot be read as YAML: line 2: aliases (*a) are not read: write the value out", childMemory, false},
		{"too little memory", child.Self(), widgets.Definition("string"), "reading it takes more than 1 MiB of memory: it is built to exhaust the gateway, or has too many schemas: simplify them", 1 << 20, false},
		{"many values", child.Self(), "[" + strings.Repeat("a,", 2<<20-2) + "]", "", 64 << 20, false},
		{"a peak between two looks", boasts, "x", "reading it takes more than 160 MiB of memory: it is built to exhaust the gateway, or has too many schemas: simplify them", childMemory, false},
		{"no child", "/does/not/exist", widgets.Definition("string"), "reading it needs a child process: starting a child process: ", childMemory, true},
		{"a child that somebody kills", dies, widgets.Definition("string"), "the process that read it was killed, by the kernel for lack of memory or by another process: the gateway tries again; ", childMemory, true},
		{"a child that dies", "/bin/false", widgets.Definition("string"), "the process that read it died (exit status 1", childMemory, false},
	} {
		doc, _, err := readInChild(context.Background(), tc.program, tc.memory, []byte(tc.file))
		if doc != nil || err == nil || !strings.HasPrefix(err.Error(), tc.want) || errors.As(err, new(laterError)) != tc.later {
			t.Errorf("%s: %v\nwant %s", tc.name, err, tc.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := readInChild(ctx, child.Self(), childMemory, nil); !errors.As(err, new(laterError)) {
		t.Errorf("after the end: %v", err)
	}
}

// TestDefinitionIsReadLater: a definition that the gateway could not read without a child process
// is read later, although the file is the same.
func TestDefinitionIsReadLater(t *testing.T) {
	f := newFollowing(t)
	f.parser.program = "/does/not/exist"
	if _, status := f.step(t, map[string]string{widgets.File: widgets.Definition("string")}); !strings.Contains(status, "reading it needs a child process: starting a child process") {
		t.Errorf("status %s", status)
	}
	f.parser.program = child.Self()
	if f.step(t, nil); f.Find("example.com", "Widget") == nil {
		t.Error("the definition is not read again")
	}
}

// TestDefinitionWithSkippedRules: a rule that exceeds a limit is a warning with report; with
// enforce the definition is rejected.
func TestDefinitionWithSkippedRules(t *testing.T) {
	bomb := widgets.Definition("string, pattern: '" + strings.Repeat("(?:x??){1000}", 100) + "'")
	const skipped = "spec.versions[1].schema.openAPIV3Schema.properties[spec].properties[module].pattern: compiles to some "
	f := newFollowing(t)
	if log, status := f.step(t, map[string]string{widgets.File: bomb}); !strings.Contains(log, skipped) || !strings.Contains(status, `"warnings":["`+skipped) || f.Find("example.com", "Widget") == nil {
		t.Errorf("logged %s, status %s", log, status)
	}
	f = newFollowing(t)
	f.parser.enforce = true
	if _, status := f.step(t, map[string]string{widgets.File: bomb}); !strings.Contains(status, `"lastError":"`+skipped) || f.Find("example.com", "Widget") != nil {
		t.Errorf("status %s", status)
	}
}

// TestDefinitionsOfOneScanShareABound: two definitions that are new at once have one memory limit.
func TestDefinitionsOfOneScanShareABound(t *testing.T) {
	var properties strings.Builder // so many that the measurement's errors do not count
	for i := range 5000 {
		fmt.Fprintf(&properties, "p%d: {type: string}, ", i)
	}
	widget := widgets.Definition("object, properties: {" + strings.TrimSuffix(properties.String(), ", ") + "}")
	_, kept, err := readInChild(context.Background(), child.Self(), childMemory, []byte(widget))
	if err != nil {
		t.Fatal(err)
	}
	f := newFollowing(t)
	f.parser.most = kept * 3 / 2
	gadget := strings.NewReplacer("Widget", "Gadget", "widget", "gadget").Replace(widget)
	_, status := f.step(t, map[string]string{widgets.File: widget, "gadgets.example.com.crd.yaml": gadget})
	if f.Find("example.com", "Gadget") == nil || f.Find("example.com", "Widget") != nil || !strings.Contains(status, "and with the other definitions more than") {
		t.Errorf("%d bytes of %d; status %s", kept, f.parser.most, status)
	}
}

// TestDefinitionsShareABound: all definitions together have a memory limit.
func TestDefinitionsShareABound(t *testing.T) {
	f := newFollowing(t)
	f.step(t, map[string]string{"gadgets.example.com.crd.yaml": strings.NewReplacer("Widget", "Gadget", "widget", "gadget").Replace(widgets.Definition("string"))})
	f.files["gadgets.example.com.crd.yaml"].kept = MaxMemory
	if _, status := f.step(t, map[string]string{widgets.File: widgets.Definition("string")}); !strings.Contains(status, "and with the other definitions more than 256 MiB: simplify the schemas, remove definitions, or raise --max-definition-bytes") {
		t.Errorf("status %s", status)
	}
}
