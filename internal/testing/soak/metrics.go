package main

import (
	"strconv"
	"strings"
)

// metrics are the values of a gateway's metrics, by name and labels as they are written.
type metrics map[string]float64

func readMetrics(text string) metrics {
	m := metrics{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		at := strings.LastIndexByte(line, ' ')
		if at < 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if v, err := strconv.ParseFloat(line[at+1:], 64); err == nil {
			m[line[:at]] = v
		}
	}
	return m
}

// sum adds up all series of a name that have all of the given labels, each as it is written:
// name="value".
func (m metrics) sum(name string, labels ...string) (sum float64) {
	for series, v := range m {
		of, rest, _ := strings.Cut(series, "{")
		if of != name {
			continue
		}
		for _, l := range labels {
			if !strings.Contains(rest, l) {
				v = 0
			}
		}
		sum += v
	}
	return sum
}
