package write

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
	"github.com/crosswalk-gateway/crosswalk/internal/schema"
)

// Files of init --rules.
const (
	rulesFile  = "rules.yaml"
	schemaFile = "rules.schema.json"
)

// writeRules writes rules for the differences between the schemas of a definition, and the schema
// of the format for editors. It replaces no rules.
func (o *initOptions) writeRules(s command.Streams) error {
	if o.language != "" {
		return command.Usagef("--lang and --rules contradict each other: rules need no language")
	}
	p, err := o.project()
	if err != nil {
		return err
	}
	crd := &schema.CRD{Kind: p.Kind, Group: p.Group}
	if o.crd != "" {
		d, err := definition.ReadFile(o.crd, o.kind)
		if err != nil {
			return err
		}
		crd = d.Schemas
	}
	if err := os.MkdirAll(o.dir, 0o755); o.dir != "" && err != nil {
		return err
	}
	target := filepath.Join(o.dir, rulesFile)
	file, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists: delete it, or name another directory with --dir", target)
	}
	if err != nil {
		return err
	}
	text := rules.Propose(crd, p.Versions)
	if _, err := file.Write(text); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.dir, schemaFile), rules.Schema(), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s has rules for %s.%s between %s. Check them: schemas do not say which fields mean the same.\n", target, p.Kind, p.Group, p.List())
	if _, err := rules.Parse(text); err != nil {
		fmt.Fprintf(s.Out, "These do not compile yet:\n%v\n", inFile(target, err))
	}
	fmt.Fprintf(s.Out, "Next: crosswalk compile %s\n", target)
	return nil
}
