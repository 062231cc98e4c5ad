package monitoring

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
)

const dashboardFile = "../../deploy/chart/files/dashboard.json"

// panel is a part of Grafana's model of a dashboard.
type panel struct {
	Title, Type string
	GridPos     struct{ X, Y, W, H int }
	FieldConfig struct{ Defaults struct{ Unit string } }
	Targets     []struct{ Expr, LegendFormat string }
}

func dashboard(t *testing.T) []panel {
	t.Helper()
	text, err := os.ReadFile(dashboardFile)
	var d struct{ Panels []panel }
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d.Panels
}

// expression replaces Grafana's variables.
func expression(expr string) string {
	return strings.NewReplacer("$namespace", ".*", "$pod", ".*", "$__rate_interval", "2m").Replace(expr)
}

// selected returns the names of the metrics in an expression.
func selected(t *testing.T, expr string) (names []string) {
	t.Helper()
	e, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	parser.Inspect(e, func(node parser.Node, _ []parser.Node) error {
		if v, ok := node.(*parser.VectorSelector); ok {
			names = append(names, v.Name)
		}
		return nil
	})
	return names
}

// TestQueriesOnRealMetrics evaluates each query of the dashboard on the metrics of a gateway that
// converted, refused and rejected, and looks up each metric of the alerts there.
func TestQueriesOnRealMetrics(t *testing.T) {
	storage, names, first, last := history(t)
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute, EnableAtModifier: true})
	exists := func(of, expr string) {
		metrics := selected(t, expr)
		for _, name := range metrics {
			if !names[name] && !strings.HasPrefix(name, "crosswalk_controller_") { // tests of the controller read those
				t.Errorf("%s: the gateway has no metric %s", of, name)
			}
		}
		if len(metrics) == 0 {
			t.Errorf("%s: %s selects nothing", of, expr)
		}
	}
	for _, rule := range group(t, nil).Rules() { // in the order of their evaluation
		exists(rule.Name(), rule.Query().String())
		if _, records := rule.(*rules.RecordingRule); records {
			names[rule.Name()] = true
		}
	}
	queries := 0
	panels := dashboard(t)
	for _, p := range panels {
		for _, target := range p.Targets {
			queries++
			expr := expression(target.Expr)
			exists(p.Title, expr)
			q, err := engine.NewInstantQuery(t.Context(), storage, nil, expr, last)
			if err != nil {
				t.Errorf("%s: %v", p.Title, err)
				continue
			}
			result := q.Exec(t.Context())
			vector, err := result.Vector()
			if err != nil || len(result.Warnings) > 0 {
				t.Errorf("%s: %s: %v %v", p.Title, expr, err, result.Warnings)
			}
			numbers := 0
			for _, sample := range vector {
				if !math.IsNaN(sample.F) {
					numbers++
				}
			}
			if numbers == 0 {
				t.Errorf("%s: %s has no value: %v", p.Title, expr, vector)
			}
			q.Close()
		}
	}
	if queries < 20 {
		t.Errorf("%d queries", queries)
	}
	if file := os.Getenv("CROSSWALK_DASHBOARD_SVG"); file != "" {
		draw(t, file, panels, engine, storage, first, last)
	}
}

// TestStatsCountDefinitions evaluates panels that once counted modules and --require alone, and the
// one that was empty while no pod existed.
func TestStatsCountDefinitions(t *testing.T) {
	suite, err := promqltest.NewLazyLoader(`load 30s
		crosswalk_module_last_reload_successful{module="m.wasm",namespace="n",pod="a"} 0x4
		crosswalk_schema_last_reload_successful{file="f",namespace="n",pod="a"} 0x4
		crosswalk_schema_last_reload_successful{file="g",namespace="n",pod="a"} 1x4
		crosswalk_required_conversions_missing{namespace="n",pod="a"} 0x4
		crosswalk_conversions_missing{file="g",namespace="n",pod="a"} 2x4`, promqltest.LazyLoaderOpts{})
	if err != nil {
		t.Fatal(err)
	}
	defer suite.Close()
	want := map[string]float64{"Ready replicas": 0, "Files refused": 2, "Conversions missing": 2}
	at := time.Unix(60, 0)
	suite.WithSamplesTill(at, func(err error) {
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range dashboard(t) {
			n, listed := want[p.Title]
			if !listed {
				continue
			}
			delete(want, p.Title)
			q, err := suite.QueryEngine().NewInstantQuery(suite.Context(), suite.Storage(), nil, expression(p.Targets[0].Expr), at)
			if err != nil {
				t.Fatal(err)
			}
			if v, err := q.Exec(suite.Context()).Vector(); err != nil || len(v) != 1 || v[0].F != n {
				t.Errorf("%s: %v, %v, want %v", p.Title, v, err, n)
			}
			q.Close()
		}
	})
	if len(want) > 0 {
		t.Errorf("the dashboard has no panels %v", want)
	}
}
