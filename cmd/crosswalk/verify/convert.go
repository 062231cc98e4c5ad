package verify

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/input"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

func convertCommand() *cobra.Command {
	var o convertOptions
	c := &cobra.Command{
		Use: "convert --to VERSION [-f FILE] MODULE|DIR...", Short: "convert objects as a gateway with these modules does",
		Long: `Reads objects from -f, or from standard input without -f: one or many, a list (kubectl get -o yaml), or a ConversionReview, as YAML or JSON.
It writes the converted objects, as YAML if they were YAML, and otherwise as JSON. It chains several modules as a gateway does, and fails
if a result violates the conversion contract.
`,
		Example: `kubectl get crontabs -o yaml | crosswalk convert --to v2 CronTab.stable.example.com_v1_v2.wasm
crosswalk convert --to v2 -f objects.yaml -o json modules`,
		Args:              command.SomeArgs("module"),
		ValidArgsFunction: command.CompleteModules,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.formatSet = cmd.Flags().Changed("output")
			return o.run(cmd.Context(), command.StreamsOf(cmd), args)
		},
	}
	c.Flags().StringVar(&o.to, "to", "", "the `VERSION` to convert to, such as v2")
	o.files = input.Flag(c.Flags(), "`FILE`, directory or - with the objects; repeatable (default: standard input)")
	o.format = output.Flag(c.Flags(), output.JSON, output.YAML)
	c.Flags().BoolVar(&o.compact, "compact", false, "write each object as JSON on one line, as the gateway would send it")
	c.Flags().BoolVar(&o.each, "each", false, "convert each object in its own review, and write one line for each: the object, or {\"refused\":\"why\"}")
	o.how.Declare(c.Flags())
	command.CompleteFlag(c, "output", command.CompleteFormats(output.JSON, output.YAML))
	command.CompleteFlag(c, "to", completeVersions)
	return c
}

// completeVersions completes --to with the versions that the names of the modules list.
func completeVersions(_ *cobra.Command, args []string, _ string) (versions []string, _ cobra.ShellCompDirective) {
	files, _ := modules.Files(args)
	for _, file := range files {
		if name, err := artifact.ParseName(filepath.Base(file)); err == nil {
			versions = append(versions, name.Versions...)
		}
	}
	slices.Sort(versions)
	return slices.Compact(versions), cobra.ShellCompDirectiveNoFileComp
}

type convertOptions struct {
	to            string
	files         *[]string
	format        *output.Format
	formatSet     bool
	compact, each bool
	how           modules.Limits
}

func (o *convertOptions) run(ctx context.Context, s command.Streams, args []string) error {
	if o.compact && *o.format == output.YAML {
		return command.Usagef("--compact writes JSON: leave out -o yaml")
	}
	to, err := desired(args, o.to)
	if err != nil {
		return err
	}
	var objects []input.Object
	if len(*o.files) > 0 { // missing files show before the modules are compiled
		if objects, err = input.Read(s.In, *o.files); err != nil {
			return err
		}
	}
	set, err := o.how.OpenAll(ctx, s, args)
	if err != nil {
		return err
	}
	defer set.Close()
	if len(*o.files) == 0 { // last, so that errors above do not wait for standard input
		if objects, err = input.Read(s.In, []string{"-"}); err != nil {
			return err
		}
	}
	if o.each {
		return convertEach(ctx, s.Out, set, to, objects)
	}
	return o.convert(ctx, s.Out, set, to, objects)
}

// convert converts objects with the gateway's own converter and writes the results.
func (o *convertOptions) convert(ctx context.Context, out io.Writer, set modules.Set, to string, objects []input.Object) error {
	answer, err := modules.Review(ctx, set, to, input.Texts(objects))
	if err != nil {
		return command.Finding{Err: err}
	}
	documents := 0
	for i, object := range answer {
		var text []byte
		switch isYAML := *o.format == output.YAML || !o.formatSet && objects[i].YAML; {
		case o.compact:
			text = append(object[:len(object):len(object)], '\n')
		case isYAML && documents > 0:
			text, err = output.AppendYAML([]byte("---\n"), object)
		case isYAML:
			text, err = output.AppendYAML(nil, object)
		default:
			text, err = output.AppendJSON(nil, object)
		}
		if err != nil {
			return err
		}
		documents++
		if _, err := out.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// convertEach converts each object separately. A failed conversion is a result, too.
func convertEach(ctx context.Context, out io.Writer, set modules.Set, to string, objects []input.Object) error {
	for _, object := range objects {
		answer, err := modules.Review(ctx, set, to, []json.RawMessage{object.JSON})
		line := []byte(nil)
		if err != nil {
			line = append(rawjson.Quote([]byte(`{"refused":`), err.Error()), '}')
		} else {
			line = answer[0]
		}
		if _, err := out.Write(append(line[:len(line):len(line)], '\n')); err != nil {
			return err
		}
	}
	return nil
}

// desired adds the modules' group to a version. It reads only the modules' names.
func desired(args []string, to string) (string, error) {
	if strings.Contains(to, "/") {
		return to, nil
	}
	files, err := modules.Files(args)
	if err != nil {
		return "", err
	}
	var versions []string
	for _, file := range files {
		name, err := artifact.ParseName(filepath.Base(file))
		if err != nil {
			return "", err
		}
		for _, e := range name.Edges() {
			if e.To == to {
				return e.Group + "/" + to, nil
			}
			if !slices.Contains(versions, e.To) {
				versions = append(versions, e.To)
			}
		}
	}
	if to == "" {
		return "", command.Usagef("--to is missing: name one of the versions that the modules convert to (%s)", strings.Join(versions, ", "))
	}
	return "", command.Usagef("--to %s: the modules convert to %s", to, strings.Join(versions, ", "))
}
