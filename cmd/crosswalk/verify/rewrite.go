package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/plural"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/manifest"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

// rewrite converts manifests in their files. It writes the first file after all are converted.
func (o *convertOptions) rewrite(ctx context.Context, s command.Streams, args []string) error {
	switch {
	case o.formatSet || o.compact || o.each:
		return command.Usagef("--write keeps the files' own form: omit -o, --compact and --each")
	case len(*o.files) == 0 || slices.Contains(*o.files, "-"):
		return command.Usagef("--write is for files: name them with -f")
	}
	to, err := desired(args, o.to)
	if err != nil {
		return err
	}
	group, version, _ := strings.Cut(to, "/")
	onlyGroup := strings.Contains(o.to, "/")
	files, err := manifestFiles(s, *o.files, o.recursive)
	if err != nil {
		return err
	}
	set, err := o.how.OpenAll(ctx, s, args)
	if err != nil {
		return err
	}
	defer set.Close()
	converter := &manifestConverter{set: set, to: version, keepStash: o.keepStash, definitions: map[string]*apiserver.Definition{}}
	kinds, err := converter.kinds(s, args, o.crd)
	if err != nil {
		return err
	}
	kinds = slices.DeleteFunc(kinds, func(name string) bool {
		_, its, _ := strings.Cut(name, ".")
		return onlyGroup && its != group
	})
	if len(kinds) == 0 { // or no object would be meant, as if all were converted
		return command.Usagef("--to %s: no module converts to this version", o.to)
	}
	isMeant := func(of, at, kind string) bool {
		return at != version && slices.ContainsFunc(kinds, func(name string) bool {
			known, its, _ := strings.Cut(name, ".")
			return its == of && (known == kind || kind == "")
		})
	}
	r := &manifest.Rewriter{Match: isMeant, Convert: func(object json.RawMessage) (json.RawMessage, []string, error) {
		converted, notes, err := converter.convert(ctx, object)
		if byHand := manifest.ByHand(""); err != nil && !errors.As(err, &byHand) { // the file and the line say which object, and not its number in a review
			err = errors.New(theOnly.ReplaceAllString(err.Error(), "$1"))
		}
		return converted, notes, err
	}}
	changes, err := r.Plan(files)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	return writeChanged(s, r, changes, version)
}

// theOnly matches the name of the only object of a review.
var theOnly = regexp.MustCompile(`object 0 \(([^)]*)\)`)

// kinds returns the kinds, as KIND.GROUP, that the modules convert to the version, and reads their
// definitions.
func (c *manifestConverter) kinds(s command.Streams, args []string, crd string) (kinds []string, err error) {
	from, err := readSources(s, args, nil, crd)
	if err != nil {
		return nil, err
	}
	for _, kind := range c.set.Routes().Kinds() {
		name, group, _ := strings.Cut(kind, ".")
		if !slices.Contains(c.set.Routes().Versions(group, name), c.to) {
			continue
		}
		kinds = append(kinds, kind)
		d, err := from.definition(from.of(kind)...)
		if err != nil {
			return nil, err
		}
		if err := c.add(kind, d.Definition); err != nil {
			return nil, err
		}
		if d.CRD == nil {
			fmt.Fprintf(s.Err, "crosswalk convert: there is no definition of %s, so that defaults of its schemas are not considered: name it with --crd\n", kind)
		}
	}
	return kinds, nil
}

// manifestFiles returns the files of -f, and names those that it does not follow.
func manifestFiles(s command.Streams, sources []string, recursive bool) (files []string, err error) {
	for _, source := range sources {
		more, links, err := manifest.Files(source, recursive)
		if err != nil {
			return nil, err
		}
		for _, link := range links {
			fmt.Fprintf(s.Err, "crosswalk convert: %s is a symbolic link that leaves %s: not followed\n", link, source)
		}
		files = append(files, more...)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// writeChanged writes the new files, and lists them with the places that stay.
func writeChanged(s command.Streams, r *manifest.Rewriter, changes []manifest.Change, version string) error {
	paint := output.Paint(s.Out)
	objects := 0
	for i, c := range changes {
		if err := c.Write(); err != nil {
			return fmt.Errorf("%w; rewritten before that: %s", err, plural.Count(i, "file"))
		}
		objects += c.Objects
		fmt.Fprintf(s.Out, "%s: converted %s\n", c.File, plural.Count(c.Objects, "object"))
		for _, n := range c.Notes {
			fmt.Fprintf(s.Out, "%s:%d: %s %s\n", n.File, n.Line, paint(output.Yellow, "note:"), n.Why)
		}
	}
	for _, p := range r.Refused {
		fmt.Fprintf(s.Out, "%s:%d: %s %s\n", p.File, p.Line, paint(output.Red, "refused:"), p.Why)
	}
	for _, p := range r.Left {
		fmt.Fprintf(s.Out, "%s:%d: %s %s: change it by hand\n", p.File, p.Line, paint(output.Yellow, "left alone:"), p.Why)
	}
	fmt.Fprintf(s.Out, "%s in %s converted to %s, %d refused, %d left alone\n", plural.Count(objects, "object"), plural.Count(len(changes), "file"), version, len(r.Refused), len(r.Left))
	if len(r.Refused)+len(r.Left) > 0 {
		return command.ErrFound
	}
	return nil
}
