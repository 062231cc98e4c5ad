package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/oci"
	"github.com/crosswalk-gateway/crosswalk/internal/buildinfo"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

func pushCommand() *cobra.Command {
	var registry registryOptions
	c := &cobra.Command{
		Use: "push [flags] REF MODULE|DIR...", Short: "push modules to a container registry as one image",
		Long: `Pushes the files to a registry as an OCI image with one layer. crosswalk pull writes them to a gateway's directory, and a pod can mount the
same image as a volume. Of a directory, push takes all files whose names do not begin with a dot: modules, sidecars, definitions, and
SHA256SUMS with its signature. The same files give the same digest. The last line of the output is the reference with the digest, by which
to deploy.

Credentials come from docker's configuration: $DOCKER_CONFIG/config.json or ~/.docker/config.json.
`,
		Example: `crosswalk push registry.example.com/team/modules:v1 modules
crosswalk push localhost:5000/modules:dev CronTab.stable.example.com_v1_v2.wasm CronTab.stable.example.com_v1_v2.yaml`,
		Annotations:       map[string]string{exampleTest: "TestPushAndPull"},
		Args:              atLeast(2, "a reference, and at least one module or directory"),
		ValidArgsFunction: completeModules,
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := oci.Files(args[1:]...)
			if err != nil {
				return err
			}
			modules := 0
			for _, f := range files {
				if !artifact.IsModuleFile(f.Name) {
					continue
				}
				modules++
				if _, err := artifact.ParseName(f.Name); err != nil {
					return findingf("a gateway would ignore %s: %w", f.Path, err)
				}
			}
			if modules == 0 {
				return findingf("none of the %d files is a module: a module's name ends with .wasm, .wasm.gz or .wasm.zst", len(files))
			}
			pushed, err := oci.Push(cmd.Context(), registry.registry(), args[0], files)
			if err != nil {
				return err
			}
			s := streamsOf(cmd)
			_, _ = fmt.Fprintf(s.err, "pushed %d files, %d of them modules\n", len(files), modules)
			_, err = fmt.Fprintln(s.out, pushed)
			return err
		},
	}
	registry.flags(c.Flags())
	return c
}

// registryOptions are the flags for a registry.
type registryOptions struct {
	certificates string
	plainHTTP    bool
}

func (o *registryOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.certificates, "certs-dir", oci.DefaultCertificates,
		"`DIRECTORY` with certificate authorities of registries, in files HOST/*.crt or HOST:PORT/*.crt")
	f.BoolVar(&o.plainHTTP, "plain-http", false, "allow a registry without TLS; always allowed for localhost, private addresses and names in .local")
}

func (o *registryOptions) registry() oci.Registry {
	return oci.Registry{Certificates: o.certificates, PlainHTTP: o.plainHTTP, UserAgent: "crosswalk/" + buildinfo.Read().Version}
}
