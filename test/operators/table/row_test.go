package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/test/operators/list"
)

var machine = list.Operator{Name: "Cluster API", Version: "v1", Kind: "Machine", Form: list.Methods, Packages: []string{"a/v1", "b/v2@v3"}, SetUp: "s.go"}

func TestRowNamesVerdictCoverageAndTimes(t *testing.T) {
	const text = `{"kind":"Machine","verdict":"not shown","reasons":["a|b never ran","second"],"pairs":[
		{"compared":10,"refused":1,"native":100,"module":50,"nativeInAList":80,"moduleInAList":40},
		{"compared":5,"native":90,"module":100,"nativeInAList":0,"moduleInAList":0}],
		"coverage":{"blocks":6,"ran":4}}`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "report.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	read, err := readReport(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := result{command: []string{"crosswalk", "adopt", "a/v1@v1"}, report: read, run: "2026-11-23, 02a4db06"}
	const want = "| Machine of Cluster API v1 | not shown: a¦b never ran; and 1 more (15 objects, 1 refused; 2026-11-23, 02a4db06) | 2.00, 0.90; lists 2.00, – | `crosswalk adopt a/v1@v1` |"
	if got := r.row(machine); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := strings.Count(want, "|"); got != strings.Count(header()[0], "|") {
		t.Errorf("the row has %d bars, the header %d", got, strings.Count(header()[0], "|"))
	}
}

func TestRowNamesErrorWithoutReport(t *testing.T) {
	r := result{command: []string{"crosswalk"}, err: errors.New("it failed: " + strings.Repeat("why ", 100) + "\nmore")}
	got := r.row(machine)
	if !strings.HasPrefix(got, "| Machine of Cluster API v1 | not adopted: it failed: why") || !strings.Contains(got, " … more () | – |") {
		t.Errorf("the row does not have the shortened error: %s", got)
	}
	if strings.Count(got, " | ") != strings.Count(header()[0], " | ") {
		t.Errorf("the row has other columns than the header: %s", got)
	}
}

// TestCauseHasTheEndOfTheOutput asserts that a row says why a program failed, and not only that it did.
func TestCauseHasTheEndOfTheOutput(t *testing.T) {
	for text, want := range map[string]string{
		"one line":             "one line",
		"no cause\nFAIL\nFAIL": "no cause",
		"the module cannot be compared: exit status 1\nok so far\nsignal: killed\nFAIL\tconverter\t3.4s\nFAIL\n": "the module cannot be compared: exit status 1 … signal: killed",
		strings.Repeat("x", 300) + "\nthe cause": strings.Repeat("x", 106) + " … the cause",
	} {
		if got := cause(errors.New(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestRunKeepsOtherRows runs the command with a program that only writes a report.
func TestRunKeepsOtherRows(t *testing.T) {
	dir := t.TempDir()
	program, page := filepath.Join(dir, "program"), filepath.Join(dir, "operators.md")
	report, err := json.Marshal(map[string]any{"verdict": "equal", "pairs": []any{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho '"+string(report)+"' > converter/report.json\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	op := list.All()[0]
	old := "text\n" + begin + strings.Join(header(), "\n") + "\n" + title(op) + " old |\n| Other of Gone v1 | row |\n" + end + "\nafter\n"
	if err := os.WriteFile(page, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	webhooks := filepath.Join(dir, "webhooks.json")
	found, err := json.Marshal(map[string]list.Compared{op.Title(): {Objects: 800, Written: 7, Differing: 3, Run: "today"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(webhooks, found, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(options{program: program, page: page, webhooks: webhooks, setUp: filepath.Join("..", "list", "testdata"), kind: op.Kind, work: filepath.Join(dir, "work")}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"text\n" + begin, title(op) + " equal, but not to the webhook (0 objects; ", "); webhook: 3 of 800 differ, 7 written otherwise, today | – |", "\n" + end + "\nafter\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the file does not have %q: %s", want, text)
		}
	}
	if strings.Contains(string(text), "old |") {
		t.Errorf("the old row is still there: %s", text)
	}
}

// TestTableHasTheComparisonsWithWebhooks asserts that each row says what the programs of oracle found,
// and that no kind is called equal that differs.
func TestTableHasTheComparisonsWithWebhooks(t *testing.T) {
	compared, err := list.ReadCompared(filepath.Join("..", "oracle", "webhooks.json"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "author", "operators.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, op := range list.All() {
		_, rest, ok := strings.Cut(string(page), "\n"+title(op))
		if !ok {
			continue
		}
		row, _, _ := strings.Cut(title(op)+rest, "\n")
		c, there := compared[op.Title()]
		if delete(compared, op.Title()); there {
			rows++
		}
		if want := withWebhook(row, c); row != want {
			t.Errorf("%s: the row has %q: run make operators-oracle", op.Title(), strings.Split(row, " | ")[verdictColumn])
		}
		if c.Differing > 0 && strings.Contains(row, "| equal (") {
			t.Errorf("%s is called equal, and %d of %d objects differ from the webhook's", op.Title(), c.Differing, c.Objects)
		}
	}
	if len(compared) > 0 || rows == 0 {
		t.Errorf("of the comparisons with webhooks, %d have a row, and %v have none", rows, slices.Collect(maps.Keys(compared)))
	}
}

// TestVerdictOfADifferingWebhook asserts that a row takes back that a kind is equal if the webhook
// differs, and says it again when it no longer does.
func TestVerdictOfADifferingWebhook(t *testing.T) {
	const row = "| A of B v1 | %s (10 objects; today)%s | 1.00 |"
	differs, agrees := list.Compared{Objects: 9, Differing: 1, Run: "today"}, list.Compared{Objects: 9, Run: "today"}
	at := fmt.Sprintf(row, "equal", "")
	for _, step := range []struct {
		c    list.Compared
		want string
	}{
		{differs, fmt.Sprintf(row, "equal, but not to the webhook", "; webhook: 1 of 9 differ, today")},
		{differs, fmt.Sprintf(row, "equal, but not to the webhook", "; webhook: 1 of 9 differ, today")},
		{agrees, fmt.Sprintf(row, "equal", "; webhook: 0 of 9 differ, today")},
	} {
		if at = withWebhook(at, step.c); at != step.want {
			t.Errorf("%+v: %s, want %s", step.c, at, step.want)
		}
	}
	if shown := fmt.Sprintf(row, "not shown: x", ""); withWebhook(shown, differs) != fmt.Sprintf(row, "not shown: x", "; webhook: 1 of 9 differ, today") {
		t.Errorf("another verdict changed: %s", withWebhook(shown, differs))
	}
}
