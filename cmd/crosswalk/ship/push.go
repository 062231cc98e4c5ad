package ship

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/plural"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/oci"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

func pushCommand() *cobra.Command {
	var registry oci.Flags
	c := &cobra.Command{
		Use: "push [flags] REF MODULE|DIR...", Short: "push modules to a container registry as one image",
		Long: `Pushes the files to a registry as an OCI image with one layer, for crosswalk pull and image volumes (docs/use/registry.md). Of a directory,
push takes all files whose names do not begin with a dot: modules, sidecars, definitions, and SHA256SUMS with its signature. The same files
give the same digest. The last line of the output is the reference with the digest.

Credentials come from docker's configuration: $DOCKER_CONFIG/config.json or ~/.docker/config.json.
`,
		Example: `crosswalk push registry.example.com/team/modules:v1 modules
crosswalk push localhost:5000/modules:dev CronTab.stable.example.com_v1_v2.wasm CronTab.stable.example.com_v1_v2.yaml`,
		Annotations:       map[string]string{command.ExampleTest: "TestPushAndPull"},
		Args:              command.AtLeast(2, "a reference, and at least one module or directory"),
		ValidArgsFunction: command.CompleteModules,
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := oci.Files(args[1:]...)
			if err != nil {
				return err
			}
			found := 0
			for _, f := range files {
				if !artifact.IsModuleFile(f.Name) {
					continue
				}
				found++
				if _, err := artifact.ParseName(f.Name); err != nil {
					return command.Findingf("a gateway would ignore %s: %w", f.Path, err)
				}
			}
			if found == 0 {
				return command.Findingf("no module in %s: a module's name ends with .wasm, .wasm.gz or .wasm.zst", plural.Count(len(files), "file"))
			}
			pushed, err := oci.Push(cmd.Context(), registry.Registry(), args[0], files, oci.ArtifactType)
			if err != nil {
				return err
			}
			s := command.StreamsOf(cmd)
			_, _ = fmt.Fprintf(s.Err, "pushed %s with %s\n", plural.Count(len(files), "file"), plural.Count(found, "module"))
			_, err = fmt.Fprintln(s.Out, pushed)
			return err
		},
	}
	registry.Declare(c.Flags())
	return c
}
