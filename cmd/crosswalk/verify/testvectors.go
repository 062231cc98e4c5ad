package verify

import (
	"context"
	"errors"
	"sync"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/golden"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

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
