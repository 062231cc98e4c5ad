package host

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/crontabs"
)

func TestSchemaCheck(t *testing.T) {
	const fragment = `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":{"a":1}}`
	const applied = `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"my-cron","namespace":"default"},"spec":{"a":1}}`
	const whole = `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{},"spec":`
	long := `{`
	for i := range 150 {
		long += fmt.Sprintf(`"u%d":1,`, i)
	}
	long += `"spec":{"host":"a"}}`
	for _, test := range []struct {
		name, object, answer string
		violation            string // the first three; an enforced schema names one
		invalid, pruned      int
	}{
		{"good", cron, `{"spec":{"host":"a","replicas":3}}`, "", 0, 0},
		{"good, with all that the host would fill in", cron, whole + `{"host":"a"}}`, "", 0, 0},
		{"good, but for the apiVersion, which the host fills in", cron, `{"kind":"CronTab","metadata":{},"spec":{"host":"a"}}`, "", 0, 0},
		{"good, but for the kind, which the host fills in", cron, `{"apiVersion":"stable.example.com/v2","metadata":{},"spec":{"host":"a"}}`, "", 0, 0},
		{"wrong type", cron, `{"spec":{"host":"a","replicas":"3"}}`, "spec.replicas: must be an integer, not a string", 1, 0},
		{"wrong type, with all that the host would fill in", cron, whole + `{"host":1}}`, "spec.host: must be a string, not a number", 1, 0},
		{"a field misspelled", cron, `{"spec":{"host":"a","replica":3}}`, "spec.replica: unknown field, the API server drops it", 0, 1},
		{"a field missing", cron, `{"spec":{}}`, "spec.host: is required", 1, 0},
		{"everything missing", cron, `{}`, "spec: is required", 1, 0},
		{"several", cron, `{"x":1,"spec":{"host":"0123456789","replicas":0.5}}`, "x: unknown field, the API server drops it; spec.host: must have at most 9 characters; spec.replicas: must be an integer, not a number with a fraction or beyond 2^53", 2, 1},
		{"counted up to a hundred", cron, long, "u0: unknown field, the API server drops it; u1: unknown field, the API server drops it; u2: unknown field, the API server drops it", 0, 100},
		{"in a map", cron, `{"spec":{"host":"a","map":{"k":1}}}`, "spec.map[k]: must be a string, not a number", 1, 0},
		{"a fragment without metadata", fragment, `{"spec":{}}`, "", 0, 0},
		{"a wrong one", fragment, `{"spec":{"host":1}}`, "spec.host: must be a string, not a number", 1, 0},
		{"a fragment with a name", applied, `{"spec":{"replicas":1}}`, "", 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := func(enforce bool) (reviewAnswer, Outcome) {
				return runReview(t, newConverter(ConverterConfig{
					Modules: &fixedModules{routes: NewRoutes(edges(answers(test.answer), "v1→v2"))},
					Schemas: crontabs.Schema(t), EnforceSchemas: enforce,
				}), reviewOf("v1", "stable.example.com/v2", test.object))
			}
			title := "object 0 (default/my-cron)"
			if test.object == fragment {
				title = "object 0 (no name)"
			}
			a, outcome := run(false)
			want := ""
			if test.violation != "" {
				want = title + ", converted by module CronTab.stable.example.com_v1_v2.wasm (sha256:0123456789ab): " + test.violation
			}
			if a.Response.Result.Status != "Success" || outcome.Violation != want || outcome.Invalid != test.invalid || outcome.Pruned != test.pruned {
				t.Errorf("reported: %s, %+v\nwant %s", a.Response.Result.Status, outcome, want)
			}

			a, outcome = run(true)
			status, failure := "Success", ""
			if want = ""; test.violation != "" {
				status, failure = "Failed", FailureSchema
				first, _, _ := strings.Cut(test.violation, "; ")
				want = "cannot convert " + title + " of CronTab.stable.example.com from v1 to v2: module CronTab.stable.example.com_v1_v2.wasm (sha256:0123456789ab) " +
					"broke the schema of v2: " + first + " (crontabs.stable.example.com.crd.yaml, --schema-check=enforce)"
			}
			if r := a.Response.Result; r.Status != status || r.Message != want || outcome.Failure != failure || (outcome.Module != "") != (failure != "") {
				t.Errorf("enforced: %+v, %+v\nwant %s %s", r, outcome, status, want)
			}
			if n := outcome.Invalid + outcome.Pruned; failure != "" && n != 1 {
				t.Errorf("%d violations counted where the first is enough", n)
			}
		})
	}
}

// Objects that no module converted are not validated, and neither are versions that the definition
// does not have.
func TestSchemaCheckLeavesAlone(t *testing.T) {
	wrong := `{"spec":{"host":1}}`
	for _, test := range []struct{ name, kind, from, to string }{
		{"no conversion", "CronTab", "v2", "v2"},
		{"a version that the definition does not have", "CronTab", "v2", "v3"},
		{"another kind", "Other", "v1", "v2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			list := edges(answers(wrong), "v1→v2", "v2→v3")
			list = append(list, Edge{"stable.example.com", "Other", "v1", "v2", list[0].Module, nil})
			c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(list)}, Schemas: crontabs.Schema(t), EnforceSchemas: true})
			object := `{"apiVersion":"stable.example.com/` + test.from + `","kind":"` + test.kind + `","metadata":{"uid":"1"},"spec":{"host":1}}`
			if _, outcome := runReview(t, c, reviewOf("v1", "stable.example.com/"+test.to, object)); outcome.Failure != "" || outcome.Violation != "" {
				t.Errorf("outcome %+v", outcome)
			}
		})
	}
}

// A chain of modules is checked at its end, each object for itself.
func TestSchemaCheckOfAChain(t *testing.T) {
	object := func(version, name string) string {
		return `{"apiVersion":"stable.example.com/` + version + `","kind":"CronTab","metadata":{"name":"` + name + `","uid":"1"},"spec":{"host":"a"}}`
	}
	list := append(edges(answers(`{"nonsense":1}`), "v0→v1"), edges(&funcModule{One: func(_, _ string, object []byte) ([]byte, string) {
		if strings.Contains(string(object), `"name":"bad"`) {
			return []byte(`{"spec":{"host":false}}`), ""
		}
		return []byte(`{"spec":{"host":"a"}}`), ""
	}}, "v1→v2")...)
	c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(list)}, Schemas: crontabs.Schema(t)})
	body := reviewOf("v1", "stable.example.com/v2", object("v0", "a"), object("v2", "b"), object("v1", "bad"), object("v1", "bad"))
	_, outcome := runReview(t, c, body)
	want := "object 2 (bad), converted by module CronTab.stable.example.com_v1_v2.wasm (sha256:0123456789ab): spec.host: must be a string, not a boolean"
	if outcome.Invalid != 2 || outcome.Pruned != 0 || outcome.Violation != want {
		t.Errorf("outcome %+v\nwant %s", outcome, want)
	}
}

// When time is up, a schema that is only reported is skipped, and an enforced schema fails the
// review.
func TestSchemaCheckWithoutTime(t *testing.T) {
	for _, enforce := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		m := &funcModule{One: func(_, _ string, _ []byte) ([]byte, string) {
			cancel()
			return []byte(`{"spec":{"host":1}}`), ""
		}}
		c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(edges(m, "v1→v2"))}, Schemas: crontabs.Schema(t), EnforceSchemas: enforce})
		_, outcome, _ := c.Review(ctx, []byte(reviewOf("v1", "stable.example.com/v2", cron)))
		want := ""
		if enforce {
			want = "cannot convert object 0 (default/my-cron) of CronTab.stable.example.com from v1 to v2: the request's deadline passed before it was checked " +
				"against its schema (try again; if it happens often, the gateway is overloaded or a module slow)"
		}
		if outcome.Message != want || outcome.Violation != "" || (outcome.Failure == faults.Deadline) != enforce {
			t.Errorf("enforced %v: outcome %+v\nwant %s", enforce, outcome, want)
		}
		if (outcome.Unchecked == 1) == enforce {
			t.Errorf("enforced %v: %d objects are counted as unchecked", enforce, outcome.Unchecked)
		}
	}
}

// TestUncheckedObjectsAreCounted: with report, an object passes that was not checked to its end, and the
// outcome counts it and has the cause.
func TestUncheckedObjectsAreCounted(t *testing.T) {
	for _, tc := range []struct {
		name    string
		schemas Schemas
		late    int // the call of the module in which the deadline passes; 0 = none
		to      string
		objects int
		want    int
		cause   string
	}{
		{"all checked", crontabs.Schema(t), 0, "v2", 3, 0, ""},
		{"the deadline", crontabs.Schema(t), 1, "v2", 3, 3, "object 0 (default/my-cron): context canceled"},
		{"a version that the definition lacks", crontabs.Schema(t), 0, "v9", 3, 3, "crontabs.stable.example.com.crd.yaml has no version v9"},
		{"a definition that is being read", &changingSchemas{unread: "crontabs.stable.example.com.crd.yaml"}, 0, "v2", 3, 3, "crontabs.stable.example.com.crd.yaml has not been read yet"},
		{"no definition", &changingSchemas{}, 0, "v2", 3, 0, ""},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		m := &funcModule{One: func(_, _ string, _ []byte) ([]byte, string) {
			if calls++; calls == tc.late {
				cancel()
			}
			return []byte(`{"spec":{"host":"a"}}`), ""
		}}
		c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(edges(m, "v1→"+tc.to))}, Schemas: tc.schemas})
		_, outcome, err := c.Review(ctx, []byte(reviewOf("v1", "stable.example.com/"+tc.to, slices.Repeat([]string{cron}, tc.objects)...)))
		if err != nil || outcome.Failure != "" || outcome.Unchecked != tc.want || outcome.UncheckedCause != tc.cause {
			t.Errorf("%s: %v, %+v\nwant %d unchecked: %s", tc.name, err, outcome, tc.want, tc.cause)
		}
		cancel()
	}
}

// TestSchemaCheckIsBounded has checks that would take minutes: with report the review succeeds and
// the outcome says so, with enforce it fails.
func TestSchemaCheckIsBounded(t *testing.T) {
	answer := `{"spec":{"host":"a","replicas":"3","list":[` + strings.TrimSuffix(strings.Repeat("1,", 1000), ",") + `]}}`
	schemas := crontabs.CostlySchema(t)
	run := func(enforce bool) (reviewAnswer, Outcome) {
		return runReview(t, newConverter(ConverterConfig{
			Modules: &fixedModules{routes: NewRoutes(edges(answers(answer), "v1→v2"))}, Schemas: schemas, EnforceSchemas: enforce,
		}), reviewOf("v1", "stable.example.com/v2", cron, cron))
	}
	const cause = "object 0 (default/my-cron): the check takes more work than it may"
	a, outcome := run(false)
	if a.Response.Result.Status != "Success" || outcome.Unchecked != 2 || outcome.UncheckedCause != cause || outcome.Invalid != 1 {
		t.Errorf("reported: %+v, %d unchecked, %q", a.Response.Result, outcome.Unchecked, outcome.UncheckedCause)
	}
	answer = strings.Replace(answer, `"3"`, "3", 1)
	a, outcome = run(true)
	const want = "cannot convert object 0 (default/my-cron) of CronTab.stable.example.com from v1 to v2: it cannot be checked against the schema of v2: " +
		"the check takes more work than it may: simplify the schema in crontabs.stable.example.com.crd.yaml (--schema-check=enforce)"
	if a.Response.Result.Message != want || outcome.Failure != FailureSchema || outcome.Module != "" {
		t.Errorf("enforced: %+v, %+v\nwant %s", a.Response.Result, outcome, want)
	}
	answer = strings.ReplaceAll(answer, "1", "0") // for which the first schema fits
	if a, outcome = run(true); a.Response.Result.Status != "Success" || outcome.Unchecked != 0 {
		t.Errorf("a cheap object: %+v, %+v", a.Response.Result, outcome)
	}
}

// TestReviewWaitsForItsDefinition: with enforce, no object passes before the definition of its kind
// was read; with report, and for a definition in use, nothing waits.
func TestReviewWaitsForItsDefinition(t *testing.T) {
	for _, tc := range []struct {
		name    string
		schemas Schemas
		enforce bool
		waits   bool
	}{
		{"enforced", &changingSchemas{unread: "crontabs.stable.example.com.crd.yaml"}, true, true},
		{"reported", &changingSchemas{unread: "crontabs.stable.example.com.crd.yaml"}, false, false},
		{"read, and without a definition", &changingSchemas{}, true, false},
		{"new content of a definition in use", &changingSchemas{crontabs.Schema(t).CRD, "crontabs.stable.example.com.crd.yaml"}, true, false},
	} {
		_, outcome := runReview(t, newConverter(ConverterConfig{
			Modules: &fixedModules{routes: NewRoutes(edges(answers(`{"spec":{"host":"a"}}`), "v1→v2"))}, Schemas: tc.schemas, EnforceSchemas: tc.enforce,
		}), reviewOf("v1", "stable.example.com/v2", cron))
		const want = "cannot convert CronTab.stable.example.com: crontabs.stable.example.com.crd.yaml has been read since 00:00:00 UTC, and no object passes unchecked (--schema-check=enforce)"
		if waits := outcome.Failure == FailureSchema && outcome.Message == want && outcome.Loading.File != ""; waits != tc.waits {
			t.Errorf("%s: outcome %+v", tc.name, outcome)
		}
	}
}
