package operate

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

func crdPatchCommand() *cobra.Command {
	var gateway gatewayFlags
	var issuer string
	var format *output.Format
	formats := []output.Format{output.YAML, output.JSON}
	c := &cobra.Command{
		Use: "crd-patch [flags] CRD...", Short: "print the stanza of definitions for GitOps",
		Long: `Prints for each CustomResourceDefinition (PLURAL.GROUP) or Crossplane CompositeResourceDefinition (xrd/NAME) a document with
spec.conversion and nothing else. It asks no cluster, so it tests nothing: crosswalk explain does after the change. The document serves
kubectl apply --server-side, kubectl patch --type=merge --patch-file, and kustomize as a patch.
`,
		Example: `crosswalk crd-patch --ca-file ca.crt crontabs.stable.example.com
crosswalk crd-patch --cert-manager crosswalk-system/crosswalk crontabs.stable.example.com > patch.yaml`,
		Args: command.SomeArgs("CustomResourceDefinition"),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := gateway.address()
			if err != nil {
				return err
			}
			if (len(g.CA) > 0) == (issuer != "") && g.URL == "" {
				return command.Usagef("name the CA by either --ca-file or --cert-manager")
			}
			for i, name := range args {
				apiVersion, kind := "apiextensions.k8s.io/v1", "CustomResourceDefinition"
				if composite, ok := strings.CutPrefix(name, "xrd/"); ok {
					name, apiVersion, kind = composite, "apiextensions.crossplane.io/v1", "CompositeResourceDefinition"
				}
				if !strings.Contains(name, ".") {
					return command.Usagef("%q must be PLURAL.GROUP", name)
				}
				document, err := g.Document(apiVersion, kind, name)
				if err != nil {
					return err
				}
				if issuer != "" {
					document.SetAnnotations(map[string]string{"cert-manager.io/inject-ca-from": issuer})
				}
				if i > 0 && *format == output.YAML {
					if _, err := io.WriteString(cmd.OutOrStdout(), "---\n"); err != nil {
						return err
					}
				}
				if err := output.Write(cmd.OutOrStdout(), *format, document); err != nil {
					return err
				}
			}
			return nil
		},
	}
	gateway.flags(c.Flags())
	c.Flags().StringVar(&issuer, "cert-manager", "", "`NAMESPACE/NAME` of the Certificate of which cert-manager fills in caBundle")
	format = output.Flag(c.Flags(), formats...)
	command.CompleteFlag(c, "output", command.CompleteFormats(formats...))
	return c
}
