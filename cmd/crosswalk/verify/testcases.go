package verify

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/golden"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// caseAdder returns a function that puts the result of the golden case with a number into a report, at
// its place in the sidecar. A module without one has its cases in itself.
func caseAdder(p project, put func(output.Result)) func(i int, r output.Result) {
	var lines []int
	return func(i int, r output.Result) {
		r.File = p.file
		if lines == nil && p.sidecar != "" {
			lines = golden.Lines(p.sidecar) // after --update
		}
		if i < len(lines) {
			r.File, r.Line = p.sidecar, lines[i]
		}
		put(r)
	}
}

// cases tries the golden cases of the sidecar, and updates it with --update.
func (o *testOptions) cases(ctx context.Context, p project, m *module.Module, add func(edge, check string, verdict output.Verdict, why string), at func(i int, r output.Result)) error {
	results := load.TryCases(ctx, m)
	var updated []string
	if o.update && p.sidecar != "" {
		files := []string{p.sidecar}
		if beside := filepath.Join(filepath.Dir(p.file), filepath.Base(p.sidecar)); beside != p.sidecar && isFile(beside) {
			files = append(files, beside)
		}
		for _, file := range files {
			changed, err := golden.UpdateSidecar(file, results)
			if err != nil {
				return err
			}
			updated = changed
		}
	}
	for i, r := range results {
		why, verdict := golden.Why(r), output.Pass
		switch {
		case slices.Contains(updated, r.Case.Name):
			verdict, why = output.Note, "updated in "+p.sidecar+":\n"+why
		case why != "":
			verdict = output.Fail
		}
		at(i, output.Result{Edge: r.Case.From + "→" + r.Case.To, Check: r.Case.Name, Verdict: verdict, Why: why})
	}
	if len(results) == 0 {
		add("", "it has golden cases", output.Note, "there are none: write some into its sidecar (docs/author/sidecar.md)")
	}
	return nil
}

// maxCaseViolations is the most violations that are shown of a case.
const maxCaseViolations = 20

// caseSchemas checks the objects of golden cases against the schemas. Cases may be fragments. A result has to
// be valid if the object is: an API server stores no other, and validates no fragment.
func caseSchemas(d definition.File, m *module.Module, at func(i int, r output.Result)) {
	for i, c := range m.Cases() {
		if c.Want == nil {
			continue // the object may be meant to be wrong
		}
		verdict, valid := output.Pass, true
		_ = d.Schemas.Check(c.From, c.Object, schema.Options{}, func(v schema.Violation) bool {
			valid = valid && v.Pruned
			return valid
		})
		var lines []string
		for _, part := range []struct {
			name, version string
			object        []byte
		}{{"object", c.From, c.Object}, {"want", c.To, c.Want}} {
			err := d.Schemas.Check(part.version, part.object, schema.Options{Partial: true}, func(v schema.Violation) bool {
				if verdict == output.Pass {
					verdict = output.Note
				}
				if !v.Pruned && part.name == "want" && valid {
					verdict = output.Fail
				}
				lines = append(lines, part.name+": "+v.String())
				return len(lines) < maxCaseViolations
			})
			if err != nil {
				verdict = output.Fail
				lines = append(lines, part.name+": "+err.Error())
			}
		}
		if verdict != output.Pass {
			at(i, output.Result{Edge: c.From + "→" + c.To, Check: "the schemas accept " + c.Name, Verdict: verdict, Why: strings.Join(lines, "\n")})
		}
	}
}
