package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/compat"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/generate"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

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
