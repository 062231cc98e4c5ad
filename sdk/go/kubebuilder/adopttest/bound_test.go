package adopttest

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestBound asserts that only CPU time that is used after the start ends a process.
func TestBound(t *testing.T) {
	used, asked := 10*time.Hour, 0
	ended := false
	bound(3*time.Minute, time.Nanosecond, func() time.Duration {
		used += time.Minute
		asked++
		return used
	}, nil, func() { ended = true })
	if !ended || asked != 4 {
		t.Errorf("ended: %v, after asking %d times", ended, asked)
	}
	stop := make(chan struct{})
	close(stop)
	bound(time.Nanosecond, time.Hour, func() time.Duration { return 0 }, stop, func() { t.Error("a stopped bound ended the process") })
}

// TestEndProcess asserts that the output names the function that does not return.
func TestEndProcess(t *testing.T) {
	if os.Getenv("ADOPTTEST_LOOP") != "" {
		go loop()
		for !looping.Load() {
			runtime.Gosched()
		}
		endProcess()
	}
	command := exec.Command(os.Args[0], "-test.run", "^TestEndProcess$")
	command.Env = append(os.Environ(), "ADOPTTEST_LOOP=1")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	err := command.Run()
	text := stderr.String()
	if err == nil || command.ProcessState.ExitCode() != 2 || !strings.HasPrefix(text, "fatal error: 1h0m0s of CPU are used\n") || !strings.Contains(text, "adopttest.loop(") {
		t.Errorf("%v\n%s", err, text)
	}
}

var looping atomic.Bool

func loop() {
	for {
		looping.Store(true)
	}
}

// TestRunning asserts that goroutines that wait, and the first, are left out.
func TestRunning(t *testing.T) {
	const traces = "goroutine 9 [running]:\nend()\n\ngoroutine 1 [chan receive, 60 minutes]:\nmain()\n\ngoroutine 7 [runnable]:\nconvert()\n\ngoroutine 8 [running]:\ncopy()"
	if got := string(running([]byte(traces))); got != "goroutine 7 [runnable]:\nconvert()\n\ngoroutine 8 [running]:\ncopy()" {
		t.Errorf("got %q", got)
	}
}
