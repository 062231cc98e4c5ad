package main

import (
	"strings"
	"testing"
)

// held is what a process holds that holds no more and no less all the time, but for what change does to the last of nine samples.
func held(change func(*sample)) []sample {
	samples := make([]sample, 9)
	for i := range samples {
		samples[i] = sample{rss: 100 << 20, goroutines: 40, threads: 10, files: 70, maps: 80}
	}
	for i := range samples[6:] { // the last third
		change(&samples[6+i])
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
	if peak[7].rss = 1 << 30; grows(peak) != nil {
		t.Error("memory that was given back is taken for growth")
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
		{"a failure", func(t *tally, _ metrics) { t.fail("boom"); t.fail("later") }, "2 good conversions failed; the first: boom"},
		{"no answer", func(t *tally, _ metrics) { t.hostileUnanswered.Add(1) }, "1 reviews of hostile modules had no answer"},
		{"a panic", func(_ *tally, m metrics) { m["crosswalk_panics_total"] = 2 }, "panics were contained: 2 times (crosswalk_panics_total)"},
		{"damaged code", func(_ *tally, m metrics) {
			m[`crosswalk_compile_cache_loads_total{result="damaged"}`] = 1
		}, "kept code was damaged: 1 times (crosswalk_compile_cache_loads_total)"},
		{"no roll back", func(_ *tally, m metrics) { m[`crosswalk_module_rollbacks_total{module="`+rolled+`"}`] = 0 }, "it did not happen that a module was rolled back (crosswalk_module_rollbacks_total)"},
	} {
		var tl tally
		m := all()
		tc.change(&tl, m)
		got := ""
		if err := verdict(&tl, 1, steady, m); err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
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
