package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/bench"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// TestBench tests that bench measures every pair.
func TestBench(t *testing.T) {
	dir, _ := exampleDir(t)
	modules, crd := filepath.Join(dir, "modules"), filepath.Join(dir, "crd.yaml")
	code, out, errors := crosswalk("", "bench", "--for", "1ms", "--crd", crd, "-o", "json", modules)
	var report struct {
		Results []*bench.Result `json:"results"`
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != command.ExitOK || errors != "" {
		t.Fatalf("%d %v %s%s", code, err, out, errors)
	}
	for _, r := range report.Results {
		if r.Objects < 90 || r.Bytes < 50 || r.Fuel < 1000 || r.FuelShare <= 0 || r.P50 <= 0 || r.P99 < r.P50 || r.InList <= 0 || r.ListShare <= 0 || r.Memory < 64<<10 || r.PeakMemory < r.Memory+64<<10 {
			t.Errorf("%+v", r)
		}
	}
	if len(report.Results) != 2 {
		t.Errorf("%d pairs", len(report.Results))
	}
	if code, out, _ := crosswalk("", "bench", "--for", "1ms", "--crd", crd, modules); code != command.ExitOK || strings.Count(out, "CronTab.stable.example.com v") != 2 {
		t.Errorf("%d %s", code, out)
	}
	if code, _, errors := crosswalk("", "bench", moduleFile(t, "x09_unreachable", echo, "")); code != command.ExitError || !strings.Contains(errors, "nothing was measured") {
		t.Errorf("%d %s", code, errors)
	}
}
