package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/shadow"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/widgets"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// shadowReport is the content of /shadow.
type shadowReport struct {
	Share   float64
	Edges   []shadow.Status
	Modules []runtime.Status
}

// converted returns the result of the shadow module for v1→v2.
func (s shadowReport) converted() shadow.Status {
	for _, e := range s.Edges {
		if e.From == "v1" && e.To == "v2" {
			return e
		}
	}
	return shadow.Status{}
}

// shadowUntil sends reviews, which the serving module must answer, until /shadow is as wanted.
func (p *process) shadowUntil(t *testing.T, event string, ok func(shadowReport) bool) shadowReport {
	t.Helper()
	var s shadowReport
	eventually.Succeeds(t, event, func() error {
		if got, err := p.review(); err != nil || got != `{"module":"one"}` {
			t.Fatalf("waiting for %s: a review has %s, %v", event, got, err)
		}
		s = shadowReport{}
		code, text := p.get(t, "/shadow")
		if err := json.Unmarshal([]byte(text), &s); code != 200 || err != nil {
			t.Fatalf("/shadow: %d, %v: %s", code, err, text)
		}
		if !ok(s) {
			return fmt.Errorf("/shadow: %s", text)
		}
		return nil
	})
	return s
}

// reviewUntil sends reviews until one ends as wanted: with the spec and the error.
func (p *process) reviewUntil(t *testing.T, want string) {
	t.Helper()
	eventually.Succeeds(t, "a review that ends with "+want, func() error {
		spec, err := p.review()
		if got := fmt.Sprintf("%s, %v", spec, err); got != want {
			return errors.New(got)
		}
		return nil
	})
}

// TestShadow: the results of a shadow module are discarded, and its faults appear on /shadow only.
func TestShadow(t *testing.T) {
	const file = "Widget.example.com_v1_v2.wasm"
	dir := t.TempDir()
	p := start(t, "--shadow-modules", dir, "--shadow-share", "1", "--fuel-per-object", "5000000") // a small limit, so that fuel runs out before time does
	p.install(t, "one.wasm")
	p.reviewUntil(t, `{"module":"one"}, <nil>`)
	if s := p.shadowUntil(t, "share", func(s shadowReport) bool { return s.Share == 1 }); len(s.Edges)+len(s.Modules) != 0 {
		t.Errorf("%+v", s)
	}
	install := func(from string) {
		t.Helper()
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		widgets.Put(t, dir, file, string(content))
	}

	install("testdata/two.wasm")
	s := p.shadowUntil(t, "difference", func(s shadowReport) bool { return s.converted().Different > 0 })
	if e := s.converted(); e.Kind != "Widget.example.com" || e.Module != file || e.Against != file || e.Digest == e.AgainstDigest ||
		len(e.Paths) != 1 || e.Paths[0].Path != "spec.module" || e.Same+e.Failed != 0 || len(s.Edges) != 2 || len(s.Modules) != 1 || s.Modules[0].State != runtime.StateServing {
		t.Errorf("%+v", s)
	}
	if line := p.output.until(t, "shadow module's result differs"); !strings.Contains(line, `"paths":"spec.module"`) || !strings.Contains(line, `"shadow":true`) {
		t.Error(line)
	}
	if _, text := p.get(t, "/"); !strings.Contains(text, " · differs in ") || !strings.Contains(text, "spec.module") || !strings.Contains(text, "0 same, ") {
		t.Errorf("the status page does not show it: %s", text)
	}
	install("testdata/one.wasm")
	p.shadowUntil(t, "the same", func(s shadowReport) bool { return s.converted().Same > 0 && s.converted().Different == 0 })

	install("../../runtime/testdata/x01_spin.wasm") // uses up its fuel in every call
	e := p.shadowUntil(t, "failure", func(s shadowReport) bool { return s.converted().Failed > 0 }).converted()
	if e.Failures["fuel"] == 0 || !strings.Contains(e.LastFailure, "the module exceeded the fuel limit of this batch") {
		t.Errorf("%+v", e)
	}
	install("testdata/none.wasm") // does not load; the previous version still runs
	s = p.shadowUntil(t, "refusal", func(s shadowReport) bool { return len(s.Modules) == 1 && s.Modules[0].LastError != "" })
	if s.converted().Digest != e.Digest {
		t.Errorf("%+v", s)
	}

	_, metrics := p.get(t, "/metrics")
	for _, want := range []string{
		`crosswalk_shadow_conversions_total{from="v1",group_kind="Widget.example.com",module="` + file + `",result="failed",to="v2"} [1-9]`,
		`crosswalk_shadow_conversions_total{from="v1",group_kind="Widget.example.com",module="` + file + `",result="different",to="v2"} [1-9]`,
		`crosswalk_shadow_module_last_reload_successful{module="` + file + `"} 0`,
		`crosswalk_module_faults_total{fault="fuel",module="` + file + `"} 0`, // of the serving module
		`crosswalk_module_last_reload_successful{module="` + file + `"} 1`,
		`crosswalk_reviews_total{from="v1",group_kind="Widget.example.com",result="failed",to="v2"} 0`,
	} {
		if !regexp.MustCompile(`(?m)^` + strings.ReplaceAll(regexp.QuoteMeta(want), `\[1-9\]`, "[1-9]")).MatchString(metrics) {
			t.Errorf("%s is not among the metrics", want)
		}
	}
	if _, modules := p.get(t, "/modules"); strings.Contains(modules, `"lastError`) || strings.Contains(modules, `"faults": 1`) {
		t.Errorf("/modules: %s", modules)
	}
	widgets.Put(t, dir, "SHA256SUMS", "# nothing\n") // shadow modules pass the same checks
	p.shadowUntil(t, "a file that is not listed", func(s shadowReport) bool {
		return strings.HasPrefix(s.Modules[len(s.Modules)-1].LastError, "SHA256SUMS does not list "+file)
	})
}

func TestNoShadow(t *testing.T) {
	p := start(t)
	if code, text := p.get(t, "/shadow"); code != 200 || text != "{}\n" {
		t.Errorf("%d %s", code, text)
	}
}

// TestShadowIsApart: objects without managed metadata compare as equal, and shadow modules do not
// use the cache.
func TestShadowIsApart(t *testing.T) {
	dir := t.TempDir()
	p := start(t, "--shadow-modules", dir, "--shadow-share", "1", "--cache-bytes", "1Mi")
	p.install(t, "one.wasm")
	p.reviewUntil(t, `{"module":"one"}, <nil>`)
	content, err := os.ReadFile("testdata/one.wasm")
	if err != nil {
		t.Fatal(err)
	}
	widgets.Put(t, dir, "Widget.example.com_v1_v2.wasm", string(content))
	created := `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-1","desiredAPIVersion":"example.com/v2","objects":[` +
		`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","namespace":"b","uid":"c","generation":7},"spec":{"from":"v1"}}]}}`
	s := p.shadowUntil(t, "comparison", func(s shadowReport) bool {
		if code, text, err := p.post(created); code != 200 || err != nil {
			t.Fatal(code, text, err)
		}
		return s.converted().Same > 1 || s.converted().Different+s.converted().Failed > 0
	})
	if e := s.converted(); e.Different+e.Failed > 0 {
		t.Errorf("%+v", e)
	}
	if _, metrics := p.get(t, "/metrics"); !strings.Contains(metrics, "\ncrosswalk_cache_misses_total 2\n") { // the two objects of reviews
		t.Error(regexp.MustCompile("(?m)^crosswalk_cache_.*").FindAllString(metrics, -1))
	}
}
