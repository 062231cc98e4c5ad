package runtime

import (
	"bytes"
	"os"
	"strconv"
)

// residentBytes reads the second field of a statm file, a process's resident memory; 0 where it cannot.
func residentBytes(statm string) int {
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
