package verify

import (
	"errors"
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/diff"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

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
