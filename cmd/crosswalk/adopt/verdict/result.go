// Package verdict says whether a module may take the place of the operator's code: from the results of
// a comparison, and the lines by which a person accepts the rest.
package verdict

import (
	"encoding/json"
	"path/filepath"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/compare"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/project"
)

// File is the file with the result of a kind, for programs.
const File = "report.json"

// Result is the result for one kind. Sizes are bytes.
type Result struct {
	Kind       string   `json:"kind"`
	Group      string   `json:"group"`
	Verdict    Verdict  `json:"verdict"`
	Reasons    []string `json:"reasons"`    // against equal
	State      []string `json:"state"`      // dependences beside the object that nobody accepted
	Unsearched []string `json:"unsearched"` // variables that an operator's main may set, if no main was searched
	Accepted   []string `json:"accepted"`   // lines of adopt.lock
	compare.Comparison
	Sizes project.Sizes `json:"sizes"`
	Load  float64       `json:"load"` // seconds of CPU
}

// Write writes report.json.
func (r *Result) Write(dir string) error {
	for i := range r.Pairs {
		r.Pairs[i].Sample = nil
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return gocmd.WriteFile(filepath.Join(dir, File), append(text, '\n'))
}
