package main

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/schemas"
	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/status"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/internal/buildinfo"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// operatorPages are the pages for operators below docs/use, by name.
var operatorPages = [...]string{"failures", "flags-and-metrics", "tasks"}

// operatorPage returns a page for operators.
func operatorPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/use/" + name + ".md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// section returns the part of docs/use/flags-and-metrics.md below a heading, up to the next of the same
// level.
func section(t *testing.T, heading string) string {
	t.Helper()
	doc := operatorPage(t, "flags-and-metrics")
	level, _, _ := strings.Cut(heading, " ")
	_, text, found := strings.Cut("\n"+doc, "\n"+heading+"\n")
	if !found {
		t.Fatalf("docs/use/flags-and-metrics.md has no heading %q", heading)
	}
	for _, next := range []string{"\n" + level + " ", "\n" + level[1:] + " "} {
		if strings.TrimSpace(next) != "" {
			text, _, _ = strings.Cut(text, next)
		}
	}
	return text
}

// rows returns the cells of the first table in a text, without its head.
func rows(text string) (all [][]string) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			if all != nil {
				break
			}
			continue
		}
		cells := strings.Split(strings.TrimSpace(line), "|")
		cells = cells[1 : len(cells)-1]
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		all = append(all, cells)
	}
	if len(all) < 2 {
		return nil
	}
	return all[2:]
}

// items returns the name and the text of the items of the first list in a text whose names are code.
func items(text string) (all [][]string) {
	for line := range strings.Lines(text) {
		name, text, found := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case found && strings.HasPrefix(name, "- `"):
			all = append(all, []string{strings.TrimPrefix(name, "- "), text})
		case all != nil:
			return all
		}
	}
	return all
}

// TestFlagsAreDocumented compares the tables of flags with --help: groups, flags and their order,
// defaults and texts.
func TestFlagsAreDocumented(t *testing.T) {
	text := section(t, "## Flags")
	var titles []string
	for _, g := range new(options).groups() {
		titles = append(titles, g.title)
		var want [][]string
		g.flags.VisitAll(func(f *pflag.Flag) {
			_, usage := pflag.UnquoteUsage(f)
			value := ""
			if f.DefValue != "" && f.DefValue != "[]" {
				value = "`" + f.DefValue + "`"
			}
			want = append(want, []string{"`--" + f.Name + "`", value, usage})
		})
		got := rows(section(t, "### "+g.title))
		for i := range max(len(got), len(want)) {
			switch {
			case i >= len(want):
				t.Errorf("%s: there is no flag %s", g.title, got[i][0])
			case i >= len(got):
				t.Errorf("%s: no row | %s | | |", g.title, strings.Join(want[i], " | "))
			case len(got[i]) != 4 || !slices.Equal(got[i][:3], want[i]) || got[i][3] == "":
				t.Errorf("%s: the row is\n%q\nwant\n%q and when to change it", g.title, got[i], want[i])
			}
		}
	}
	var documented []string
	for _, m := range regexp.MustCompile(`(?m)^### (.+)$`).FindAllStringSubmatch(text, -1) {
		documented = append(documented, m[1])
	}
	if !slices.Equal(documented, titles) {
		t.Errorf("the headings are %q, want %q", documented, titles)
	}
}

// TestFixedLimitsAreDocumented compares the table of limits that are not flags with the constants.
func TestFixedLimitsAreDocumented(t *testing.T) {
	bytes := func(s size) string { return s.String() }
	eachCPU := func(n, cpus int) string { return fmt.Sprintf("%d for each CPU", n/cpus) }
	cpus, d := goruntime.GOMAXPROCS(0), module.Limits{}.WithDefaults()
	want := []string{
		bytes(size(d.DirectoryBytes)), d.CompileTime.String(), settleTime.String(), pollInterval.String(),
		eachCPU(d.ModuleInstances, cpus), d.InstanceWait.String(), d.IdleTime.String(), strconv.Itoa(maxObjects), strconv.Itoa(maxDepth),
		eachCPU(maxInFlight(), cpus), strconv.Itoa(maxQueue), queueTimeout.String(), startGrace.String(),
	}
	var got []string
	for _, cells := range rows(section(t, "## Fixed limits")) {
		if len(cells) != 3 || slices.Contains(cells, "") {
			t.Errorf("an incomplete row: %q", cells)
			continue
		}
		got = append(got, cells[1])
	}
	if !slices.Equal(got, want) {
		t.Errorf("the table has the values\n%q\nwant\n%q", got, want)
	}
}

// metricRow is the description of a metric, as a row of the table.
type metricRow struct{ name, kind, labels, help string }

// collected is a registerer that records the metrics.
type collected struct {
	prometheus.Registerer
	rows map[string]metricRow
}

var describes = regexp.MustCompile(`^Desc\{fqName: "([^"]+)", help: "(.*?)"(?:, unit: "[^"]*")?, constLabels: \{(.*)\}, variableLabels: \{(.*)\}\}$`)

func (c *collected) MustRegister(all ...prometheus.Collector) {
	for _, collector := range all {
		descriptions := make(chan *prometheus.Desc, 10)
		collector.Describe(descriptions)
		close(descriptions)
		for d := range descriptions {
			m := describes.FindStringSubmatch(d.String())
			if m == nil {
				panic("a description of another form: " + d.String())
			}
			labels := strings.FieldsFunc(m[4], func(r rune) bool { return r == ',' })
			for _, constant := range strings.Split(m[3], ",") {
				if name, _, ok := strings.Cut(constant, "="); ok {
					labels = append(labels, name)
				}
			}
			kind := "gauge"
			switch collector.(type) {
			case *prometheus.CounterVec:
				kind = "counter"
			case *prometheus.HistogramVec, prometheus.Histogram:
				kind = "histogram"
			case prometheus.Gauge:
			case prometheus.Counter:
				kind = "counter"
			default: // a function: CounterFunc and GaugeFunc are one type
				if strings.HasSuffix(m[1], "_total") {
					kind = "counter"
				}
			}
			slices.Sort(labels)
			c.rows[m[1]] = metricRow{m[1], kind, strings.Join(labels, " "), strings.ReplaceAll(m[2], `\"`, `"`)}
		}
	}
	c.Registerer.MustRegister(all...)
}

// allMetrics returns every metric of the gateway itself.
func allMetrics(t *testing.T) map[string]metricRow {
	t.Helper()
	c := &collected{prometheus.NewRegistry(), map[string]metricRow{}}
	serve.NewMetrics(c)
	if _, err := runtime.New(runtime.Config{Dir: t.TempDir(), Registerer: c, OnSet: func(*runtime.Set) {}}); err != nil {
		t.Fatal(err)
	}
	schemas.New(schemas.Config{Registerer: c})
	c.MustRegister(status.RequiredMetric(nil, nil), status.PullMetric{})
	c.MustRegister(buildMetric(buildinfo.Read()))
	return c.rows
}

// namedMetrics are the metrics that pages and alerts for operators name: those of the gateway, and
// those of the controller.
func namedMetrics(t *testing.T) map[string]metricRow {
	t.Helper()
	metrics := allMetrics(t)
	metrics["crosswalk_controller_unconvertible_objects"] = metricRow{labels: "definition"}
	return metrics
}

// kindOf returns the type of a metric that the page derives from its name.
func kindOf(name string) string {
	switch {
	case strings.HasSuffix(name, "_total"):
		return "counter"
	case strings.HasSuffix(name, "_duration_seconds"), strings.HasSuffix(name, "_body_bytes"):
		return "histogram"
	}
	return "gauge"
}

// TestMetricsAreDocumented compares the list of metrics with the code: names, types, labels and
// texts.
func TestMetricsAreDocumented(t *testing.T) {
	want := allMetrics(t)
	for _, cells := range items(section(t, "## Metrics")) {
		name, list, _ := strings.Cut(strings.Trim(cells[0], "`}"), "{")
		labels := strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
		slices.Sort(labels)
		got := metricRow{name, kindOf(name), strings.Join(labels, " "), cells[1]}
		if m, ok := want[got.name]; !ok {
			t.Errorf("%s is documented and does not exist", got.name)
		} else if m != got {
			t.Errorf("documented as\n%+v\nwant\n%+v", got, m)
		}
		delete(want, got.name)
	}
	for _, m := range want {
		t.Errorf("no item \"- `%s{%s}`: %s\"", m.name, strings.ReplaceAll(m.labels, " ", ","), m.help)
	}
}

// TestAlertsNameMetrics: alerts use metrics and labels that exist. Prometheus adds the namespace of a
// pod.
func TestAlertsNameMetrics(t *testing.T) {
	metrics := namedMetrics(t)
	selector := regexp.MustCompile(`(crosswalk_\w+)(?:\{([^}]*)\})?`)
	label, by := regexp.MustCompile(`(\w+)\s*[!=]~?`), regexp.MustCompile(`by \(([^)]*)\)`)
	if len(alertRules) < 15 {
		t.Fatalf("%d alerts", len(alertRules))
	}
	for _, rule := range alertRules {
		found := selector.FindAllStringSubmatch(rule.expr, -1)
		if found == nil {
			t.Errorf("%s: no metric in %s", rule.name, rule.expr)
		}
		for _, s := range found {
			m, ok := metrics[s[1]]
			if base, cut := strings.CutSuffix(s[1], "_bucket"); cut {
				m, ok = metrics[base]
				m.labels += " le"
			}
			if !ok {
				t.Errorf("%s: there is no metric %s", rule.name, s[1])
				continue
			}
			var used []string
			for _, l := range label.FindAllStringSubmatch(s[2], -1) {
				used = append(used, l[1])
			}
			for _, l := range by.FindAllStringSubmatch(rule.expr, -1) {
				used = append(used, strings.Split(l[1], ", ")...)
			}
			for _, l := range used {
				if l != "namespace" && !slices.Contains(strings.Fields(m.labels), l) {
					t.Errorf("%s: %s has no label %s", rule.name, s[1], l)
				}
			}
		}
	}
}

// TestModuleFieldsAreDocumented: the lists of /modules have every field, in order.
func TestModuleFieldsAreDocumented(t *testing.T) {
	for heading, of := range map[string]reflect.Type{
		"### /modules: modules": reflect.TypeFor[runtime.Status](), "### /modules: schemas": reflect.TypeFor[schemas.Status](),
		"### /modules: conversions": reflect.TypeFor[status.Work](),
	} {
		var got, want []string
		for _, cells := range items(section(t, heading)) {
			got = append(got, strings.Trim(cells[0], "`"))
		}
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			want = append(want, name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has the items\n%q\nwant\n%q", heading, got, want)
		}
	}
	description := section(t, "### /modules: modules")
	of := reflect.TypeFor[module.Description]()
	for i := range of.NumField() {
		if name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); !strings.Contains(description, fmt.Sprintf("`%s`", name)) {
			t.Errorf("a module's %s is not documented", name)
		}
	}
}

// TestPagesNameFlagsAndMetrics looks up every flag and metric that the pages for operators name.
func TestPagesNameFlagsAndMetrics(t *testing.T) {
	flags := map[string]bool{"help": true, "cacert": true, "to": true, "server-side": true, "overwrite": true, // those of other programs
		"key": true, "bundle": true, "output-signature": true, "new-bundle-format": true, "signing-config": true, "type": true, "post-renderer": true,
		"tlog-upload": true, "insecure-ignore-tlog": true, "yes": true, "watch": true, "print": true, "force-conflicts": true, "convertible": true, "live": true}
	for _, g := range new(options).groups() {
		g.flags.VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
	}
	metrics := namedMetrics(t)
	for _, name := range operatorPages {
		doc := operatorPage(t, name)
		for _, m := range regexp.MustCompile(`--([a-z][a-z0-9-]+)`).FindAllStringSubmatch(doc, -1) {
			if !flags[m[1]] {
				t.Errorf("%s.md: there is no flag --%s", name, m[1])
			}
		}
		for _, metric := range regexp.MustCompile(`crosswalk_[a-z_]+`).FindAllString(doc, -1) {
			if _, ok := metrics[strings.TrimSuffix(metric, "_bucket")]; !ok {
				t.Errorf("%s.md: there is no metric %s", name, metric)
			}
		}
	}
}
