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
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/propose"
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
	if err := os.MkdirAll(o.dir, 0o755); o.dir != "" && err != nil {
		return err
	}
	target := filepath.Join(o.dir, rulesFile)
	if _, err := os.Stat(target); err == nil {
		return fmt.Errorf("%s exists: delete it, or name another directory with --dir", target)
	}
	proposal := propose.Rules(crd, p.Versions)
	proposal.NoSchemas = o.crd == ""
	summary := fmt.Sprintf("%s has no rules for %s.%s between %s yet: write them, or let --crd FILE propose some.", target, p.Kind, p.Group, p.List())
	if o.crd != "" {
		ctx, stop := command.BoundMemory(ctx, s.Err, command.LargeObjects)
		defer stop()
		result, err := propose.Verify(ctx, proposal, d.CRD, propose.Bounds{Objects: verifyObjects, Time: verifyTime})
		if err != nil {
			return err
		}
		summary = fmt.Sprintf("%s has rules for %s.%s between %s. Check them: schemas do not say which fields mean the same.\n%s", target, p.Kind, p.Group, p.List(),
			strings.Join(proposal.Verified[:1], ""))
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
	if _, err := rules.Parse(text); err != nil {
		fmt.Fprintf(s.Out, "These do not compile yet:\n%v\n", inFile(target, err))
	}
	crdFlag := ""
	if o.crd != "" {
		crdFlag = "--crd " + o.crd + " "
	}
	fmt.Fprintf(s.Out, "Next: crosswalk compile %s%s\n", crdFlag, target)
	return nil
}

// Bounds of the verification of proposed rules. A second converts some hundred objects of a large
// definition; later objects seldom find what the first thousands do not.
const (
	verifyObjects = 4000
	verifyTime    = time.Minute
)
