package list

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Compared is what the programs of test/operators/oracle found when they compared a module with the
// operator's own webhook.
type Compared struct {
	Objects int `json:"objects"`
	// Refused are objects that the webhook refuses. Of these, the module converts those in Carried, whose
	// values of wrong types it does not decode.
	Refused int `json:"refused"`
	Carried int `json:"carried"`
	// Written are equal results whose texts differ until the operator's types have decoded and encoded both.
	Written int `json:"written,omitempty"`
	// Differing are objects whose results differ, or that one of the two refuses.
	Differing int    `json:"differing"`
	Run       string `json:"run"`
}

// ReadCompared returns the comparisons in a file, by Operator.Title.
func ReadCompared(name string) (map[string]Compared, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	all := map[string]Compared{}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return all, nil
}

// WriteCompared writes the comparison of a kind to a file, and leaves the others.
func WriteCompared(name, title string, c Compared) error {
	all, err := ReadCompared(name)
	if err != nil {
		return err
	}
	all[title] = c
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}

// Now returns the day and the revision of this repository, with a plus sign if files have changed other
// than those that the runs write. The rows come from many runs.
func Now() string {
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", args...).Output()
		return strings.TrimSpace(string(out)), err
	}
	revision, err := git("rev-parse", "--short=8", "HEAD")
	changed, e := git("status", "--porcelain", "--untracked-files=no", "--", ":(top)", ":(top,exclude)docs/author/operators.md", ":(top,exclude)test/operators/oracle/webhooks.json")
	switch {
	case err != nil || e != nil:
		revision = "unknown"
	case changed != "":
		revision += "+"
	}
	return time.Now().UTC().Format(time.DateOnly) + ", " + revision
}
