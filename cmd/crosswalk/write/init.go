package write

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/input"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/scaffold"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

func initCommand() *cobra.Command {
	var o initOptions
	c := &cobra.Command{
		Use: "init (--lang LANGUAGE | --rules) (--kind KIND.GROUP --versions V1,V2 | --crd FILE)", Short: "create a converter project that builds",
		Long: `Writes a converter that returns objects unchanged, with golden cases, tests, a Makefile and a README. With --crd it
lists the fields that differ between the versions in comments, and declares them (docs/spec/abi.md). Its tests then fail until the converter
loses nothing, or the sidecar lists the losses.

With --rules it writes rules.yaml instead: renames and translations for the differences between neighbouring versions. It keeps other
fields in the stash. With -f it compares values, and names objects that support or contradict a rule. It fuzzes the rules for up to a
minute: a rule that loses something becomes a comment with the object that shows it, and the file names every other loss.
`,
		Example: `crosswalk init --lang go --kind CronTab.stable.example.com --versions v1,v2
crosswalk init --lang rust --crd crd.yaml --dir converter
crosswalk init --rules --crd crd.yaml --dir rules`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), command.StreamsOf(cmd)) },
	}
	flags := c.Flags()
	flags.StringVar(&o.language, "lang", "", "`LANGUAGE` of the converter: "+strings.Join(scaffold.Languages(), ", "))
	flags.BoolVar(&o.rules, "rules", false, "write declarative rules, which need no toolchain")
	flags.StringVar(&o.kind, "kind", "", "`KIND.GROUP` to convert, such as CronTab.stable.example.com")
	flags.StringSliceVar(&o.versions, "versions", nil, "versions to convert between, such as `V1,V2`")
	flags.StringVar(&o.crd, "crd", "", "`FILE` with the CustomResourceDefinition, which defines kind and versions; if it has several definitions, select one with --kind")
	o.files = input.Flag(flags, "`FILE` with objects at both versions, for --rules")
	flags.StringVar(&o.dir, "dir", "", "`DIRECTORY` to write to (default: the kind in lower case; with --rules, this directory)")
	command.CompleteFlag(c, "lang", cobra.FixedCompletions(scaffold.Languages(), cobra.ShellCompDirectiveNoFileComp))
	command.CompleteFlag(c, "crd", command.CompleteDefinitions)
	return c
}

type initOptions struct {
	language, kind, crd, dir string
	versions                 []string
	rules                    bool
	files                    *[]string
}

func (o *initOptions) run(ctx context.Context, s command.Streams) error {
	if o.rules {
		return o.writeRules(ctx, s)
	}
	if len(*o.files) > 0 {
		return command.Usagef("-f needs --rules: it compares the values of objects for rules")
	}
	if o.language == "" {
		return command.Usagef("--lang is missing: name one of %s, or set --rules", strings.Join(scaffold.Languages(), ", "))
	}
	if !slices.Contains(scaffold.Languages(), o.language) {
		return command.Usagef("--lang must be one of %[2]s, not %[1]q", o.language, strings.Join(scaffold.Languages(), ", "))
	}
	p, err := o.project()
	if err != nil {
		return err
	}
	dir := o.dir
	if dir == "" {
		dir = p.Name()
	}
	files, err := scaffold.Write(dir, o.language, p)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s has a converter of %s.%s between %s:\n", dir, p.Kind, p.Group, p.List())
	copied := 0
	for _, f := range files {
		if strings.HasPrefix(f, "sdk/") {
			copied++
			continue
		}
		fmt.Fprintf(s.Out, "  %s\n", f)
	}
	if copied > 0 {
		fmt.Fprintf(s.Out, "  sdk/ (%d files: the SDK)\n", copied)
	}
	if p.Alike() {
		fmt.Fprintf(s.Out, "Note: the schemas of %s name the same fields. An API server converts among them by itself, with spec.conversion.strategy: None;\n"+
			"a converter is necessary only for differences outside the schemas, such as a field whose meaning changes.\n", strings.Join(p.Versions, ", "))
	}
	fmt.Fprintf(s.Out, "Next: cd %s && make test\n", dir)
	return nil
}

// project returns the project that the flags describe.
func (o *initOptions) project() (p scaffold.Project, err error) {
	switch {
	case o.crd != "":
		p, err = o.defined()
	case o.kind == "":
		return p, command.Usagef("the kind is missing: set --crd to a file with the CustomResourceDefinition, or set --kind and --versions")
	default:
		p, err = o.named()
	}
	if err != nil {
		return p, err
	}
	if len(p.Versions) == 1 && o.crd != "" && len(o.versions) == 0 {
		return p, command.Usagef("%s defines %s.%s with one version, %s: there is nothing to convert", o.crd, p.Kind, p.Group, p.Versions[0])
	}
	if len(p.Versions) < 2 {
		return p, command.Usagef("%s has %s: a conversion needs two, such as --versions v1,v2", p.Kind+"."+p.Group, cmp.Or(strings.Join(p.Versions, ", "), "no versions"))
	}
	const most = 5 // twenty conversions; chains of smaller modules are easier to keep right
	if len(p.Versions) > most {
		return p, command.Usagef("%d versions are %d conversions: name up to %d with --versions, and let the gateway chain modules", len(p.Versions), len(p.Versions)*(len(p.Versions)-1), most)
	}
	if _, err := artifact.ParseName(p.Module() + ".wasm"); err != nil {
		return p, command.UsageError{Err: err}
	}
	return p, nil
}

// defined reads the kind and its versions from a CustomResourceDefinition.
func (o *initOptions) defined() (p scaffold.Project, err error) {
	d, err := definition.ReadFile(o.crd, o.kind)
	switch several := (definition.SeveralError{}); {
	case errors.As(err, &several) && o.kind == "":
		return p, command.Usagef("%w: name one with --kind", err)
	case errors.As(err, &several):
		return p, command.Usagef("%w, and --kind %s is not one of them", err, o.kind)
	case err != nil:
		return p, err
	}
	crd := d.Schemas
	p.Definition, p.DefinitionText = crd.FileName(), d.Text
	p.Kind, p.Group, p.Differences = crd.Kind, crd.Group, scaffold.Differences(crd)
	for _, v := range crd.Versions {
		p.Versions = append(p.Versions, v.Name)
	}
	if o.kind != "" && o.kind != p.Kind+"."+p.Group {
		return p, command.Usagef("--kind %s and --crd %s, which defines %s.%s, contradict each other: leave --kind out", o.kind, o.crd, p.Kind, p.Group)
	}
	for _, v := range o.versions {
		if !slices.Contains(p.Versions, v) {
			return p, command.Usagef("--versions: %s has no version %s; it has %s", o.crd, v, strings.Join(p.Versions, ", "))
		}
	}
	if len(o.versions) > 0 {
		p.Versions = o.versions
	}
	p.Declarations = scaffold.Declarations(crd, p.Versions)
	return p, nil
}

// named reads the kind and its versions from flags.
func (o *initOptions) named() (p scaffold.Project, err error) {
	var ok bool
	if p.Kind, p.Group, ok = strings.Cut(o.kind, "."); !ok {
		return p, command.Usagef("--kind %q is not KIND.GROUP, such as CronTab.stable.example.com", o.kind)
	}
	if p.Kind != "" && p.Kind[0] >= 'a' && p.Kind[0] <= 'z' {
		// This is usually crontabs.stable.example.com, the definition's name. No API server would
		// request such a kind.
		return p, command.Usagef("--kind %s begins with a small letter: the kind is spec.names.kind of the CustomResourceDefinition, as in CronTab.stable.example.com (if it is written so there, name the file with --crd)", o.kind)
	}
	p.Versions = o.versions
	return p, nil
}
