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

// cases tries the golden cases of the sidecar, and updates it with --update.
func (o *testOptions) cases(ctx context.Context, p project, m *module.Module, add func(edge, check string, verdict output.Verdict, why string)) error {
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
	for _, r := range results {
		why, verdict := golden.Why(r), output.Pass
		switch {
		case slices.Contains(updated, r.Case.Name):
			verdict, why = output.Note, "updated in "+p.sidecar+":\n"+why
		case why != "":
			verdict = output.Fail
		}
		add(r.Case.From+"→"+r.Case.To, r.Case.Name, verdict, why)
	}
	if len(results) == 0 {
		add("", "it has golden cases", output.Note, "there are none: write some into its sidecar (docs/author/sidecar.md)")
	}
	return nil
}

// maxCaseViolations is the most violations that are shown of a case.
const maxCaseViolations = 20

// caseSchemas checks the objects of golden cases against the schemas. Cases may be fragments.
func caseSchemas(d definition.File, m *module.Module, add func(edge, check string, verdict output.Verdict, why string)) {
	for _, c := range m.Cases() {
		if c.Want == nil {
			continue // the object may be meant to be wrong
		}
		verdict := output.Pass
		var lines []string
		for _, part := range []struct {
			name, version string
			object        []byte
		}{{"object", c.From, c.Object}, {"want", c.To, c.Want}} {
			err := d.Schemas.Check(part.version, part.object, schema.Options{Partial: true}, func(v schema.Violation) bool {
				if verdict == output.Pass {
					verdict = output.Note
				}
				if !v.Pruned && part.name == "want" {
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
			add(c.From+"→"+c.To, "the schemas accept "+c.Name, verdict, strings.Join(lines, "\n"))
		}
	}
}
