package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

// sample is what a process holds at one moment.
type sample struct {
	after                     time.Duration
	rss, threads, files, maps int
}

func sampleOf(pid int) (sample, error) {
	dir := fmt.Sprintf("/proc/%d/", pid)
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
	s := sample{files: len(files), maps: bytes.Count(maps, []byte("\n"))}
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

// most returns the largest of every figure.
func most(samples []sample) (m sample) {
	for _, s := range samples {
		m.rss, m.threads = max(m.rss, s.rss), max(m.threads, s.threads)
		m.files, m.maps = max(m.files, s.files), max(m.maps, s.maps)
	}
	return m
}
