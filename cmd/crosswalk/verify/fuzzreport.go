package verify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

// fuzzed is the report about the modules of one kind.
type fuzzed struct {
	Modules []string `json:"modules"`
	*fuzz.Report
}

// writeMade writes the objects of a report for people, after its findings.
func writeMade(s command.Streams, r *fuzz.Report) {
	paint := output.Paint(s.Out)
	made := paint(output.Green, "made ")
	all := 0
	for choices, n := range r.Scopes {
		if all += n; choices+1 == len(r.Scopes) {
			fmt.Fprintf(s.Out, "  %s  all %d objects of scope %d\n", made, all, choices)
		}
	}
	const most = 10
	for _, v := range r.Versions {
		size := ""
		if v.Kept > 0 {
			size = fmt.Sprintf("; size: %d of %d kept paths", v.Large, v.Kept)
		}
		fmt.Fprintf(s.Out, "  %s  %s: %d objects reached %d of %d goals%s\n", made, v.Version, v.Objects, v.Goals-len(v.Unreached), v.Goals, size)
		for i, text := range v.Unreached {
			if i == most {
				fmt.Fprintf(s.Out, "         and %d more\n", len(v.Unreached)-most)
				break
			}
			fmt.Fprintf(s.Out, "         not reached: %s\n", text)
		}
	}
	findings, empty := fuzz.Fold(r.Findings)
	more, n := "", 0
	for _, e := range empty {
		n += len(e.Paths)
	}
	if n > 0 {
		more = fmt.Sprintf(" and %d about empty values", n)
	}
	fmt.Fprintf(s.Out, "%d objects, %d findings%s, %d acknowledged\n", r.Objects, len(findings), more, len(r.Known))
}

// writeSeen writes how much clients of the other versions see, and the findings about it.
func writeSeen(s command.Streams, measures []fuzz.Measure, asks []fuzz.Finding) {
	for _, line := range fuzz.Lines(measures) {
		fmt.Fprintf(s.Out, "  %s\n", line)
	}
	for _, f := range asks {
		fmt.Fprintf(s.Out, "  %s  %s\n", output.Paint(s.Out)(output.Red, "FAIL "), f.Text())
	}
}

// saveFindings writes the findings as golden cases that fail until the converter is corrected: one
// file for a kind, with cases for a sidecar, and one for each object near the size limit.
func saveFindings(dir, kind string, findings []fuzz.Finding) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	type golden struct {
		Name         string          `json:"name"`
		From         string          `json:"from"`
		To           string          `json:"to"`
		Object       json.RawMessage `json:"object"`
		ThereAndBack bool            `json:"thereAndBack"`
	}
	var cases []golden
	large := 0
	for _, f := range findings {
		switch {
		case f.Large != nil: // too long for a sidecar
			large++
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s_%s_to_%s_large%d.json", kind, f.From, f.To, large)), f.Large, 0o644); err != nil {
				return err
			}
		case f.Object != nil:
			cases = append(cases, golden{f.Property + " " + f.Path, f.From, f.To, f.Object, true})
		}
	}
	if len(cases) == 0 {
		return nil
	}
	var text bytes.Buffer
	if err := output.Write(&text, output.YAML, map[string]any{"cases": cases}); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, kind+".yaml"), text.Bytes(), 0o644)
}
