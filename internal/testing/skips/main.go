// Command skips runs a command with tests and records in a file the tests that were skipped, the
// packages of which not all tests ran, and the reasons. It shows the output of go test -json as go test does without it.
//
//	skips FILE COMMAND ARG…   runs the command, and exits with its code
//	skips FILE                prints the list of all runs
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
	"regexp"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "skips: name the file of the list, and a command: skips FILE COMMAND ARG…")
		os.Exit(2)
	}
	code, err := 0, error(nil)
	if len(os.Args) == 2 {
		err = list(os.Stdout, os.Args[1])
	} else {
		code, err = run(os.Stdout, os.Args[1], os.Args[2:])
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "skips: %v\n", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// run runs a command and returns its exit code.
func run(out io.Writer, file string, command []string) (code int, err error) {
	record, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return 1, err
	}
	defer record.Close()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	output, err := cmd.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	readErr := (&reader{out: out, record: record, packages: map[string][]line{}}).read(output)
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), readErr // -1: a signal
	}
	return 0, errors.Join(err, readErr)
}

// event is a line of go test -json.
type event struct{ Action, Package, Test, Output string }

// line is a line of a package's output. Lines of the package as a whole have no test.
type line struct{ test, text string }

// reader reads the output of a command.
type reader struct {
	out, record io.Writer
	packages    map[string][]line // without the lines of tests that passed or were skipped
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

// skipped adds a line to the file in one write, because other processes add lines, too.
func (r *reader) skipped(reason, test string) error {
	text, err := json.Marshal(skip{reason, test})
	if err == nil {
		_, err = r.record.Write(append(text, '\n'))
	}
	return err
}
