package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "write the files that tests compare with anew")

// TestAlertTable compares the rules for Prometheus with alertRules, which has their expressions, and
// with the table of alerts in docs/use/flags-and-metrics.md, which has their descriptions.
func TestAlertTable(t *testing.T) {
	alerts := rows(section(t, "## Alerts"))
	for _, cells := range alerts {
		name := anchored.ReplaceAllString(cells[0], "")
		if want := `<a id="` + anchorOf(name) + `"></a>` + name; cells[0] != want {
			t.Errorf("the row %q must begin with %s: the alert's runbook_url leads there", cells[0], want)
		}
		cells[0] = name
	}
	groups := alertGroups(t, alerts)
	for file, want := range map[string]string{
		"../../deploy/chart/files/alerts.yaml":        generated + groups,
		"../../deploy/examples/monitoring/rules.yaml": generated + prometheusRule + indented(groups),
	} {
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s differs from the table; go test ./cmd/gateway -run TestAlertTable -update rewrites it. The table has\n%s", file, want)
		}
	}
}

const (
	generated = `# The alerts of docs/use/flags-and-metrics.md, "Alerts", which has them made: go test ./cmd/gateway -run TestAlertTable -update
`
	prometheusRule = `apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: crosswalk
spec:
`
	// runbook is the page that an alert links to, at its row. A test of internal/testing/links follows
	// it.
	runbook = "https://github.com/crosswalk-gateway/crosswalk/blob/main/docs/use/flags-and-metrics.md#"
)

// anchored is the anchor of an alert's row.
var anchored = regexp.MustCompile(`^<a id="[^"]*"></a>`)

// anchorOf returns the anchor of an alert.
func anchorOf(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(name), " ", "-"), "'", "")
}

// indented returns a text with two spaces before each line.
func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

// alertGroups returns the rows as a rule file of Prometheus.
func alertGroups(t *testing.T, alerts [][]string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("groups:\n- name: crosswalk\n  rules:\n")
	for _, window := range [...]string{"5m", "30m", "1h", "6h"} {
		fmt.Fprintf(&b, "  - record: crosswalk:review_errors:ratio_rate%s\n    expr: 'sum(rate(crosswalk_review_failures_total{reason!=\"refused\"}[%[1]s])) / sum(rate(crosswalk_reviews_total[%[1]s]))'\n", window)
	}
	link := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	if len(alerts) != len(alertRules) {
		t.Errorf("the page has %d alerts, and alertRules %d", len(alerts), len(alertRules))
	}
	for i, cells := range alerts {
		if i >= len(alertRules) || len(cells) != 3 || slices.Contains(cells, "") || cells[0] != alertRules[i].name {
			t.Errorf("row %q must have an alert in the order of alertRules, its meaning and the remedy", cells)
			continue
		}
		rule := alertRules[i]
		fmt.Fprintf(&b, "  - alert: %s\n    expr: %s\n", alertName(rule.name), quoted(rule.expr))
		if rule.during != "" {
			fmt.Fprintf(&b, "    for: %s\n", rule.during)
		}
		severity := "warning"
		if rule.critical {
			severity = "critical"
		}
		meaning := link.ReplaceAllString(strings.TrimSuffix(cells[1], ".")+". "+strings.TrimSuffix(cells[2], ".")+".", "$1")
		fmt.Fprintf(&b, "    labels: {severity: %s}\n    annotations:\n      summary: %s\n      description: %s\n      runbook_url: %s\n      offline: %s\n",
			severity, quoted("Crosswalk: "+cells[0]), quoted(meaning), runbook+anchorOf(cells[0]), quoted(fmt.Sprintf("crosswalk docs flags-and-metrics#%s, or /docs/use/flags-and-metrics.md#%[1]s on the admin port", anchorOf(cells[0]))))
	}
	return b.String()
}

// alertName makes an alert's name from words: "a module's file has gone" is
// CrosswalkModuleFileHasGone.
func alertName(words string) string {
	name := "Crosswalk"
	for _, word := range strings.Fields(strings.ReplaceAll(words, "'s", "")) {
		if word == "a" || word == "the" {
			continue
		}
		letters := []rune(word)
		name += string(unicode.ToUpper(letters[0])) + string(letters[1:])
	}
	return name
}

// quoted returns a text in YAML's single quotes.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
