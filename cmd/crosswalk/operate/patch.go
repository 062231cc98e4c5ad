package operate

import (
	"io"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

// printPatches writes for each definition a document with spec.conversion and nothing else.
func (o *attachOptions) printPatches(out io.Writer, names []string, format output.Format) error {
	g, err := o.gateway.address()
	if err != nil {
		return err
	}
	if (len(g.CA) > 0) == (o.issuer != "") && g.URL == "" {
		return command.Usagef("name the CA by either --ca-file or --cert-manager")
	}
	for i, name := range names {
		apiVersion, kind := "apiextensions.k8s.io/v1", "CustomResourceDefinition"
		if composite, rest, ok := strings.Cut(name, "/"); ok {
			version, known := map[string]string{"xrd": "v1", "xrd.v1": "v1", "xrd.v2": "v2"}[composite]
			switch {
			case !known:
				return command.Usagef("%q must be PLURAL.GROUP, xrd/NAME, or xrd.v2/NAME for one of apiextensions.crossplane.io/v2", name)
			case o.issuer != "":
				return command.Usagef("--cert-manager is not for %s: cert-manager does not fill in caBundle of a CompositeResourceDefinition, and Crossplane overwrites "+
					"what it fills in in the definition that Crossplane makes; name the CA by --ca-file", name)
			}
			name, apiVersion, kind = rest, "apiextensions.crossplane.io/"+version, "CompositeResourceDefinition"
		}
		if !strings.Contains(name, ".") {
			return command.Usagef("%q must be PLURAL.GROUP", name)
		}
		document, err := g.Document(apiVersion, kind, name)
		if err != nil {
			return err
		}
		if o.issuer != "" {
			document.SetAnnotations(map[string]string{"cert-manager.io/inject-ca-from": o.issuer})
		}
		if i > 0 && format == output.YAML {
			if _, err := io.WriteString(out, "---\n"); err != nil {
				return err
			}
		}
		if err := output.Write(out, format, document); err != nil {
			return err
		}
	}
	return nil
}
