package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/cluster"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/diff"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// liveFlags name the stored objects of a cluster. They are only read.
type liveFlags struct {
	definition string
	cluster    *cluster.Flags
}

func (l *liveFlags) flags(flags *pflag.FlagSet) {
	flags.StringVar(&l.definition, "live", "", "`CRD` (PLURAL.GROUP or KIND.GROUP) of which to read every stored object from a cluster, instead of other objects")
	l.cluster = cluster.DeclareSeveral(flags)
}

// open finds the definition in a cluster.
func (l *liveFlags) open(ctx context.Context, flags *cluster.Flags) (*attach.Cluster, *attach.Target, error) {
	c, err := flags.Open()
	if err != nil {
		return nil, nil, err
	}
	t, err := c.Find(ctx, l.definition)
	return c, t, err
}

// progress returns a function that shows a number of objects on a terminal, and one that removes the line.
func progress(s command.Streams, name string) (show func(objects, findings int), end func()) {
	say, end := output.Progress(s.Err)
	start := time.Now()
	return func(objects, findings int) {
		say("%s: %d objects in %v, %d findings", name, objects, time.Since(start).Round(time.Second), findings)
	}, end
}

// liveRun tests the modules of a definition with every stored object.
func (o *testOptions) liveRun(ctx context.Context, s command.Streams, args []string) error {
	config, err := o.how.Config(s)
	if err != nil {
		return err
	}
	files, err := modules.FilesOf(s, args)
	if err != nil {
		return err
	}
	config = modules.Cached(config)
	config.Limits, config.Logger, config.SkipCases = fuzz.Limits(config.Limits), nil, true
	report := output.NewReport(s.Out, *o.format, true)
	err = o.live.cluster.Each(func(c cluster.Selection) error {
		report.In(c.Name)
		err := o.liveCluster(ctx, s, c.Flags, files, config, report)
		if err != nil && c.Name != "" {
			report.Add(output.Result{File: files[0], Check: "its stored objects are tested", Verdict: output.Fail, Why: err.Error()})
		}
		return err
	})
	if err != nil && report.Results() == 0 {
		return err
	}
	if err := errors.Join(report.Close(), err); err != nil {
		return err
	}
	if report.Failed() {
		return command.ErrFound
	}
	return nil
}

// liveCluster tests the modules with the stored objects of one cluster.
func (o *testOptions) liveCluster(ctx context.Context, s command.Streams, flags *cluster.Flags, files []string, config runtime.OpenConfig, report *output.Report) error {
	c, t, err := o.live.open(ctx, flags)
	if err != nil {
		return err
	}
	tested := false
	for _, crd := range t.Definitions {
		var names []string
		for _, file := range files {
			name, err := artifact.ParseName(filepath.Base(file))
			if err != nil {
				return err
			}
			if name.Kind == crd.Spec.Names.Kind && name.Group == crd.Spec.Group {
				names = append(names, file)
			}
		}
		set, _, err := modules.OpenAll(ctx, names, config)
		if err != nil {
			return err
		}
		if len(set) == 0 {
			continue
		}
		tested = true
		show, end := progress(s, crd.Name)
		found, err := fuzz.Run(ctx, fuzz.Config{CRD: crd, Modules: fuzz.Modules(set), Seed: 1, Stored: c.Stored(ctx, crd, ""), Progress: show})
		end()
		left := unconverted(set, crd.Spec.Group, crd.Spec.Names.Kind, attach.ReadVersion(crd), attach.Served(crd))
		set.Close()
		if err != nil {
			return err
		}
		report.Add(findings(names, found, "stored objects come back whole", nil)...)
		if len(left) > 0 {
			report.Add(output.Result{Module: crd.Name, File: names[0], Check: "all served versions are tested", Verdict: output.Note,
				Why: "the modules do not convert the stored objects to " + strings.Join(left, ", ")})
		}
	}
	if !tested {
		return fmt.Errorf("none of the modules converts %s", t.Name)
	}
	return nil
}

// unconverted returns the served versions to which the modules do not convert the stored objects.
func unconverted(set modules.Set, group, kind, from string, served []string) (versions []string) {
	routes := set.Routes()
	for _, v := range served {
		if v != from && routes.Path(group, kind, from, v) == nil {
			versions = append(versions, v)
		}
	}
	return versions
}

// livePairs compares every stored object, at each served version, between all versions that both
// sets of modules convert.
func (o *diffOptions) livePairs(ctx context.Context, s command.Streams, selected cluster.Selection, before, after modules.Set) (all []*diff.Pair, err error) {
	c, t, err := o.live.open(ctx, selected.Flags)
	if err != nil {
		return nil, err
	}
	oldRoutes, newRoutes := before.Routes(), after.Routes()
	for _, crd := range t.Definitions {
		kind, group := crd.Spec.Names.Kind, crd.Spec.Group
		show, end := progress(s, crd.Name)
		read := 0
		for _, from := range attach.Served(crd) {
			var pairs []*diff.Pair
			for _, to := range oldRoutes.Versions(group, kind) {
				if from != to && oldRoutes.Path(group, kind, from, to) != nil && newRoutes.Path(group, kind, from, to) != nil {
					pairs = append(pairs, &diff.Pair{Context: selected.Name, Kind: kind + "." + group, From: from, To: to, Paths: []diff.Path{}})
				}
			}
			if len(pairs) == 0 {
				continue
			}
			var part []json.RawMessage
			compare := func() error {
				for _, p := range pairs {
					if err := p.Compare(ctx, reviewer(before), reviewer(after), group+"/"+p.To, part); err != nil {
						return err
					}
				}
				read += len(part)
				if show != nil {
					show(read, 0)
				}
				part = part[:0]
				return nil
			}
			for text, err := range c.Stored(ctx, crd, from) {
				if err == nil {
					if part = append(part, slices.Clone(text)); len(part) == livePart {
						err = compare()
					}
				}
				if err != nil {
					end()
					return nil, err
				}
			}
			if err := compare(); err != nil {
				end()
				return nil, err
			}
			all = append(all, pairs...)
		}
		end()
	}
	if len(all) == 0 {
		return nil, errors.New("no conversion of " + t.Name + " is in both OLD and NEW")
	}
	return all, nil
}

// livePart is how many stored objects are compared at once.
const livePart = 64
