package operate

import (
	"bytes"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

// TestTablesHoldForeignText: text of an API server makes no row of its own, and no column wide.
func TestTablesHoldForeignText(t *testing.T) {
	const forged = "\nothers.example.com   attached   v1   v1   Service crosswalk-system/crosswalk\n"
	long := forged + strings.Repeat("x", 100<<20)
	short := attach.Row{Name: "short.example.com", State: attach.StateAttached}
	row := attach.Row{
		Name: long, Served: []string{long}, Stored: []string{long}, State: attach.StateOther, Where: "a webhook", Defects: []string{long}, Enforced: []string{long}, Unread: long,
		Writers: []attach.Writer{{Version: long, Manager: long, Operation: long, Object: long}},
	}
	step := attach.Step{Title: long, State: attach.Unknown, Evidence: []string{long}, Remedy: long}
	table := output.Table
	o := planOptions{format: &table}
	plan := &attach.Plan{Definition: "short.example.com", To: "v2", Steps: []attach.Step{step}}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"status": func(b *bytes.Buffer) error {
			return writeRows(b, []contextRow{{Row: &row}, {Row: &short}, {Context: "a", Error: long}})
		},
		"plan": func(b *bytes.Buffer) error { return o.write(b, plan) },
		"plans": func(b *bytes.Buffer) error {
			return o.writeSeveral(b, []contextPlan{{Context: "a", Plan: plan}, {Context: "b", Error: long}})
		},
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Error(err)
		}
		if b.Len() > 100<<10 {
			t.Errorf("%s: %d bytes", name, b.Len())
		}
		if strings.Contains(b.String(), "\nothers.example.com") {
			t.Errorf("%s: a text begins a line:\n%.1000s", name, b.String())
		}
	}
}
