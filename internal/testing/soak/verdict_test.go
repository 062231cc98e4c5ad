package main

import (
	"context"
	"encoding/json"
	"maps"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
)

// held returns the samples of a process with constant resources, where change modifies the last
// four of twelve samples.
func held(change func(*sample)) []sample {
	samples := make([]sample, 12)
	for i := range samples {
		samples[i] = sample{after: leastGrowth, rss: 100 << 20, goroutines: 40, threads: 10, files: 70, maps: 80}
	}
	for i := range samples[8:] { // the last third
		change(&samples[8+i])
	}
	return samples
}

func TestGrows(t *testing.T) {
	for _, tc := range []struct {
		change func(*sample)
		want   string
	}{
		{func(*sample) {}, ""},
		{func(s *sample) { s.rss = 136 << 20 }, ""},
		{func(s *sample) { s.rss = 137 << 20 }, "resident memory grows"},
		{func(s *sample) { s.goroutines = 61 }, "goroutines grow"},
		{func(s *sample) { s.threads = 21 }, "threads grow"},
		{func(s *sample) { s.files = 91 }, "open files grow"},
		{func(s *sample) { s.maps = 147 }, "memory maps grow"},
	} {
		got := ""
		if err := grows(held(tc.change)); err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("%q, want %q", got, tc.want)
		}
	}
	peak := held(func(*sample) {})
	peak[9].rss, peak[9].goroutines, peak[9].files = 1<<30, 1000, 1000
	if err := grows(peak); err != nil {
		t.Errorf("resources that were given back are taken for growth: %v", err)
	}
	calm := held(func(*sample) {})
	calm[5].rss, calm[5].goroutines, calm[5].files = 10<<20, 1, 1
	if err := grows(calm); err != nil {
		t.Errorf("resources that were free for one moment are taken for growth: %v", err)
	}
}

func TestVerdict(t *testing.T) {
	all := func() metrics {
		m := metrics{}
		for _, h := range happened {
			m[h.metric+"{"+h.label+"}"] = 1
		}
		return m
	}
	steady := held(func(*sample) {})
	for _, tc := range []struct {
		name   string
		change func(*tally, metrics)
		want   string
	}{
		{"all well", func(*tally, metrics) {}, ""},
		{"a failure", func(t *tally, _ metrics) { t.fail("boom"); t.fail("later") }, "2 failed; the first: boom"},
		{"no answer", func(t *tally, _ metrics) { t.hostileUnanswered.Add(1) }, "1 reviews had none"},
		{"a panic", func(_ *tally, m metrics) { m["crosswalk_panics_total"] = 2 }, "2 times (crosswalk_panics_total)"},
		{"damaged code", func(_ *tally, m metrics) {
			m[`crosswalk_compile_cache_loads_total{result="damaged"}`] = 1
		}, "1 times (crosswalk_compile_cache_loads_total)"},
		{"no roll back", func(_ *tally, m metrics) { m[`crosswalk_module_rollbacks_total{module="`+served(rolled)+`"}`] = 0 }, "it did not (crosswalk_module_rollbacks_total)"},
	} {
		var tl tally
		m := all()
		tc.change(&tl, m)
		got := ""
		if err := failure(verdict(&tl, 1, steady, m, 0)); err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestRulingsSayWhatWasNotJudged: the output names everything that a run can judge.
func TestRulingsSayWhatWasNotJudged(t *testing.T) {
	a := newAttacks()
	if err := a.choose("names,pages"); err != nil {
		t.Fatal(err)
	}
	a.of(pages).ran.Add(3)
	var out strings.Builder
	all := a.verdict()
	printAll(&out, all)
	for _, want := range []string{"HELD        attack pages (H25): 3 readers of admin pages\n", "FAILED      attack names (W22): it did nothing\n",
		"NOT JUDGED  attack contents (W20): it did not run\n", "judged 2 of 11\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, out.String())
		}
	}
	if err := failure(all); err == nil || err.Error() != "it did nothing" {
		t.Errorf("failure: %v", err)
	}
	if err := a.choose("name"); err == nil {
		t.Error("an attack that does not exist was chosen")
	}
}

// TestCountsOfAnotherProcess: the counts of the hostile clients are added, and their other lines shown.
func TestCountsOfAnotherProcess(t *testing.T) {
	a := newAttacks()
	a.of(pages).ran.Add(1)
	var out strings.Builder
	if err := a.count(strings.NewReader("       5 × clients\nattack pages 41\n"), &out); err != nil || a.of(pages).ran.Load() != 42 || out.String() != "       5 × clients\n" {
		t.Errorf("%d, %q, %v", a.of(pages).ran.Load(), out.String(), err)
	}
}

func TestReadMetrics(t *testing.T) {
	m := readMetrics(strings.Join([]string{"# HELP a b 3", "a 1", `b{x="1",y="2"} 2`, `b{x="1",y="3"} 4.5`, `bc{x="1"} 8`, "nonsense"}, "\n"))
	for _, tc := range []struct {
		name   string
		labels []string
		want   float64
	}{{"a", nil, 1}, {"b", nil, 6.5}, {"b", []string{`x="1"`, `y="2"`}, 2}, {"b", []string{`y="4"`}, 0}, {"c", nil, 0}} {
		if got := m.sum(tc.name, tc.labels...); got != tc.want {
			t.Errorf("sum of %s %v is %v, want %v", tc.name, tc.labels, got, tc.want)
		}
	}
}

func TestCompare(t *testing.T) {
	calm := pulse{Count: 100, Max: 50 * time.Millisecond, P999: 20 * time.Millisecond}
	for _, tc := range []struct {
		name             string
		baseline, attack pulse
		delay            time.Duration
		others           float64
		want             string
	}{
		{"as long as allowed", calm, pulse{Count: 100, Max: 550 * time.Millisecond, P999: 140 * time.Millisecond}, 0, 0.1, ""},
		{"longer", calm, pulse{Count: 100, Max: 551 * time.Millisecond}, 0, 0.1, "the longest took 551ms, of at most 550ms"},
		{"slower", calm, pulse{Count: 100, P999: 141 * time.Millisecond}, 0, 0.1, "99.9 % took up to 141ms, of at most 140ms"},
		{"as slow as the reference explains", calm, pulse{Count: 100, P999: 141 * time.Millisecond}, time.Millisecond, 0.1, ""},
		{"slower than the reference explains", calm, pulse{Count: 100, P999: 142 * time.Millisecond}, time.Millisecond, 0.1, "99.9 % took up to 142ms, of at most 141ms"},
		{"longer on a busy machine", calm, pulse{Count: 100, Max: 551 * time.Millisecond, Late: time.Millisecond}, 0, 0.1, ""},
		{"longer and slower beside other processes", calm, pulse{Count: 100, Max: time.Hour, P999: time.Hour}, 0, 0.11, ""},
		{"a failure beside other processes", calm, pulse{Count: 100, Failures: 1, First: "boom"}, 0, 0.9, "1 failed; the first: boom"},
		{"a failure", calm, pulse{Count: 100, Failures: 1, First: "boom"}, 0, 0.1, "1 failed; the first: boom"},
		{"a failure in the baseline", pulse{Count: 100, Failures: 1, First: "boom"}, calm, 0, 0.1, "1 failed; the first: boom"},
		{"no attack", calm, pulse{}, 0, 0.1, "there were 100 alone and 0 during the attack"},
	} {
		got := ""
		h := heartbeat{owner: steady, what: "reviews"}
		if err := failure(h.compare(tc.baseline, tc.attack, tc.delay, tc.others)); err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestDelays: the delay is that of the reference with as many objects, and none where the attack was
// the faster one.
func TestDelays(t *testing.T) {
	beats := []*heartbeat{{owner: steady, objects: 1}, {owner: referenceOwner, objects: 1}, {owner: referenceOwner, objects: 2000}}
	got := delays(beats, []pulse{{P999: 1}, {P999: 20}, {P999: 300}}, []pulse{{P999: 1000}, {P999: 50}, {P999: 200}})
	if want := map[int]time.Duration{1: 30, 2000: 0}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestOthersShare(t *testing.T) {
	before, after := cpu{machine: 1000, idle: 500, own: 100}, cpu{machine: 2000, idle: 600, own: 900}
	if got := after.others(before); got != 0.1 { // of 1,000 ticks, 900 busy, 800 of them its own
		t.Errorf("others used %v", got)
	}
}

func TestHeartbeatSummary(t *testing.T) {
	h := heartbeat{late: 3, failures: 1, first: "boom"}
	for gap := range 200 {
		h.gaps, h.took = append(h.gaps, time.Duration(199-gap)), append(h.took, time.Duration(gap+1000))
	}
	if got, want := h.take(), (pulse{Count: 200, Failures: 1, Median: 100, P99: 198, Max: 199, P999: 1199, Late: 3, First: "boom"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := h.take(); got != (pulse{}) {
		t.Errorf("%+v is left", got)
	}
}

// TestHostileFilesAreWhatTheySay: each file reaches the reader that it attacks. A definition must
// be JSON, and a module valid, or the first check would refuse it.
func TestHostileFilesAreWhatTheySay(t *testing.T) {
	if !json.Valid(definition("Pattern", hostile, 1, `"properties":{"module":{"allOf":[`+list(2, `{"pattern":"(?:x??){1000}"}`)+`]}}`)) {
		t.Error("a definition is not valid JSON")
	}
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer r.Close(ctx)
	if _, err := r.CompileModule(ctx, deadGrow(1000)); err != nil {
		t.Errorf("the module with dead code: %v", err)
	}
	if got, want := string(aliases(7)[:24]), "# 7\na0: &a0 [x]\na1: &a1 "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestVerdictOnGrowth(t *testing.T) {
	m := metrics{}
	for _, h := range happened {
		m[h.metric+"{"+h.label+"}"] = 1
	}
	samples := held(func(s *sample) { s.files = 91 })
	if err := failure(verdict(&tally{}, 1, samples, m, 0)); err == nil || err.Error() != "open files grow" {
		t.Errorf("growth in a long attack: %v", err)
	}
	samples[len(samples)-1].after--
	if err := failure(verdict(&tally{}, 1, samples, m, 0)); err != nil {
		t.Errorf("growth in a short attack: %v", err)
	}
}

func TestVerdictOnMemory(t *testing.T) {
	m := metrics{}
	for _, h := range happened {
		m[h.metric+"{"+h.label+"}"] = 1
	}
	samples := held(func(*sample) {})
	samples[2].rss = documented(runtime.NumCPU()) + 1
	if err := failure(verdict(&tally{}, 1, samples, m, 0)); err == nil || !strings.Contains(err.Error(), "docs/use/tasks.md allows") {
		t.Errorf("memory above the documented bound: %v", err)
	}
}
