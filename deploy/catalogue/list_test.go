package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const oneOperator = `operators:
- name: Disks
  version: v1.2.3
  module: example.com/disks
  packages: [api/v1, api/v2]
  retire: remove it
  kinds:
  - {kind: Disk, group: x.io, crd: crd.yaml}
`

// withLoss is a list whose kind has a loss.
func withLoss(text string) string {
	return strings.Replace(oneOperator, "crd: crd.yaml}", "crd: crd.yaml, losses: [{"+text+"}]}", 1)
}

func TestReadList(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"an operator", oneOperator, ""},
		{"an unknown member", oneOperator + "  colour: red\n", "field colour not found"},
		{"no retirement", strings.Replace(oneOperator, "  retire: remove it\n", "", 1), `operator "Disks": retire must say how to retire the operator's webhook`},
		{"no definition", strings.Replace(oneOperator, ", crd: crd.yaml", "", 1), `operator "Disks": each kind must have kind, group and crd`},
		{"no version", strings.Replace(oneOperator, "v1.2.3", `""`, 1), `operator "Disks": name, version, module, packages and kinds must be set`},
		{"a loss without a quote", withLoss("ways: [v2→v1], paths: [spec.a], reason: r, source: 'a.go:1'"), "Disk: each loss must have ways, paths, reason, source and quote"},
		{"a way without a version", withLoss("ways: [v2→], paths: [spec.a], reason: r, source: 'a.go:1', quote: q"), `Disk: the way "v2→" of a loss must be FROM→TO`},
		{"an operator twice", oneOperator + strings.TrimPrefix(strings.Replace(oneOperator, "Disk,", "Tape,", 1), "operators:\n"), `operator "Disks" is there twice`},
		{"a kind twice", oneOperator + strings.TrimPrefix(strings.Replace(oneOperator, "Disks", "Others", 1), "operators:\n"), "Disk.x.io is a kind of Disks and of Others: a catalogue has each kind once"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "list.yaml")
			if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			list, err := readList(file)
			if tc.want != "" {
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("got %v, want %q", err, tc.want)
				}
				return
			}
			if err != nil || len(list) != 1 {
				t.Fatalf("%d operators, %v", len(list), err)
			}
			if got := strings.Join(list[0].patterns(), " "); got != "example.com/disks/api/v1@v1.2.3 example.com/disks/api/v2@v1.2.3" {
				t.Errorf("packages %q", got)
			}
		})
	}
}

// TestQuotes asserts that a reason does not outlive the operator's text.
func TestQuotes(t *testing.T) {
	dir := t.TempDir()
	const text = "package v1\n\n// Size is lost in v1beta1,\n// which has no such field.\ntype Size int\n"
	if err := os.WriteFile(filepath.Join(dir, "types.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := source{module: dir, files: dir}
	for _, tc := range []struct{ source, quote, want string }{
		{"types.go:5", "type Size int", ""},
		{"types.go:3", "Size is lost in v1beta1, which has no such field.", ""},
		{"types.go:3", "lost in v1beta1,", ""},
		{"types.go:2", "type Size int", "types.go:2 does not have the text"},
		{"types.go:5", "type Size string", "types.go:5 does not have the text"},
		{"types.go:99", "type Size int", "types.go:99 does not have the text"},
		{"types.go", "type Size int", `the source "types.go" of a loss must be FILE:LINE`},
		{"absent.go:1", "x", "reading the source of a loss: "},
	} {
		err := s.quotes(loss{Source: tc.source, Quote: tc.quote})
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tc.want)) {
			t.Errorf("%s %q: got %v, want %q", tc.source, tc.quote, err, tc.want)
		}
	}
}
