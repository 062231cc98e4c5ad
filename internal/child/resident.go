package child

import (
	"bytes"
	"os"
	"strconv"
)

// Resident reads the second field of a statm file, a process's resident memory; 0 where it cannot.
func Resident(statm string) int {
	text, err := os.ReadFile(statm)
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(string(fields[1]))
	return pages * os.Getpagesize()
}

// Peak reads the most resident memory that this process has had, in bytes; 0 where it cannot. A
// child reports it, because its peak may fall between two looks of its parent.
func Peak() int { return peak("/proc/self/status") }

func peak(status string) int {
	text, err := os.ReadFile(status)
	if err != nil {
		return 0
	}
	_, rest, found := bytes.Cut(text, []byte("\nVmHWM:"))
	fields := bytes.Fields(rest)
	if !found || len(fields) < 2 || string(fields[1]) != "kB" {
		return 0
	}
	kibibytes, _ := strconv.Atoi(string(fields[0]))
	return kibibytes << 10
}
