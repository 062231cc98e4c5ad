package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/compat"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/generate"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

func compatCommand() *cobra.Command {
	var o compatOptions
	c := &cobra.Command{
		Use: "compat [flags] OLD.yaml NEW.yaml", Short: "list the changes of a definition that clients notice",
		Long: `Lists the changes between two definitions that break stored objects (the API server rejects or cuts an object that it accepted), break
clients (a request fails), or change behaviour. The API server's own reasons to reject NEW, or the update from OLD, come first. It exits
with 1 if something is rejected or breaks. It is cautious: a pattern, format or rule that differs breaks objects. - is standard input.

With --module, it converts generated objects of a version that leaves or is no longer stored: if NEW.yaml accepts all, the conversion covers
the change.
`,
		Example: `kubectl get crd crontabs.stable.example.com -o yaml | crosswalk compat - crd.yaml
crosswalk compat --module modules -o sarif old/crd.yaml crd.yaml > compat.sarif
git show main:crd.yaml | crosswalk compat -o github - crd.yaml`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) != 2:
				return command.Usagef("name two files with definitions: the old and the new")
			case args[0] == "-" && args[1] == "-":
				return command.Usagef("only one of the files can be standard input")
			}
			return nil
		},
		ValidArgsFunction: command.CompleteDefinitions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), command.StreamsOf(cmd), args[0], args[1])
		},
	}
	c.Flags().StringArrayVar(&o.modules, "module", nil, "`FILE` or directory with modules; repeatable")
	o.format = output.Flag(c.Flags(), compatFormats...)
	o.how.Declare(c.Flags())
	command.CompleteFlag(c, "module", command.CompleteModules)
	command.CompleteFlag(c, "output", command.CompleteFormats(compatFormats...))
	return c
}

var compatFormats = []output.Format{output.Table, output.JSON, output.YAML, output.GitHub, output.SARIF}

type compatOptions struct {
	modules []string
	format  *output.Format
	how     modules.Limits
}

func (o *compatOptions) run(ctx context.Context, s command.Streams, oldPath, newPath string) error {
	before, _, err := definition.ReadSource(s.In, oldPath)
	if err != nil {
		return err
	}
	after, text, err := definition.ReadSource(s.In, newPath)
	if err != nil {
		return err
	}
	pair := comparedFiles{before: before, after: after, text: text, path: newPath}
	changes, err := compat.Definitions(ctx, before, after)
	if err != nil {
		return err
	}
	if len(o.modules) > 0 {
		o.how.Quiet = true
		set, err := o.how.OpenAll(ctx, s, o.modules)
		if err != nil {
			return err
		}
		defer set.Close()
		if err := pair.cover(ctx, set, changes); err != nil {
			return err
		}
	}
	breaks := 0
	for i := range changes {
		if changes[i].Breaks() {
			breaks++
		}
	}
	switch *o.format {
	case output.Table:
		writeChanges(s, changes)
	case output.GitHub, output.SARIF:
		err = output.WriteAnnotations(s.Out, *o.format, pair.annotations(changes), compat.Rules())
	default:
		err = output.Write(s.Out, *o.format, struct {
			Breaks  int             `json:"breaks"`
			Changes []compat.Change `json:"changes"`
		}{breaks, append([]compat.Change{}, changes...)})
	}
	if err == nil && breaks > 0 {
		err = command.ErrFound
	}
	return err
}

// writeChanges writes changes for people, below their definitions and classes.
func writeChanges(s command.Streams, changes []compat.Change) {
	paint := output.Paint(s.Out)
	colour := map[compat.Class]output.Colour{compat.Rejected: output.Red, compat.BreaksObjects: output.Red, compat.BreaksClients: output.Red, compat.Behaviour: output.Yellow, compat.Safe: output.Green}
	count := map[compat.Class]int{}
	last := ""
	for i := range changes {
		c := &changes[i]
		count[c.Class]++
		if c.Class == compat.Safe {
			continue
		}
		if head := string(c.Class) + " of " + c.Definition; head != last {
			last = head
			fmt.Fprintf(s.Out, "%s: %s\n", c.Definition, paint(colour[c.Class], string(c.Class)))
		}
		fmt.Fprintf(s.Out, "  %s\n", strings.TrimPrefix(c.Place()+": "+c.Text, ": "))
		switch {
		case c.Covered != "":
			fmt.Fprintf(s.Out, "    %s\n", paint(output.Green, "covered: "+c.Covered))
			continue
		case c.NotCovered != "":
			fmt.Fprintf(s.Out, "    %s\n", paint(output.Red, "not covered: "+c.NotCovered))
		}
		if c.Fix != "" && (i+1 == len(changes) || changes[i+1].Fix != c.Fix || changes[i+1].Class != c.Class || changes[i+1].Definition != c.Definition) {
			fmt.Fprintf(s.Out, "    fix: %s\n", c.Fix)
		}
	}
	covered := 0
	for i := range changes {
		if changes[i].Covered != "" {
			covered++
		}
	}
	more := ""
	if covered > 0 {
		more = fmt.Sprintf(" (%d covered by the conversion)", covered)
	}
	if count[compat.Rejected] > 0 {
		fmt.Fprintf(s.Out, "reasons of the API server to reject them: %d\n", count[compat.Rejected])
	}
	fmt.Fprintf(s.Out, "changes that break stored objects: %d, that break clients: %d%s, that change behaviour: %d, safe: %d\n",
		count[compat.BreaksObjects], count[compat.BreaksClients], more, count[compat.Behaviour], count[compat.Safe])
}

// comparedFiles are the two files of a comparison.
type comparedFiles struct {
	before, after []definition.Definition
	path          string // of NEW
	text          []byte // of NEW
}

// named returns the definition with a name; the only one if none has it, because a change may have
// changed the name.
func named(list []definition.Definition, name string) *definition.Definition {
	i := slices.IndexFunc(list, func(d definition.Definition) bool { return compat.Name(d.CRD) == name })
	switch {
	case i >= 0:
		return &list[i]
	case len(list) == 1:
		return &list[0]
	}
	return nil
}

// coverObjects is how many objects of a version must convert: most rules of a schema show with the
// first hundred.
const coverObjects = 200

// cover finds the changes that the modules cover.
func (f *comparedFiles) cover(ctx context.Context, set modules.Set, changes []compat.Change) error {
	known := map[string][2]string{}
	for i := range changes {
		c := &changes[i]
		if c.To == "" {
			continue
		}
		old, new := named(f.before, c.Definition), named(f.after, c.Definition)
		if old == nil || new == nil {
			continue
		}
		key := c.Definition + " " + c.Version + " " + c.To
		result, done := known[key]
		if !done {
			covered, why, err := converts(ctx, set, old, new, c.Version, c.To)
			if err != nil {
				return err
			}
			result = [2]string{covered, why}
			known[key] = result
		}
		c.Covered, c.NotCovered = result[0], result[1]
	}
	return nil
}

// converts reports how objects of a version of OLD become valid objects of a version of NEW, or why
// they do not.
func converts(ctx context.Context, set modules.Set, old, new *definition.Definition, from, to string) (covered, why string, err error) {
	group, kind := new.CRD.Spec.Group, new.CRD.Spec.Names.Kind
	if old.Kind() != new.Kind() || set.Routes().Path(group, kind, from, to) == nil {
		return "", fmt.Sprintf("no module converts %s from %s to %s", old.Kind(), from, to), nil
	}
	was, err := apiserver.New(old.CRD)
	if err != nil {
		return "", "", fmt.Errorf("OLD: %w", err)
	}
	is, err := apiserver.New(new.CRD)
	if err != nil {
		return "", "", fmt.Errorf("NEW: %w", err)
	}
	source, target := was.Version(from), is.Version(to)
	if source == nil || target == nil {
		return "", fmt.Sprintf("there is no version %s in OLD, or no version %s in NEW", from, to), nil
	}
	g := generate.New(ctx, source, 1)
	n := 0
	for ; n < coverObjects; n++ {
		object := g.Next(ctx)
		if object == nil {
			break
		}
		text, err := json.Marshal(object)
		if err != nil {
			return "", "", err
		}
		answers, err := modules.Review(ctx, set, group+"/"+to, []json.RawMessage{text})
		if ctx.Err() != nil {
			return "", "", ctx.Err()
		}
		if err != nil {
			return "", fmt.Sprintf("%v; object: %s", err, text), nil
		}
		if why := rejected(ctx, target, answers); why != "" {
			return "", fmt.Sprintf("%s rejects the answer: %s; object: %s", to, why, text), nil
		}
	}
	if ctx.Err() != nil {
		return "", "", ctx.Err()
	}
	if n == 0 {
		return "", "no valid object of " + from + " could be generated", nil
	}
	return fmt.Sprintf("%d generated objects of %s convert to valid objects of %s", n, from, to), "", nil
}

// rejected returns the reason for which an API server rejects the answer of a conversion.
func rejected(ctx context.Context, v *apiserver.Version, answers []json.RawMessage) string {
	if len(answers) != 1 {
		return fmt.Sprintf("%d objects for one", len(answers))
	}
	object, err := apiserver.Decode(answers[0])
	if err != nil {
		return err.Error()
	}
	v.Store(object)
	if errs := v.Validate(ctx, object); len(errs) > 0 {
		return errs[0].Error()
	}
	return ""
}

// annotations returns the changes that somebody should see, at their lines in NEW.
func (f *comparedFiles) annotations(changes []compat.Change) (list []output.Annotation) {
	path := f.path
	if path == "-" {
		path = ""
	}
	lines := map[*definition.Definition]*definition.Lines{}
	for i := range changes {
		c := &changes[i]
		a := output.Annotation{Rule: c.Rule, Title: strings.TrimSpace(c.Definition + " " + c.Place()), Message: string(c.Class) + ": " + c.Text, File: path, Place: c.Place()}
		switch {
		case c.Class == compat.Safe:
			continue
		case c.Breaks():
			a.Level = output.LevelError
		case c.Covered != "":
			a.Level = output.LevelNote
			a.Message += "\ncovered: " + c.Covered
		default:
			a.Level = output.LevelWarning
		}
		if c.NotCovered != "" {
			a.Message += "\nnot covered: " + c.NotCovered
		}
		if c.Fix != "" && c.Covered == "" {
			a.Message += "\nfix: " + c.Fix
		}
		if d := named(f.after, c.Definition); d != nil && path != "" {
			if lines[d] == nil {
				lines[d] = d.Lines(f.text)
			}
			a.Line = lines[d].Of(c.Version, c.Steps)
		}
		list = append(list, a)
	}
	return list
}
