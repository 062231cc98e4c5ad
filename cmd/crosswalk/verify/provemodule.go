package verify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/prove"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// module answers for a module.
func (o *proveOptions) module(ctx context.Context, s command.Streams, file string) error {
	name, err := artifact.ParseName(filepath.Base(file))
	if err != nil {
		return command.Usagef("%s is neither rules (.yaml) nor a module: %w", file, err)
	}
	config, err := o.how.Config(s)
	if err != nil {
		return err
	}
	d, err := definition.ReadFile(o.crd, name.Kind+"."+name.Group)
	if err != nil {
		return err
	}
	if d.Kind() != name.Kind+"."+name.Group {
		return command.Findingf("%s defines %s, and %s converts %s.%s", o.crd, d.Kind(), file, name.Kind, name.Group)
	}
	ctx, stop := command.BoundMemory(ctx, s.Err, command.LargeObjects)
	defer stop()
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(1600)) // as for crosswalk fuzz
	}
	config = modules.Cached(config)
	config.Limits, config.Logger = fuzz.Limits(config.Limits), nil
	m, err := modules.Open(ctx, file, config)
	if err != nil {
		return err
	}
	defer m.Close()
	bounds := prove.Bounds{Scope: o.scope, For: o.during}
	say, end := output.Progress(s.Err)
	defer end()
	bounds.Progress = func(scope, objects int, of float64) {
		say("scope %d: %d of about %.0f objects", scope, objects, of)
	}
	all, err := prove.Module(ctx, m, d.CRD, bounds)
	if err != nil {
		return err
	}
	report, err := fuzz.Run(ctx, fuzz.Config{CRD: d.CRD, Modules: []fuzz.Module{m}, Seed: 1, Objects: 1, Measure: true})
	if err != nil {
		return err
	}
	all.Measures, all.Asks = report.Measures, report.Asks()
	if *o.format == output.Table {
		writeEnumerated(s, file, all)
	} else if err := output.Write(s.Out, *o.format, all); err != nil {
		return err
	}
	if len(all.Losses)+len(all.Asks) > 0 || all.Scope < 1 {
		return command.ErrFound
	}
	return nil
}

// writeEnumerated writes the answer for people.
func writeEnumerated(s command.Streams, file string, all *prove.Enumerated) {
	paint := output.Paint(s.Out)
	fmt.Fprintf(s.Out, "%s: %s\n", file, all.Kind)
	writeSeen(s, all.Measures, all.Asks)
	for _, f := range all.Known {
		fmt.Fprintf(s.Out, "  %s  %s\n         acknowledged: %s\n", paint(output.Yellow, "known"), f.Text(), f.Reason)
	}
	for _, f := range all.Losses {
		fmt.Fprintf(s.Out, "  %s  %s\n         object: %s\n", paint(output.Red, "FAIL "), f.Text(), f.Example())
	}
	but := ""
	if len(all.Known) > 0 {
		but = ", except for the losses that the sidecar acknowledges"
	}
	switch {
	case len(all.Losses) > 0:
		fmt.Fprintf(s.Out, "%s: the objects of scope %d show the losses above (%d)\n", paint(output.Red, prove.Counterexample), all.Scope+1, len(all.Losses))
	case all.Scope < 1:
		fmt.Fprintf(s.Out, "%s: the time was over after %d of about %.0f objects of scope 1: give it more with --for\n", paint(output.Yellow, prove.NotDecided), all.Beyond, all.Next)
	default:
		fmt.Fprintf(s.Out, "%s: all %d objects of scope %d came back equal%s\n", paint(output.Green, "enumerated"), all.Objects, all.Scope, but)
	}
	switch {
	case all.Scope < 1 || len(all.Losses) > 0 || all.Next == 0:
	case all.Beyond > 0:
		fmt.Fprintf(s.Out, "  the time was over after %d of about %.3g objects of scope %d\n", all.Beyond, all.Next, all.Scope+1)
	default:
		fmt.Fprintf(s.Out, "  scope %d has about %.3g objects, too many to begin with\n", all.Scope+1, all.Next)
	}
}
