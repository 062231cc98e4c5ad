package write

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/input"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/propose"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/propose/values"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/prove"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/vocabulary"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// Files of init --rules.
const (
	rulesFile  = "rules.yaml"
	schemaFile = "rules.schema.json"
)

// writeRules writes rules for the differences between the schemas of a definition, and the schema
// of the format for editors. It replaces no rules.
func (o *initOptions) writeRules(ctx context.Context, s command.Streams) error {
	if o.language != "" {
		return command.Usagef("--lang and --rules contradict each other: rules need no language")
	}
	p, err := o.project()
	if err != nil {
		return err
	}
	crd := &schema.CRD{Kind: p.Kind, Group: p.Group}
	var d definition.File
	if o.crd != "" {
		if d, err = definition.ReadFile(o.crd, o.kind); err != nil {
			return err
		}
		crd = d.Schemas
	}
	target := filepath.Join(o.dir, rulesFile)
	if _, err := os.Stat(target); err == nil {
		return fmt.Errorf("%s exists: delete it, or name another directory with --dir", target)
	}
	var given *values.Observed
	if len(*o.files) > 0 {
		if given, err = o.observed(s, d); err != nil {
			return err
		}
	}
	proposal := propose.Rules(crd, p.Versions, given)
	pairs := given.Pairs(p.Versions)
	if given != nil && pairs == 0 {
		return fmt.Errorf("no object of %s.%s is given in two neighbouring versions of %s: -f needs the manifests of one object, with the same name, in both\n%s",
			p.Kind, p.Group, p.List(), strings.Join(proposal.Ignored(), "\n"))
	}
	if err := os.MkdirAll(o.dir, 0o755); o.dir != "" && err != nil {
		return err
	}
	from, _ := filepath.Abs(o.dir)
	to, _ := filepath.Abs(o.crd)
	if at, err := filepath.Rel(from, to); err == nil && o.crd != "" && at != "crd.yaml" {
		proposal.Definition = filepath.ToSlash(at)
	}
	proposal.NoSchemas = o.crd == ""
	summary := fmt.Sprintf("%s has no rules for %s.%s between %s yet: write them, or let --crd FILE propose some.", target, p.Kind, p.Group, p.List())
	provable := false // a loss that the file names says more than a proof
	if o.crd != "" {
		ctx, stop := command.BoundMemory(ctx, s.Err, command.LargeObjects)
		defer stop()
		say, end := output.Progress(s.Err)
		result, err := propose.Verify(ctx, proposal, d.CRD, propose.Bounds{Objects: verifyObjects, Time: verifyTime, Progress: func(objects, _ int) {
			say("trying the rules: %d objects", objects)
		}})
		end()
		if err != nil {
			return err
		}
		provable = result.Lossy == 0
		summary = fmt.Sprintf("%s has rules for %s.%s between %s. Check them: schemas do not say which fields mean the same.\n%s", target, p.Kind, p.Group, p.List(),
			strings.Join(append(proposal.Verified[:1:1], result.Carries...), "\n"))
		if given != nil {
			summary += fmt.Sprintf("\nObjects whose values were compared: %d. The file names those that support a rule or contradict it.", pairs)
		}
		if result.Withdrawn > 0 {
			summary += fmt.Sprintf("\nRules that would lose something, which are comments with an object that shows it: %d.", result.Withdrawn)
		}
	}
	text := proposal.Text()
	file, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err := file.Write(text); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.dir, schemaFile), vocabulary.JSONSchema(), 0o644); err != nil {
		return err
	}
	fmt.Fprintln(s.Out, summary)
	switch written, err := rules.Parse(text); {
	case err != nil:
		fmt.Fprintf(s.Out, "These do not compile yet:\n%v\n", inFile(target, err))
	case provable:
		v, err := prove.Rules(ctx, written, text, d.CRD, prove.Options{Objects: 1, For: verifyTime}) // Verify tried thousands
		if err != nil {
			return err
		}
		fmt.Fprintln(s.Out, provedOf(v))
	}
	crdFlag := ""
	if o.crd != "" {
		crdFlag = "--crd " + o.crd + " "
	}
	fmt.Fprintf(s.Out, "Next: crosswalk compile %s%s\n", crdFlag, target)
	return nil
}

// provedOf says whether rules are proved to lose nothing, and else which conditions are open.
func provedOf(v *prove.Verdict) string {
	switch {
	case v.Answer == prove.Proved && len(v.Limits) > 0:
		return "They are proved to lose nothing, within limits that crosswalk prove names."
	case v.Answer == prove.Proved:
		return "They are proved to lose nothing."
	case len(v.Open) == 0:
		return "They are not proved: crosswalk prove says why."
	}
	text := "They are not proved to lose nothing. Open:"
	for _, open := range v.Open {
		text += "\n  " + open.String()
	}
	return text
}

// observed reads the manifests of objects in several versions.
func (o *initOptions) observed(s command.Streams, d definition.File) (*values.Observed, error) {
	if o.crd == "" {
		return nil, command.Usagef("-f needs --crd: values are compared for the fields of its schemas")
	}
	all, err := input.Read(s.In, *o.files)
	if err != nil {
		return nil, err
	}
	given := values.NewObserved(d.CRD)
	for _, object := range all {
		of, err := given.Add(object.JSON, object.From)
		if err != nil {
			return nil, err
		}
		if !of {
			fmt.Fprintf(s.Err, "crosswalk init: %s: ignored: not a %s of %s\n", object.From, d.CRD.Spec.Names.Kind, d.CRD.Spec.Group)
		}
	}
	return given, nil
}

// Bounds of the verification of proposed rules. A second converts some hundred objects of a large
// definition; later objects seldom find what the first thousands do not.
const (
	verifyObjects = 4000
	verifyTime    = time.Minute
)
