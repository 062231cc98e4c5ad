package operate

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/cluster"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

func migrateStorageCommand() *cobra.Command {
	var m attach.Migration
	var flags *cluster.Flags
	c := &cobra.Command{
		Use: "migrate-storage [flags] CRD...", Short: "have all objects stored in the storage version",
		Long: `Has every object of a CustomResourceDefinition written in its storage version, removes the other versions from status.storedVersions, and
carries metadata.managedFields over to the storage version (docs/use/attach.md). Clients can read and write meanwhile.

It sends an empty patch for each object. If a run is interrupted, its error has a token for --continue.

It notes the end in an annotation for plan and retire, and begins again if somebody changes the specification meanwhile.
It names fields that lose their owner because the gateway cannot convert them.
`,
		Example: `crosswalk migrate-storage crontabs.stable.example.com
crosswalk migrate-storage --rate 20 crontabs.stable.example.com`,
		Annotations:       map[string]string{command.ExampleTest: "TestMigrateStorage in test/e2e"},
		Args:              command.SomeArgs("CustomResourceDefinition"),
		ValidArgsFunction: cluster.CompleteDefinitions(&flags),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case m.Rate <= 0:
				return command.Usagef("--rate must be positive")
			case m.Continue != "" && len(args) > 1:
				return command.Usagef("--continue is for one definition")
			}
			c, err := flags.Open()
			if err != nil {
				return err
			}
			for _, name := range args {
				t, err := c.Find(cmd.Context(), name)
				if err != nil {
					return err
				}
				for _, crd := range t.Definitions {
					m.Report = func(p attach.Progress) { fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", crd.Name, p.Text) }
					err := c.MigrateStorage(cmd.Context(), crd, m)
					if err == nil {
						err = c.MigrateFields(cmd.Context(), crd, m)
					}
					var early *attach.Interrupted
					if errors.As(err, &early) && early.Continue != "" {
						early.How = "go on with --continue " + early.Continue
					}
					if errors.Is(err, attach.ErrObjects) {
						err = command.Finding{Err: err}
					}
					if err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
	c.Flags().Float64Var(&m.Rate, "rate", 100, "`NUMBER` of objects a second that are written")
	c.Flags().StringVar(&m.Continue, "continue", "", "`TOKEN` of an interrupted run")
	flags = cluster.Declare(c.Flags())
	return c
}
