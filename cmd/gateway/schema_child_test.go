package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/child"
	"github.com/crosswalk-gateway/crosswalk/internal/schema"
)

func TestVetDefinition(t *testing.T) {
	doc, kept, err := vetDefinition(context.Background(), child.Self, schemaMemory, []byte(widgets("string")))
	if err != nil || kept < 1<<10 || kept > 1<<20 {
		t.Fatalf("%d bytes are kept, %v", kept, err)
	}
	if crd, err := schema.Parse(doc); err != nil || crd.Kind != "Widget" || doc[0] != '{' {
		t.Errorf("%v, %v", crd, err)
	}
	boasts := filepath.Join(t.TempDir(), "boasts") // of a peak that no look at it has seen
	if err := os.WriteFile(boasts, []byte("#!/bin/sh\necho '{\"Peak\":167772161}'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, program, file, want string
		memory                    int
		later                     bool
	}{
		{"an error", child.Self, "kind: Widget", `kind: must be CustomResourceDefinition, not "Widget"`, schemaMemory, false},
		{"an alias", child.Self, "a: &a [x]\nb: *a\n", "the file cannot be read as YAML: line 2: aliases (*a) are not read: write the value out", schemaMemory, false},
		{"too little memory", child.Self, widgets("string"), "reading it takes more than 1 MiB of memory: it is built to exhaust the gateway, or needs fewer schemas", 1 << 20, false},
		{"many values", child.Self, "[" + strings.Repeat("a,", 2<<20-2) + "]", "", 64 << 20, false},
		{"a peak between two looks", boasts, "x", "reading it takes more than 160 MiB of memory: it is built to exhaust the gateway, or needs fewer schemas", schemaMemory, false},
		{"no child", "/does/not/exist", widgets("string"), "it is not read: starting a child process: ", schemaMemory, true},
		{"a child that dies", "/bin/false", widgets("string"), "the process that read it died (exit status 1", schemaMemory, false},
	} {
		doc, _, err := vetDefinition(context.Background(), tc.program, tc.memory, []byte(tc.file))
		if doc != nil || err == nil || !strings.HasPrefix(err.Error(), tc.want) || errors.As(err, new(laterError)) != tc.later {
			t.Errorf("%s: %v\nwant %s", tc.name, err, tc.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := vetDefinition(ctx, child.Self, schemaMemory, nil); !errors.As(err, new(laterError)) {
		t.Errorf("after the end: %v", err)
	}
}

// A definition that could not be read for want of a process is read when there is one, although the file is the same.
func TestDefinitionIsReadLater(t *testing.T) {
	f := newFollowing(t)
	f.program = "/does/not/exist"
	if _, status := f.step(t, map[string]string{widgetsFile: widgets("string")}); !strings.Contains(status, "it is not read: starting a child process") {
		t.Errorf("status %s", status)
	}
	f.program = child.Self
	if f.step(t, nil); f.Find("example.com", "Widget") == nil {
		t.Error("the definition is not read again")
	}
}

// A rule over a bound is a warning with report; with enforce the definition is refused.
func TestDefinitionWithSkippedRules(t *testing.T) {
	bomb := widgets("string, pattern: '" + strings.Repeat("(?:x??){1000}", 100) + "'")
	const skipped = "spec.versions[1].schema.openAPIV3Schema.properties[spec].properties[module].pattern: compiles to some "
	f := newFollowing(t)
	if log, status := f.step(t, map[string]string{widgetsFile: bomb}); !strings.Contains(log, skipped) || !strings.Contains(status, `"warnings":["`+skipped) || f.Find("example.com", "Widget") == nil {
		t.Errorf("logged %s, status %s", log, status)
	}
	f = newFollowing(t)
	f.enforce = true
	if _, status := f.step(t, map[string]string{widgetsFile: bomb}); !strings.Contains(status, `"lastError":"`+skipped) || f.Find("example.com", "Widget") != nil {
		t.Errorf("status %s", status)
	}
}

// All definitions together have a bound.
func TestDefinitionsShareABound(t *testing.T) {
	f := newFollowing(t)
	f.files["other.example.com.crd.yaml"] = &definition{kept: maxSchemas}
	if _, status := f.step(t, map[string]string{widgetsFile: widgets("string")}); !strings.Contains(status, "and with the other definitions more than 256 MiB: simplify the schemas, or take definitions out") {
		t.Errorf("status %s", status)
	}
}
