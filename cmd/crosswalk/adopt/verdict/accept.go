package verdict

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
)

// Accepted are the lines of adopt.lock by which a person takes responsibility, with a reason, for
// something that stands against equal. They are kept when the file is written again.
type Accepted struct {
	Lines   []string // as they are written
	reasons map[[2]string]string
}

var acceptLine = regexp.MustCompile(`^accept[ \t]+(\S+)[ \t]+(\S+):[ \t]+(\S.*)$`)

// acceptable are the things that a line may accept.
func acceptable() []string {
	return []string{"state", "uncovered", "uncompared", "refused", "functions"}
}

// ReadAccepted reads the lines of a project; there are none without adopt.lock.
func ReadAccepted(dir string) (a Accepted, err error) {
	name := filepath.Join(dir, "adopt.lock")
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	if err != nil {
		return a, err
	}
	a.reasons = map[[2]string]string{}
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "accept ") && !strings.HasPrefix(line, "accept\t") {
			continue
		}
		m := acceptLine.FindStringSubmatch(line)
		switch {
		case m == nil:
			return a, fmt.Errorf("%s:%d: %q has no reason: write accept WHAT NAME: REASON", gocmd.ShortPath(name), n+1, line)
		case !slices.Contains(acceptable(), m[1]):
			return a, fmt.Errorf("%s:%d: accept %s is not known: must be %s", gocmd.ShortPath(name), n+1, m[1], strings.Join(acceptable(), ", "))
		}
		a.Lines = append(a.Lines, line)
		a.reasons[[2]string{m[1], m[2]}] = m[3]
	}
	return a, nil
}

// Has reports whether a line accepts the name. A file without a line number accepts all its lines,
// and a directory that ends in a slash all its files.
func (a Accepted) Has(what, name string) bool {
	if a.reasons[[2]string{what, name}] != "" {
		return true
	}
	file, _, ok := strings.Cut(name, ".go:")
	if !ok {
		return false
	}
	for at := file + ".go"; at != ""; at = at[:strings.LastIndexByte(strings.TrimSuffix(at, "/"), '/')+1] {
		if a.reasons[[2]string{what, at}] != "" {
			return true
		}
	}
	return false
}

// Reason returns the reason of the line that accepts the name; "" without one.
func (a Accepted) Reason(what, name string) string { return a.reasons[[2]string{what, name}] }

// without returns the names that are not accepted.
func (a Accepted) without(what string, names []string) (left []string) {
	for _, name := range names {
		if !a.Has(what, name) {
			left = append(left, name)
		}
	}
	return left
}

// Names returns the names that lines accept, in their order.
func (a Accepted) Names(what string) (names []string) {
	for _, line := range a.Lines {
		if m := acceptLine.FindStringSubmatch(line); m[1] == what {
			names = append(names, m[2])
		}
	}
	return names
}

// Append adds the lines to the text of adopt.lock.
func (a Accepted) Append(lock []byte) []byte {
	b := bytes.NewBuffer(slices.Clone(lock))
	for _, line := range a.Lines {
		fmt.Fprintln(b, line)
	}
	return b.Bytes()
}
