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

// Now returns the day and the revision of this repository, with a plus sign if files have changed. The
// rows come from many runs.
func Now() string {
	revision, err := exec.Command("git", "describe", "--always", "--dirty=+", "--exclude=*", "--abbrev=8").Output()
	if err != nil {
		revision = []byte("unknown")
	}
	return time.Now().UTC().Format(time.DateOnly) + ", " + strings.TrimSpace(string(revision))
}
