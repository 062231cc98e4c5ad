package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/input"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

func convertCommand() *cobra.Command {
	var o convertOptions
	c := &cobra.Command{
		Use: "convert --to VERSION [-f FILE] MODULE|DIR...", Short: "convert objects as a gateway with these modules does",
		Long: `Converts one object, many, a list (kubectl get -o yaml), or a ConversionReview, and writes them as YAML if they were YAML, and otherwise as
JSON. It chains several modules as a gateway does, and fails if a result violates the conversion contract. It names objects of other kinds
on standard error, and does not write them.

It converts a manifest, which has a name and no metadata.uid, as a whole object. A gateway takes such an object for a fragment of
server-side apply, and sets no defaults in it; so does --fragments.

With --write it rewrites the files of -f in place (docs/use/migrate.md): it changes the lines of converted fields, and keeps all others,
with comments, order and quotes. It adds a default only if the object would mean something else without it. It names values that the new
version has no field for, and leaves them out without --keep-stash. It names Kustomize patches,
templates ({{ }}), converted variables (${ }, $( ), <path: >), files of sops and objects within other objects, and leaves them alone. If one
object is refused or left alone, its file stays as it is, and convert exits with 1.
`,
		Example: `kubectl get crontabs -o yaml | crosswalk convert --to v2 CronTab.stable.example.com_v1_v2.wasm
crosswalk convert --to v2 -f objects.yaml -o json modules
crosswalk convert --to v2 -f deploy -R --write modules`,
		Args:              command.SomeArgs("module"),
		ValidArgsFunction: command.CompleteModules,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.formatSet = cmd.Flags().Changed("output")
			if o.write {
				return o.rewrite(cmd.Context(), command.StreamsOf(cmd), args)
			}
			if o.crd != "" || o.keepStash {
				return command.Usagef("--crd and --keep-stash are for --write")
			}
			return o.run(cmd.Context(), command.StreamsOf(cmd), args)
		},
	}
	c.Flags().StringVar(&o.to, "to", "", "the `VERSION` to convert to, such as v2")
	o.files = input.Flag(c.Flags(), "`FILE`, directory or - with the objects; repeatable (default: standard input)")
	c.Flags().BoolVarP(&o.recursive, "recursive", "R", false, "read the directories below a directory of -f, too")
	c.Flags().BoolVar(&o.write, "write", false, "rewrite the files of -f in place instead of writing the objects")
	c.Flags().StringVar(&o.crd, "crd", "", "`FILE` with the definition, for --write (default: beside the modules or in their project)")
	c.Flags().BoolVar(&o.keepStash, "keep-stash", false, "with --write, keep values that the new version has no field for in annotations")
	o.format = output.Flag(c.Flags(), output.JSON, output.YAML)
	form := c.Flags().Lookup("output")
	form.Usage, form.DefValue = "`FORMAT` of the output: json or yaml (default: as each object)", ""
	c.Flags().BoolVar(&o.compact, "compact", false, "write each object as JSON on one line, as the gateway would send it")
	c.Flags().BoolVar(&o.each, "each", false, "convert each object in its own review, and write one line for each: the object, or {\"refused\":\"why\"}")
	c.Flags().BoolVar(&o.fragments, "fragments", false, "convert objects without metadata.uid as fragments of server-side apply, as a gateway does")
	o.how.Declare(c.Flags())
	command.CompleteFlag(c, "output", command.CompleteFormats(output.JSON, output.YAML))
	command.CompleteFlag(c, "to", completeVersions)
	command.CompleteFlag(c, "crd", command.CompleteDefinitions)
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
	to, crd       string
	files         *[]string
	recursive     bool
	write         bool
	keepStash     bool
	format        *output.Format
	formatSet     bool
	compact, each bool
	fragments     bool
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
		if objects, err = input.ReadTree(s.In, *o.files, o.recursive); err != nil {
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
		return o.convertEach(ctx, s, set, to, objects)
	}
	if objects, err = convertible(s.Err, set, objects); err != nil {
		return err
	}
	return o.convert(ctx, s, set, to, objects)
}

// convertible returns the objects of kinds that the modules convert, and names the others.
func convertible(errors io.Writer, set modules.Set, objects []input.Object) (list []input.Object, err error) {
	kinds := set.Routes().Kinds()
	for _, object := range objects {
		var head struct{ APIVersion, Kind string }
		if err := json.Unmarshal(object.JSON, &head); err != nil {
			return nil, fmt.Errorf("%s: %w", object.From, err)
		}
		group, _, isGroup := strings.Cut(head.APIVersion, "/")
		if head.Kind == "" || isGroup && slices.Contains(kinds, head.Kind+"."+group) {
			list = append(list, object)
			continue
		}
		fmt.Fprintf(errors, "crosswalk convert: %s: ignored: %s of %s\n", object.From, foreign.Shorten(head.Kind, maxName), foreign.Shorten(head.APIVersion, maxName))
	}
	if len(list) == 0 && len(objects) > 0 {
		return nil, fmt.Errorf("no object is of a kind that the modules convert (%s)", strings.Join(kinds, ", "))
	}
	return list, nil
}

// maxName bounds a name in a message.
const maxName = 80

// review converts objects in one review. Manifests, which lack a metadata.uid, are converted as whole
// objects.
func (o *convertOptions) review(ctx context.Context, set modules.Set, to string, objects []json.RawMessage) ([]json.RawMessage, error) {
	if o.fragments {
		return modules.Review(ctx, set, to, objects)
	}
	whole := slices.Clone(objects)
	for i, object := range objects {
		if text := completed(object); text != nil {
			whole[i] = text
		}
	}
	answer, err := modules.Review(ctx, set, to, whole)
	for i := range answer {
		if !slices.Equal(whole[i], objects[i]) {
			answer[i] = uncompleted(answer[i])
		}
	}
	return answer, err
}

// convert converts objects with the gateway's own converter and writes the results.
func (o *convertOptions) convert(ctx context.Context, s command.Streams, set modules.Set, to string, objects []input.Object) error {
	answer, err := o.review(ctx, set, to, input.Texts(objects))
	if err != nil {
		for _, object := range objects { // the first that fails alone has a line to name
			if _, alone := o.review(ctx, set, to, []json.RawMessage{object.JSON}); alone != nil && len(objects) > 1 {
				return command.Findingf("%s: %w", object.From, alone)
			}
		}
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
		if _, err := s.Out.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// convertEach converts each object separately. A failed conversion is a result, too.
func (o *convertOptions) convertEach(ctx context.Context, s command.Streams, set modules.Set, to string, objects []input.Object) error {
	refused := 0
	for _, object := range objects {
		answer, err := o.review(ctx, set, to, []json.RawMessage{object.JSON})
		line := []byte(nil)
		if err != nil {
			line = append(rawjson.Quote([]byte(`{"refused":`), err.Error()), '}')
			refused++
		} else {
			line = answer[0]
		}
		if _, err := s.Out.Write(append(line[:len(line):len(line)], '\n')); err != nil {
			return err
		}
	}
	if refused > 0 {
		return command.Findingf("%d of %d objects are refused", refused, len(objects))
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
