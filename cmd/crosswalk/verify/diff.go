package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/cluster"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/diff"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/generate"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/input"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

func diffCommand() *cobra.Command {
	var o diffOptions
	c := &cobra.Command{
		Use: "diff [flags] OLD NEW", Short: "show how the answers of two modules differ",
		Long: `Converts objects with OLD and with NEW, which are modules or directories of modules, between all their versions, and lists the fields that
differ, with the number of objects and the smallest object that shows the difference. It takes the objects of -f and of the golden cases
and, with a definition, generates more. It exits with 1 if there is a difference. With --live, it takes every stored object of a definition
in a cluster instead, at each served version (docs/use/attach.md), and writes nothing.
`,
		Example: `crosswalk diff -f objects.yaml old new
crosswalk diff --crd crd.yaml --objects 100 -o json old/CronTab.stable.example.com_v1_v2.wasm new/CronTab.stable.example.com_v1_v2.wasm
crosswalk diff --live CronTab.stable.example.com old new`,
		Annotations: map[string]string{command.LiveExample: "TestLive in test/e2e"},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return command.Usagef("name two modules or directories: the old and the new")
			}
			return nil
		},
		ValidArgsFunction: command.CompleteModules,
		RunE: func(cmd *cobra.Command, args []string) error {
			return reported(command.StreamsOf(cmd), *o.format, args[1], func(s command.Streams) error { return o.run(cmd.Context(), s, args[0], args[1]) })
		},
	}
	o.files = input.Flag(c.Flags(), "`FILE`, directory or - with objects to convert, and with the definition; repeatable")
	c.Flags().StringVar(&o.crd, "crd", "", "`FILE` with the definition (default: beside the modules or in their project)")
	c.Flags().IntVar(&o.objects, "objects", 500, "`NUMBER` of objects to generate for each version")
	c.Flags().Uint64Var(&o.seed, "seed", 1, "`NUMBER` that decides which objects are generated")
	o.format = output.Flag(c.Flags(), diffFormats...)
	o.live.flags(c.Flags())
	command.CompleteFlag(c, "live", cluster.CompleteDefinitions(&o.live.cluster))
	o.how.Declare(c.Flags())
	command.CompleteFlag(c, "crd", command.CompleteDefinitions)
	command.CompleteFlag(c, "output", command.CompleteFormats(diffFormats...))
	return c
}

var diffFormats = []output.Format{output.Table, output.JSON, output.YAML, output.GitHub, output.SARIF}

type diffOptions struct {
	files   *[]string
	crd     string
	objects int
	seed    uint64
	format  *output.Format
	live    liveFlags
	how     modules.Limits
}

func (o *diffOptions) run(ctx context.Context, s command.Streams, oldArg, newArg string) error {
	if o.objects < 0 {
		return command.Usagef("--objects must not be negative")
	}
	from, err := readSources(s, []string{oldArg, newArg}, *o.files, o.crd)
	if err != nil {
		return err
	}
	o.how.Quiet = true
	before, err := o.how.OpenAll(ctx, s, []string{oldArg})
	if err != nil {
		return err
	}
	defer before.Close()
	after, err := o.how.OpenAll(ctx, s, []string{newArg})
	if err != nil {
		return err
	}
	defer after.Close()
	if o.live.definition != "" {
		var all []*diff.Pair
		err := o.live.cluster.Each(func(c cluster.Selection) error {
			pairs, err := o.livePairs(ctx, s, c, before, after)
			all = append(all, pairs...)
			return err
		})
		if err != nil && len(all) == 0 {
			return err
		}
		if written := o.write(s, kindFilesOf(newArg, oldArg), all, missing(before, after)); err == nil || written != nil && !errors.Is(written, command.ErrFound) {
			return errors.Join(written, err)
		}
		return err // is worse than a difference
	}
	var all []*diff.Pair
	for _, kind := range before.Routes().Kinds() {
		pairs, err := o.kind(ctx, kind, before, after, from)
		if err != nil {
			return err
		}
		all = append(all, pairs...)
	}
	return o.write(s, kindFilesOf(newArg, oldArg), all, missing(before, after))
}

// kind compares all pairs of versions of a kind that both convert.
func (o *diffOptions) kind(ctx context.Context, name string, before, after modules.Set, sources *sources) (all []*diff.Pair, err error) {
	kind, group, _ := strings.Cut(name, ".")
	d, err := sources.definition(sources.of(name)...)
	if err != nil {
		return nil, err
	}
	oldRoutes, newRoutes := before.Routes(), after.Routes()
	for _, from := range oldRoutes.Versions(group, kind) {
		objects, err := sampleObjects(ctx, kind, group, from, d, slices.Concat(before, after), sources.objects, o.objects, o.seed)
		if err != nil {
			return nil, err
		}
		for _, to := range oldRoutes.Versions(group, kind) {
			if from == to || oldRoutes.Path(group, kind, from, to) == nil || newRoutes.Path(group, kind, from, to) == nil {
				continue
			}
			p := &diff.Pair{Kind: name, From: from, To: to, Paths: []diff.Path{}}
			if err := p.Compare(ctx, reviewer(before), reviewer(after), group+"/"+to, objects); err != nil {
				return nil, err
			}
			all = append(all, p)
		}
	}
	return all, nil
}

// reviewer returns the conversion of a set of modules.
func reviewer(set modules.Set) diff.Convert {
	return func(ctx context.Context, to string, objects []json.RawMessage) ([]json.RawMessage, error) {
		return modules.Review(ctx, set, to, objects)
	}
}

// sampleObjects returns objects of a version: those given, those of golden cases and, with a
// definition, a number of generated ones.
func sampleObjects(ctx context.Context, kind, group, version string, d definition.File, set modules.Set, given []json.RawMessage, generated int, seed uint64) (objects []json.RawMessage, err error) {
	add := func(text json.RawMessage) {
		var head struct{ APIVersion, Kind string }
		if json.Unmarshal(text, &head) == nil && head.Kind == kind && head.APIVersion == group+"/"+version {
			objects = append(objects, text)
		}
	}
	for _, text := range given {
		add(text)
	}
	for _, m := range set {
		for _, c := range m.Cases() {
			add(c.Object)
		}
	}
	if d.CRD == nil || generated == 0 {
		return objects, nil
	}
	def, err := apiserver.New(d.CRD)
	if err != nil {
		return nil, err
	}
	v := def.Version(version)
	if v == nil {
		return objects, nil
	}
	g := generate.New(ctx, v, seed)
	for range generated {
		object := g.Next(ctx)
		if object == nil {
			break
		}
		text, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		objects = append(objects, text)
	}
	return objects, ctx.Err()
}

// kindFilesOf returns the file of the first module of each kind, in the first argument that has one.
func kindFilesOf(args ...string) map[string]string {
	byKind := map[string]string{}
	for _, arg := range args {
		files, _ := modules.Files([]string{arg}) // they were opened
		for _, file := range files {
			if name, err := artifact.ParseName(filepath.Base(file)); err == nil && byKind[name.Kind+"."+name.Group] == "" {
				byKind[name.Kind+"."+name.Group] = file
			}
		}
	}
	return byKind
}

// missing lists the conversions that only one of two sets of modules has.
func missing(before, after modules.Set) (all []absence) {
	for _, side := range []struct {
		name      string
		has, lack *host.Routes
	}{{"OLD", before.Routes(), after.Routes()}, {"NEW", after.Routes(), before.Routes()}} {
		for _, kindName := range side.has.Kinds() {
			kind, group, _ := strings.Cut(kindName, ".")
			for _, from := range side.has.Versions(group, kind) {
				for _, to := range side.has.Versions(group, kind) {
					if from != to && side.has.Path(group, kind, from, to) != nil && side.lack.Path(group, kind, from, to) == nil {
						all = append(all, absence{kindName, fmt.Sprintf("only %s converts %s from %s to %s", side.name, kindName, from, to)})
					}
				}
			}
		}
	}
	return all
}

// absence is a conversion that only one of two sets of modules has.
type absence struct{ kind, line string }

// annotated returns the differences as annotations of the kinds' modules.
func annotated(files map[string]string, all []*diff.Pair, missing []absence) (list []output.Annotation) {
	for _, m := range missing {
		list = append(list, output.Annotation{Rule: "conversion-missing", Level: output.LevelError, Title: m.line, Message: m.line, File: files[m.kind]})
	}
	for _, p := range all {
		file := files[p.Kind]
		for _, path := range p.Paths {
			list = append(list, output.Annotation{
				Rule: "answers-differ", Level: output.LevelError, File: file, Place: p.From + "→" + p.To, Key: p.Context + " " + p.Kind + " " + path.Path,
				Title:   strings.TrimSpace(fmt.Sprintf("%s %s→%s differs for %d of %d objects: %s", strings.TrimSpace(p.Context+" "+p.Kind), p.From, p.To, path.Objects, p.Objects, path.Path)),
				Message: fmt.Sprintf("old: %s\nnew: %s\nobject: %s", path.Old, path.New, path.Object),
			})
		}
		if len(p.Paths) == 0 && p.Differ > 0 {
			line := fmt.Sprintf("%s %s→%s: %d of %d objects differ", strings.TrimSpace(p.Context+" "+p.Kind), p.From, p.To, p.Differ, p.Objects)
			list = append(list, output.Annotation{Rule: "answers-differ", Level: output.LevelError, Title: line, Message: line, File: file, Key: p.Context + " " + p.Kind + " " + p.From + " " + p.To})
		}
	}
	return list
}

func (o *diffOptions) write(s command.Streams, files map[string]string, all []*diff.Pair, missing []absence) error {
	differs := len(missing) > 0
	lines := []string{}
	for _, m := range missing {
		lines = append(lines, m.line)
	}
	compared := 0
	for _, p := range all {
		differs = differs || p.Differ > 0
		compared += p.Objects
	}
	if *o.format == output.GitHub || *o.format == output.SARIF {
		if err := output.WriteAnnotations(s.Out, *o.format, annotated(files, all, missing), map[string]string{
			"answers-differ": "Two modules convert an object differently", "conversion-missing": "Only one of two modules has a conversion",
		}); err != nil {
			return err
		}
	} else if *o.format != output.Table {
		if err := output.Write(s.Out, *o.format, struct {
			Missing []string     `json:"missing"`
			Pairs   []*diff.Pair `json:"pairs"`
		}{lines, append([]*diff.Pair{}, all...)}); err != nil {
			return err
		}
	} else {
		paint := output.Paint(s.Out)
		for _, line := range lines {
			fmt.Fprintln(s.Out, paint(output.Red, line))
		}
		for _, p := range all {
			fmt.Fprintf(s.Out, "%s %s→%s: %d of %d objects differ\n", strings.TrimSpace(p.Context+"  "+p.Kind), p.From, p.To, p.Differ, p.Objects)
			for _, path := range p.Paths {
				name := path.Path
				if name == "" {
					name = "the object"
				}
				fmt.Fprintf(s.Out, "  %s (%d)\n    %s %s\n    %s %s\n    object: %s\n", name, path.Objects,
					paint(output.Red, "old:"), path.Old, paint(output.Green, "new:"), path.New, path.Object)
			}
			if p.More > 0 {
				fmt.Fprintf(s.Out, "  and %d differences at more paths\n", p.More)
			}
		}
	}
	switch {
	case differs:
		return command.ErrFound
	case compared == 0:
		return errors.New("nothing was compared: name objects with -f, or the definition with --crd")
	}
	return nil
}
