package adopt

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
)

// ErrChanged says that the operator's code is not that of adopt.lock.
var ErrChanged = errors.New("the operator's code has changed")

// lockFile is in each project.
const lockFile = "adopt.lock"

// lock returns the text of adopt.lock.
func (o Options) lock(x *extract.Extraction, k discover.Resource) ([]byte, error) {
	lines, err := x.Sums()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Written by crosswalk adopt: the source files that %s was copied from.\n", k.File())
	for _, l := range lines {
		fmt.Fprintln(&b, l)
	}
	return b.Bytes(), nil
}

// check says which files are not those of the lock. Lines that accept something do not count.
func check(dir string, lock []byte) error {
	old, err := os.ReadFile(filepath.Join(dir, lockFile))
	if err != nil {
		return fmt.Errorf("there is nothing to compare with: %w", err)
	}
	names := func(text []byte) map[string]string {
		m := map[string]string{}
		for _, line := range strings.Split(string(text), "\n") {
			if sum, name, ok := strings.Cut(line, "  "); ok && !strings.Contains(sum, " ") {
				m[name] = sum
			}
		}
		return m
	}
	was, is := names(old), names(lock)
	var changed []string
	for name := range is {
		if was[name] != is[name] {
			changed = append(changed, name)
		}
	}
	for name := range was {
		if is[name] == "" {
			changed = append(changed, name)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	slices.Sort(changed)
	dir = gocmd.ShortPath(dir)
	return fmt.Errorf("%w since %s was written: %s; run crosswalk adopt again", ErrChanged, filepath.Join(dir, lockFile), strings.Join(changed, ", "))
}
