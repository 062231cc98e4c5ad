package main

import (
	"strings"
	"testing"
)

func TestPage(t *testing.T) {
	op := &operator{Name: "Disks", Version: "v1.2.3", Module: "example.com/disks", Package: []string{"api/v1", "api/v2"}, Web: "https://example.com/disks/blob/v1.2.3", Retire: "Remove `/convert`.\n"}
	index := Index{Entries: []Entry{
		{Operator: "Others", Kind: "Drum", Group: "y.io"},
		{Operator: "Disks", Version: "v1.2.3", Kind: "Disk", Group: "x.io", Versions: []string{"v2", "v1"}, Repository: "disk.x.io", Digest: "sha256:0", Verdict: Equal, Compared: 99, Blocks: 5, Ran: 4, Cases: 2,
			Accepted: []string{"accept uncovered a.go:1-2: never"},
			Losses: []Loss{
				{From: "v1", To: "v2", Path: "spec.a", Property: "lost", Class: "value", Reason: "v1 has no a (a.go:7)"},
				{From: "v2", To: "v1", Path: "spec.a", Property: "lost", Class: "value", Reason: "v1 has no a (a.go:7)"},
				{From: "v2", To: "v1", Path: "spec.a", Property: "changed", Class: "value", Reason: "v1 has no a (a.go:7)"},
				{From: "v2", To: "v1", Path: "spec.b", Property: "lost", Class: "empty", Reason: "v1 has no a (a.go:7)"},
				{From: "v2", To: "v1", Path: "spec.c", Property: "added", Class: "empty", Reason: "Go | zero (b.go:8)"},
			}},
		{Operator: "Disks", Version: "v1.2.3", Kind: "Tape", Group: "x.io", Verdict: "not equal", Reasons: []string{"9 of 99 objects differ"}, Versions: []string{"v2"}},
	}}
	got := page(op, index)
	for _, want := range []string{
		"# Disks v1.2.3\n\nModules of the conversions of [Disks](https://example.com/disks), from the [catalogue](../../docs/use/catalogue.md).\n",
		"| Disk.x.io | v2, v1 | equal | 99 | 4 of 5 blocks | 2 | `disk.x.io:v1.2.3` |\n| Tape.x.io | v2 | not equal, not published | 0 | – | 0 | – |\n",
		"    crosswalk adopt example.com/disks/api/v1@v1.2.3 \\\n        example.com/disks/api/v2@v1.2.3\n",
		"## Disk: not shown by the comparison, and accepted\n\n- uncovered a.go:1-2: never\n",
		"| `spec.a` lost, changed; empty values gained or lost: `spec.b` | v1→v2, v2→v1 | v1 has no a ([a.go:7](https://example.com/disks/blob/v1.2.3/a.go#L7)) |\n",
		"| empty values gained or lost: `spec.c` | v2→v1 | Go \\| zero ([b.go:8](https://example.com/disks/blob/v1.2.3/b.go#L8)) |\n",
		"## Tape is not published\n\n9 of 99 objects differ\n",
		"For Disks:\n\nRemove `/convert`.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "Drum") {
		t.Error("the page has a kind of another operator")
	}
}
