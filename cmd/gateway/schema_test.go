package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/widgets"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
)

// TestSchemaCheck: a gateway checks the results of its modules against definitions that appear and
// change.
func TestSchemaCheck(t *testing.T) {
	for _, test := range []struct {
		check                    string
		text, integer, corrected string // the result of a review with a matching schema, a different one, and a broken file after that
	}{
		{"off", "ok", "ok", "ok"},
		{"report", "ok", "ok", "ok"},
		{"enforce", "ok", "schema", "ok"},
	} {
		t.Run(test.check, func(t *testing.T) {
			p := start(t, "--schema-check", test.check, "--drain-delay", "0s")
			p.install(t, "one.wasm")
			widgets.Put(t, p.modules, widgets.File, widgets.Definition("string"))
			shown := func(content string, state func(text string) bool) {
				t.Helper()
				eventually.Succeeds(t, "/modules to show "+content, func() error {
					_, text := p.get(t, "/modules")
					if strings.Contains(text, `"state": "serving"`) && (test.check == "off" || state(text)) {
						return nil
					}
					return errors.New(text)
				})
			}
			review := func(when, want string) {
				t.Helper()
				got, err := p.review()
				switch {
				case want == "ok" && (err != nil || got != `{"module":"one"}`):
					t.Errorf("%s: %s, %v", when, got, err)
				case want == "schema" && (err == nil || !strings.Contains(err.Error(), "broke the schema of v2: spec.module: must be an integer, not a string")):
					t.Errorf("%s: %s, %v", when, got, err)
				}
			}
			digest := regexp.MustCompile(`"file": "widgets[^}]*"digest": "(\w+)"`)
			var before string
			shown("the schema", func(text string) bool {
				m := digest.FindStringSubmatch(text)
				if m != nil {
					before = m[1]
				}
				return m != nil
			})
			review("a schema that fits", test.text)

			widgets.Put(t, p.modules, widgets.File, widgets.Definition("integer"))
			shown("the new schema", func(text string) bool { m := digest.FindStringSubmatch(text); return m != nil && m[1] != before })
			review("a schema that does not", test.integer)

			widgets.Put(t, p.modules, widgets.File, "broken")
			shown("the broken file", func(text string) bool { return strings.Contains(text, `"lastError"`) })
			review("a broken file: the one before still counts", test.integer)

			widgets.Put(t, p.modules, widgets.File, widgets.Definition("string"))
			shown("the old schema", func(text string) bool { m := digest.FindStringSubmatch(text); return m != nil && m[1] == before })
			review("the old content again", test.corrected)

			_, modules := p.get(t, "/modules")
			_, metrics := p.get(t, "/metrics")
			violations := `crosswalk_schema_violations_total{group_kind="Widget.example.com",version="v2",violation="invalid"} `
			want := map[string]string{"off": "0", "report": "2", "enforce": "2"}[test.check]
			if !strings.Contains(metrics, violations+want+"\n") {
				t.Errorf("%s%s is not among the metrics", violations, want)
			}
			if shown := strings.Contains(modules, widgets.File); shown == (test.check == "off") {
				t.Errorf("/modules: %s", modules)
			}
			if test.check == "report" {
				p.output.until(t, "converted object breaks the schema")
			}
		})
	}
}

// TestMissingConversionsAreSaid: a gateway logs missing conversions when modules come and go, not
// only when definitions do.
func TestMissingConversionsAreSaid(t *testing.T) {
	setTimes(t, times{Poll: 20 * time.Second}) // an unchanged directory is read again at the sixth poll only
	p := start(t, "--drain-delay", "0s")
	p.waitReady(t)
	widgets.Put(t, p.modules, widgets.File, widgets.Definition("string"))
	p.output.until(t, `"msg":"conversions are missing","file":"widgets.example.com.crd.yaml","kind":"Widget","group":"example.com","err":"v2 is served, and nothing converts v1 (storage) to v2; `)
	p.install(t, "one.wasm")
	p.output.until(t, `"msg":"no conversions are missing any more"`)
	widgets.Put(t, p.modules, "Widget.example.com_v1_v2.removed", "")
	p.output.until(t, `"msg":"conversions are missing"`)
	if _, text := p.get(t, "/modules"); !strings.Contains(text, `"v2 is served, and nothing converts v2 to v1 (storage)"`) {
		t.Errorf("/modules: %s", text)
	}
	if _, text := p.get(t, "/metrics"); !strings.Contains(text, "\ncrosswalk_conversions_missing{file=\"widgets.example.com.crd.yaml\"} 2\n") {
		t.Error("the metric does not say 2")
	}
}

// TestEnforceConvertsNothingBeforeItsDefinitions: while the gateway starts, and a definition that
// SHA256SUMS lists is not there, --schema-check=enforce lets no object pass unchecked; report converts
// as soon as the module serves.
func TestEnforceConvertsNothingBeforeItsDefinitions(t *testing.T) {
	setTimes(t, times{StartGrace: time.Hour})
	wasm, err := os.ReadFile("testdata/one.wasm")
	if err != nil {
		t.Fatal(err)
	}
	const module = "Widget.example.com_v1_v2.wasm"
	definition := widgets.Definition("string")
	for check, want := range map[string]string{"enforce": "503: ", "report": "<nil>"} {
		t.Run(check, func(t *testing.T) {
			dir := t.TempDir()
			widgets.Put(t, dir, module, string(wasm))
			widgets.Put(t, dir, sums.ListFile, fmt.Sprintf("%x  %s\n%x  %s\n", sha256.Sum256(wasm), module, sha256.Sum256([]byte(definition)), widgets.File))
			p := start(t, "--modules", dir, "--schema-check", check, "--drain-delay", "0s")
			eventually.True(t, "the module to serve", func() bool {
				_, text := p.get(t, "/modules")
				return strings.Contains(text, `"state": "serving"`)
			})
			if _, err := p.review(); !strings.HasPrefix(fmt.Sprint(err), want) {
				t.Errorf("before the definition: %v, want %s", err, want)
			}
			widgets.Put(t, dir, widgets.File, definition)
			p.reviewUntil(t, `{"module":"one"}, <nil>`)
		})
	}
}
