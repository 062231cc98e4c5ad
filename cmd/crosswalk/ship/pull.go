package ship

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/plural"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/oci"
)

// shortestWatch keeps a mistaken --watch from filling a registry's log.
const shortestWatch = time.Second

func pullCommand() *cobra.Command {
	var registry oci.Flags
	var watch time.Duration
	c := &cobra.Command{
		Use: "pull [flags] REF[=FILE]... DIR", Short: "pull modules from a container registry into a directory",
		Long: `Writes the files of images, which crosswalk push or a Dockerfile made, to a directory, in one atomic step as a kubelet writes volumes
(docs/use/registry.md). A file that several images have must be the same in all of them. pull also reads Wasm artifacts and files that oras
pushed; REF=FILE names the only file of an artifact.

With --watch, pull goes on asking for the digest of a tag and follows it; run it as a sidecar of the gateway. If the registry fails, the
directory keeps its files: pull then fails only if the directory has none yet, and with --watch it tries again.

Credentials come from docker's configuration, as for push.
`,
		Example: `crosswalk pull registry.example.com/team/modules:v1 modules
crosswalk pull --watch 1m registry.example.com/team/modules:v1 /modules
crosswalk pull registry.example.com/team/converter:v1=CronTab.stable.example.com_v1_v2.wasm modules
crosswalk pull registry.example.com/catalogue/bgppeer.metallb.io:v0.16.2 registry.example.com/catalogue/workload.kueue.x-k8s.io:v0.15.0 modules`,
		Annotations: map[string]string{command.ExampleTest: "TestPushAndPull"},
		Args:        command.AtLeast(2, "at least one reference, and a directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, refs, dir := command.StreamsOf(cmd), args[:len(args)-1], args[len(args)-1]
			if cmd.Flags().Changed("watch") {
				if watch < shortestWatch {
					return command.Usagef("--watch must be at least %v", shortestWatch)
				}
				failed := false
				return oci.Watch(cmd.Context(), registry.Registry(), refs, dir, watch, func(r oci.Result, err error) {
					reportPull(s.Err, r, dir, err, time.Now().UTC().Format(time.RFC3339)+" ", failed)
					failed = err != nil
				})
			}
			result, err := oci.Pull(cmd.Context(), registry.Registry(), refs, dir)
			if has := oci.Has(dir); err != nil && has != "" && cmd.Context().Err() == nil && !oci.Pinned(refs) {
				_, _ = fmt.Fprintf(s.Err, "%v\n%s keeps the files of %s\n", err, dir, has)
				return nil
			}
			if err != nil {
				return err
			}
			reportPull(s.Err, result, dir, nil, "", false)
			return nil
		},
	}
	registry.Declare(c.Flags())
	c.Flags().DurationVar(&watch, "watch", 0, "go on, and pull when the tag has changed; ask the registry once a `DURATION`, such as 1m")
	return c
}

// reportPull writes one line about a pull. With a prefix, as a watch has, it writes none if nothing
// changed, unless the pull before failed.
func reportPull(w io.Writer, r oci.Result, dir string, err error, prefix string, failed bool) {
	switch {
	case err != nil && oci.Has(dir) == "":
		_, _ = fmt.Fprintf(w, "%s%v; %s has no files yet\n", prefix, err, dir)
	case err != nil:
		_, _ = fmt.Fprintf(w, "%s%v; %s keeps its files\n", prefix, err, dir)
	case r.Changed:
		_, _ = fmt.Fprintf(w, "%swrote %s of %s to %s\n", prefix, plural.Count(r.Files, "file"), r.Reference, dir)
	case prefix == "" || failed:
		_, _ = fmt.Fprintf(w, "%s%s already has %s\n", prefix, dir, r.Reference)
	}
}
