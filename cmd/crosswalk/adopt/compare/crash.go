package compare

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// LargestNumber is the largest number in an object of the second comparison, which runs if the
// operator's code ran out of memory in the first. A list with as many elements fits any machine.
const LargestNumber = 1000

var (
	fatalLine = regexp.MustCompile(`(?m)^fatal error: (.*)$`)
	// signalLine is go test's for a process that a signal ended.
	signalLine = regexp.MustCompile(`(?m)^signal: (\w+)`)
	frameLine  = regexp.MustCompile(`(?m)^(\S+)\([^\n]*\)\n\t(\S+\.go:\d+)`)
)

// crash returns what ended the process of the comparison and where in the operator's code, from the
// output of go test; "" if nothing did that a program cannot recover from.
func crash(out string) string {
	fatal := fatalLine.FindStringSubmatch(out)
	if fatal == nil {
		return ""
	}
	for _, frame := range frameLine.FindAllStringSubmatch(out, -1) {
		function, file := path.Base(frame[1]), frame[2]
		if strings.HasPrefix(frame[1], "runtime.") || strings.Contains(frame[1], "adopttest.") {
			continue
		}
		if i := strings.Index(file, "/pkg/mod/"); i >= 0 {
			file = file[i+len("/pkg/mod/"):]
		}
		return fmt.Sprintf("%s, in %s (%s)", fatal[1], function, file)
	}
	return fatal[1]
}

// killed returns the signal that ended the process of the comparison; "" if none did.
func killed(out string) string {
	if signal := signalLine.FindStringSubmatch(out); signal != nil {
		return signal[1]
	}
	return ""
}

// shortened returns the begin and the end of an output, which has the cause.
func shortened(out string) string {
	const most = 8 << 10
	if len(out) <= most {
		return out
	}
	return out[:most/2] + "\n…\n" + out[len(out)-most/2:]
}

// outOfMemory reports whether a crash is one that objects with smaller numbers may not cause.
func outOfMemory(crash string) bool {
	return strings.Contains(crash, "out of memory") || strings.Contains(crash, "cannot allocate memory")
}
