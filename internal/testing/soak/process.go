package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"text/tabwriter"
	"time"
)

// sample is the resources of a process at one moment.
type sample struct {
	after                                 time.Duration
	rss, goroutines, threads, files, maps int
}

// watchProcess prints a line every so often until ctx ends, and returns the samples.
func watchProcess(ctx context.Context, g *gateway, every time.Duration, t *tally, d *directories) ([]sample, error) {
	w := tabwriter.NewWriter(os.Stdout, 10, 0, 2, ' ', tabwriter.AlignRight)
	line := func(cells ...any) {
		for _, c := range cells {
			fmt.Fprintf(w, "%v\t", c)
		}
		fmt.Fprintln(w)
		w.Flush()
	}
	line("after", "RSS MiB", "goroutines", "threads", "files", "maps", "good", "failed", "hostile", "unanswered", "swaps")
	began := time.Now()
	var samples []sample
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return samples, nil
		case <-tick.C:
		}
		s, err := sampleOf(g)
		if err != nil {
			return samples, fmt.Errorf("the gateway has gone: %w", err)
		}
		s.after = time.Since(began)
		samples = append(samples, s)
		line(s.after.Round(time.Second), s.rss>>20, s.goroutines, s.threads, s.files, s.maps,
			t.good.Load(), t.goodFailed.Load(), t.hostile.Load(), t.hostileUnanswered.Load(), d.swaps.Load())
	}
}

func sampleOf(g *gateway) (sample, error) {
	dir := fmt.Sprintf("/proc/%d/", g.pid())
	status, err := os.ReadFile(dir + "status")
	if err != nil {
		return sample{}, err
	}
	files, err := os.ReadDir(dir + "fd")
	if err != nil {
		return sample{}, err
	}
	maps, err := os.ReadFile(dir + "maps")
	if err != nil {
		return sample{}, err
	}
	m, err := g.metrics()
	if err != nil {
		return sample{}, err
	}
	s := sample{files: len(files), maps: bytes.Count(maps, []byte("\n")), goroutines: int(m.sum("go_goroutines"))}
	for line := range bytes.Lines(status) {
		fields := bytes.Fields(line)
		if len(fields) < 2 {
			continue
		}
		n, _ := strconv.Atoi(string(fields[1]))
		switch string(fields[0]) {
		case "VmRSS:":
			s.rss = n << 10
		case "Threads:":
			s.threads = n
		}
	}
	if s.rss == 0 {
		return s, errors.New("it has ended")
	}
	return s, nil
}
