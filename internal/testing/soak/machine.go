package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// cpu is processor time since the start, in the kernel's ticks.
type cpu struct{ machine, idle, own int }

// readCPU reads the time of the whole machine, and that of the gateway, its children and this
// process.
func readCPU(g *gateway) (c cpu, err error) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return c, err
	}
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	for i, f := range bytes.Fields(line)[1:9] { // user, nice, system, idle, iowait, irq, softirq, steal
		n, _ := strconv.Atoi(string(f))
		c.machine += n
		if i == 3 || i == 4 {
			c.idle += n
		}
	}
	for _, pid := range []int{g.pid(), os.Getpid()} {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return c, err
		}
		_, rest, _ := bytes.Cut(stat, []byte(") "))   // the name before may have spaces
		for _, f := range bytes.Fields(rest)[11:15] { // utime, stime, cutime, cstime
			n, _ := strconv.Atoi(string(f))
			c.own += n
		}
	}
	return c, nil
}

// others is the share of the processors that other processes used since an earlier reading.
func (c cpu) others(since cpu) float64 {
	busy := (c.machine - c.idle) - (since.machine - since.idle)
	return float64(busy-(c.own-since.own)) / float64(c.machine-since.machine)
}

// mostOthers is the largest share of other processes with which gaps between heartbeats are judged:
// above it, they say as much of those processes as of the gateway.
const mostOthers = 0.1

// busyMachine is the reason not to judge times.
func busyMachine(others float64) string {
	return fmt.Sprintf("other processes used %.0f %% of the processors", 100*others)
}
