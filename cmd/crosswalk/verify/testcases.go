package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/golden"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
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

// fits reports whether a ConfigMap can hold the module.
func fits(file string, add func(edge, check string, verdict output.Verdict, why string)) {
	content, err := os.ReadFile(file)
	if err != nil {
		add("", "it fits a ConfigMap", output.Fail, err.Error())
		return
	}
	text := sizes(filepath.Base(file), content)
	if strings.HasSuffix(text, "too large for a ConfigMap") {
		add("", "it fits a ConfigMap", output.Note, text+": use an image or a volume")
		return
	}
	add("", "it fits a ConfigMap", output.Pass, text)
}

// schemas checks the module's name, its declared fields and its golden cases against the
// definition.
func schemas(p project, m *module.Module, add func(edge, check string, verdict output.Verdict, why string), at func(i int, r output.Result)) {
	if p.d.Schemas == nil {
		add("", "its definition has what it converts", output.Skip, "there is no CustomResourceDefinition: name it with --crd, or put a copy beside the module")
		return
	}
	versions := map[string]bool{}
	for _, v := range p.d.Schemas.Versions {
		versions[v.Name] = true
	}
	var missing []string
	for _, v := range m.FileName().Versions {
		if !versions[v] {
			missing = append(missing, v)
		}
	}
	if len(missing) > 0 {
		add("", "its definition has what it converts", output.Fail, fmt.Sprintf("%s has no version %s", p.d.Path, strings.Join(missing, ", ")))
		return
	}
	add("", "its definition has what it converts", output.Pass, "")
	if doubts := doubtful(m, p.d); len(doubts) > 0 {
		add("", "its declared fields exist", output.Fail, strings.Join(doubts, "\n"))
	} else if m.Declared() != nil {
		add("", "its declared fields exist", output.Pass, "")
	}
	if doubt := otherProof(m, p.d); doubt != "" {
		add("", "its proof is for the schemas", output.Fail, doubt)
	}
	caseSchemas(p.d, m, at)
}

// writeVectors writes the golden cases of one module as vectors for native tests.
func (o *testOptions) writeVectors(ctx context.Context, s command.Streams, args []string) error {
	config, err := o.how.Config(s)
	if err != nil {
		return err
	}
	projects, _, err := o.projects(s, args)
	if err != nil {
		return err
	}
	if len(projects) != 1 {
		return command.Usagef("--vectors writes the cases of one module: name one, not %d", len(projects))
	}
	if err := checkCopy(projects[0]); err != nil {
		return command.Finding{Err: err}
	}
	lenient := modules.Cached(config)
	lenient.SkipCases = true
	m, err := modules.Open(ctx, projects[0].file, lenient)
	if err != nil {
		return err
	}
	defer m.Close()
	cases := m.Cases()
	if len(cases) == 0 {
		return command.Findingf("%s has no golden cases: write some into its sidecar (docs/author/sidecar.md)", m.Name())
	}
	results := sync.OnceValue(func() []load.CaseResult { return load.TryCases(ctx, m) })
	vectors, err := golden.Vectors(m.FileName().Group, cases, func(i int) ([]byte, error) {
		if r := results()[i]; r.Err != nil {
			return nil, errors.New(golden.Why(r))
		}
		return wholeAnswer(ctx, m, cases[i])
	})
	if err != nil {
		return command.Finding{Err: err}
	}
	return golden.WriteVectors(o.vectors, vectors)
}

// wholeAnswer returns the module's answer to a golden case that it passes, with the text of a
// stash.
func wholeAnswer(ctx context.Context, m *module.Module, c module.Case) ([]byte, error) {
	name := m.FileName()
	answer, _, err := load.TryObject(ctx, m, artifact.Edge{Group: name.Group, Kind: name.Kind, From: c.From, To: c.To}, c.Object)
	return answer, err
}
