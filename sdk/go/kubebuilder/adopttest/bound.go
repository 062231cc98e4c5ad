package adopttest

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"time"
)

// mostCPU ends a comparison with a conversion that does not return. A bound of wall time would end
// comparisons on a busy machine.
const mostCPU = time.Hour

// bound calls end once the process has used so much CPU time more, and asks each interval, until stop is closed.
func bound(most, interval time.Duration, used func() time.Duration, stop <-chan struct{}, end func()) {
	for begin := used(); used()-begin < most; {
		select {
		case <-stop:
			return
		case <-time.After(interval):
		}
	}
	end()
}

// endProcess ends the process like an error of Go's runtime that no program recovers from, with the
// goroutines that run. crosswalk adopt reads this output.
func endProcess() {
	text := make([]byte, 1<<20)
	text = text[:runtime.Stack(text, true)]
	_, _ = fmt.Fprintf(os.Stderr, "fatal error: %v of CPU are used\n\n%s\n", mostCPU, running(text))
	os.Exit(2)
}

// running returns the traces of the goroutines that run or could, apart from the first, which asks for them.
func running(traces []byte) []byte {
	var found [][]byte
	for _, trace := range bytes.Split(traces, []byte("\n\n"))[1:] {
		header, _, _ := bytes.Cut(trace, []byte("\n"))
		if bytes.Contains(header, []byte("[run")) {
			found = append(found, trace)
		}
	}
	return bytes.Join(found, []byte("\n\n"))
}
