// Command results runs the commands of a part of the tests, and records the time that they took,
// the number of tests, and the tests that passed or were skipped, with the reason. It shows the
// output of go test -json as go test does without it.
//
//	results run FILE COMMAND ARG…   runs the command, adds its records to the file, which is named for the part, and exits with its code
//	results show FILE…              prints the tests that no part ran and the table of the parts, and exits with 1 if a part failed
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	code, err := 0, error(nil)
	switch {
	case len(os.Args) > 3 && os.Args[1] == "run":
		code, err = run(os.Stdout, os.Args[2], os.Args[3:])
	case len(os.Args) > 2 && os.Args[1] == "show":
		code, err = show(os.Stdout, os.Args[2:])
	default:
		code, err = 2, errors.New("name a command: results run FILE COMMAND ARG…, or results show FILE…")
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "results: %v\n", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// record is a line of a file: a test, or a command that ended.
type record struct {
	Action string `json:",omitempty"` // of the test: pass, fail or skip
	Test   string `json:",omitempty"` // package and name; the package alone if not all of its tests ran; empty for a part of a script
	Reason string `json:",omitempty"` // why the test was skipped
	Ended  *end   `json:",omitempty"`
}

// end is the end of a command. CPU includes the processes that the command waited for.
type end struct {
	Wall, CPU time.Duration
	Code      int
}

// within is the environment variable that names the file to the commands that run runs. The time of one
// that records to the same file is part of the outer command's.
const within = "CROSSWALK_TEST_RESULTS"

// run runs a command and returns its exit code.
func run(out io.Writer, file string, command []string) (code int, err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return 1, err
	}
	records, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return 1, err
	}
	defer records.Close()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stderr, cmd.Env = os.Stdin, os.Stderr, append(os.Environ(), within+"="+file)
	output, err := cmd.StdoutPipe()
	if err != nil {
		return 1, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	r := &reader{out: out, records: records, packages: map[string][]line{}}
	readErr := r.read(output)
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code, err = max(exit.ExitCode(), 1), nil // -1: a signal
	}
	if os.Getenv(within) == file {
		return code, errors.Join(err, readErr)
	}
	state := cmd.ProcessState
	return code, errors.Join(err, readErr, r.record(record{Ended: &end{time.Since(start), state.UserTime() + state.SystemTime(), code}}))
}

// event is a line of go test -json.
type event struct{ Action, Package, Test, Output string }

// line is a line of a package's output. Lines of the package as a whole have no test.
type line struct{ test, text string }

// reader reads the output of a command.
type reader struct {
	out, records io.Writer
	packages     map[string][]line // without the lines of tests that passed or were skipped
}

func (r *reader) read(output io.Reader) error {
	lines := bufio.NewReader(output)
	for {
		text, err := lines.ReadString('\n')
		if text != "" {
			if err := r.one(text); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *reader) one(text string) error {
	var e event
	if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &e) != nil || e.Action == "" {
		if reason, ok := strings.CutPrefix(text, "skipped"); ok {
			if err := r.skipped(strings.Trim(reason, ": \n"), ""); err != nil {
				return err
			}
		}
		_, err := io.WriteString(r.out, text)
		return err
	}
	switch {
	case e.Action == "build-output":
		_, err := io.WriteString(r.out, e.Output)
		return err
	case e.Action == "output":
		r.packages[e.Package] = append(r.packages[e.Package], line{e.Test, e.Output})
	case e.Test != "" && e.Action == "pass":
		r.take(e.Package, e.Test)
		return r.record(record{Test: e.Package + " " + e.Test, Action: e.Action})
	case e.Test != "" && e.Action == "fail":
		return r.record(record{Test: e.Package + " " + e.Test, Action: e.Action})
	case e.Test != "" && e.Action == "skip":
		return r.skipped(reasonOf(r.take(e.Package, e.Test)), e.Package+" "+e.Test)
	case e.Test == "" && (e.Action == "pass" || e.Action == "skip" || e.Action == "fail"):
		return r.end(e)
	}
	return nil
}

// take removes the lines of a test.
func (r *reader) take(of, test string) (taken []string) {
	kept := r.packages[of][:0]
	for _, l := range r.packages[of] {
		if l.test == test {
			taken = append(taken, l.text)
		} else {
			kept = append(kept, l)
		}
	}
	r.packages[of] = kept
	return taken
}

// notRun is the reason for a package of which some tests, or all, never began.
const notRun = "not all tests ran: the package did not build, or a panic, the end of its time or an exit ended it"

// end shows the result of a package, and of a failed one the lines of all tests that did not pass. go
// test prints FAIL on a line of its own only if the package came to its end.
func (r *reader) end(e event) error {
	if e.Action == "fail" && !slices.Contains(r.packages[e.Package], line{"", "FAIL\n"}) {
		if err := r.skipped(notRun, e.Package); err != nil {
			return err
		}
	}
	for _, l := range r.packages[e.Package] {
		if e.Action != "fail" && !strings.HasPrefix(l.text, "ok  ") && !strings.HasPrefix(l.text, "?   ") || isProgress(l.text) {
			continue
		}
		if _, err := io.WriteString(r.out, l.text); err != nil {
			return err
		}
	}
	delete(r.packages, e.Package)
	return nil
}

// isProgress reports whether go test shows a line with -v only.
func isProgress(text string) bool { return strings.HasPrefix(strings.TrimLeft(text, " "), "=== ") }

// place is the position of a message of a test.
var place = regexp.MustCompile(`^\s*\S+\.go:\d+: `)

// reasonOf returns the first line that a skipped test printed last: its reason.
func reasonOf(lines []string) string {
	reason := ""
	for _, l := range lines {
		if at := place.FindString(l); at != "" {
			reason = strings.TrimSpace(l[len(at):])
		}
	}
	return cmp.Or(reason, "no reason given")
}

func (r *reader) skipped(reason, test string) error {
	return r.record(record{Action: "skip", Test: test, Reason: reason})
}

// record adds a line to the file in one write, because other processes add lines, too.
func (r *reader) record(of record) error {
	text, err := json.Marshal(of)
	if err == nil {
		_, err = r.records.Write(append(text, '\n'))
	}
	return err
}
