package ship

import (
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/oci"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
)

// maxConfigMap is the limit of API servers for all values of a ConfigMap together, in bytes, before
// base64: MaxSecretSize of k8s.io/kubernetes/pkg/apis/core, which applies to ConfigMaps, too.
const maxConfigMap = 1 << 20

func configmapCommand() *cobra.Command {
	var namespace string
	c := &cobra.Command{
		Use: "configmap [flags] NAME MODULE|DIR...", Short: "print a ConfigMap with modules",
		Long: `Prints a ConfigMap with the files, for kubectl apply --server-side -f -. The files may be modules, sidecars, definitions,
.removed files, and SHA256SUMS with its signature. Of a directory, it takes all files whose names do not begin with a dot.
`,
		Example: `crosswalk configmap crosswalk-modules modules > configmap.yaml
crosswalk configmap --namespace crosswalk-system crosswalk-modules CronTab.stable.example.com_v1_v2.wasm`,
		Args:              command.AtLeast(2, "the ConfigMap, and at least one module or directory"),
		ValidArgsFunction: command.CompleteModules,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range []string{args[0], namespace} {
				if why := validation.IsDNS1123Subdomain(name); len(why) > 0 {
					return command.Usagef("%q cannot be the name of a ConfigMap or of its namespace: %s", name, strings.Join(why, "; "))
				}
			}
			files, err := oci.Files(args[1:]...)
			if err != nil {
				return err
			}
			var total int64
			for _, f := range files {
				if err := checkKey(f.Name); err != nil {
					return command.Findingf("%s: %w", f.Path, err)
				}
				total += f.Size
			}
			if total > maxConfigMap {
				return command.Findingf("the files have %d bytes; a ConfigMap may have %d: compress modules with zstd -19 or gzip -9, or use several ConfigMaps, a registry (crosswalk push) or an image volume", total, maxConfigMap)
			}
			return writeConfigMap(cmd.OutOrStdout(), namespace, args[0], files)
		},
	}
	c.Flags().StringVarP(&namespace, "namespace", "n", "crosswalk-system", "`NAMESPACE` of the ConfigMap")
	return c
}

// checkKey returns an error for a file that a gateway does not read, or an API server does not
// take.
func checkKey(name string) error {
	_, sidecar := artifact.SidecarBase(name)
	switch {
	case len(validation.IsConfigMapKey(name)) > 0:
		return fmt.Errorf("a ConfigMap's keys have letters, digits, '-', '_' and '.' only")
	case artifact.IsModuleFile(name):
		_, err := artifact.ParseName(name)
		return err
	case sidecar, sums.Is(name), strings.HasSuffix(name, runtime.Tombstone), strings.HasSuffix(name, ".crd.yaml"), strings.HasSuffix(name, ".crd.json"):
		return nil
	}
	return fmt.Errorf("a gateway does not read this file; it reads modules (.wasm, .wasm.gz, .wasm.zst), their sidecars (.yaml), definitions (.crd.yaml, .crd.json), .removed files, and SHA256SUMS with its signature (SHA256SUMS.sig, SHA256SUMS.sigstore.json)")
}

func writeConfigMap(w io.Writer, namespace, name string, files []oci.File) error {
	if _, err := fmt.Fprintf(w, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\n  namespace: %s\nbinaryData:\n", name, namespace); err != nil {
		return err
	}
	for _, f := range files {
		content, err := os.ReadFile(f.Path)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "  %s: %s\n", f.Name, base64.StdEncoding.EncodeToString(content)); err != nil {
			return err
		}
	}
	return nil
}
