package operate

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/cluster"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

func attachCommand() *cobra.Command {
	var o attachOptions
	c := &cobra.Command{
		Use: "attach [flags] CRD...", Short: "have the gateway convert the objects of definitions",
		Long: `Writes spec.conversion of CustomResourceDefinitions (PLURAL.GROUP or KIND.GROUP) or Crossplane CompositeResourceDefinitions (xrd/NAME), and
nothing else, by server-side apply (docs/use/attach.md).

Before it writes, it tests every ready replica of the gateway: the certificate, every conversion between versions that are served or stored,
and some stored objects there and back. If one of these fails, it writes nothing. Afterwards it reads a stored object at each version
through the API server; if that worked before and fails now, it puts the previous stanza back.

With --convertible, the API server refuses from then on each object that does not convert to every served version (Kubernetes 1.30 and
later). attach first converts all stored objects there and back, and changes nothing if one of them fails.

The CA comes from --ca-file, or from the Secret --ca-secret: its ca.crt, or its tls.crt if that signed itself.

With --print it asks no cluster. It prints for each definition a document with spec.conversion and nothing else, for kubectl apply
--server-side, kubectl patch --type=merge --patch-file, and kustomize.
`,
		Example: `crosswalk attach crontabs.stable.example.com
crosswalk attach --dry-run CronTab.stable.example.com
crosswalk attach --convertible crontabs.stable.example.com
crosswalk attach --service gateways/team-a --ca-file ca.crt crontabs.stable.example.com
crosswalk attach xrd/xdatabases.example.org
crosswalk attach --print --ca-file ca.crt crontabs.stable.example.com
crosswalk attach --print --cert-manager crosswalk-system/crosswalk crontabs.stable.example.com > patch.yaml`,
		Annotations:       map[string]string{command.ExampleTest: "TestAttachCommand in test/e2e"},
		Args:              command.SomeArgs("CustomResourceDefinition"),
		ValidArgsFunction: cluster.CompleteDefinitions(&o.cluster),
		RunE: func(cmd *cobra.Command, args []string) error {
			changed := cmd.Flags().Changed
			switch {
			case !o.print && o.issuer != "":
				return command.Usagef("--cert-manager is for --print")
			case !o.print:
				return o.run(cmd.Context(), command.StreamsOf(cmd), args)
			case o.dryRun || o.convertible || changed("ca-secret") || changed("context") || changed("kubeconfig"):
				return command.Usagef("--print asks no cluster: omit --dry-run, --convertible, --ca-secret, --context and --kubeconfig")
			case !changed("output"):
				return o.printPatches(cmd.OutOrStdout(), args, output.YAML)
			case *o.format != output.YAML && *o.format != output.JSON:
				return command.Usagef("--output must be yaml or json with --print, not %s", *o.format)
			}
			return o.printPatches(cmd.OutOrStdout(), args, *o.format)
		},
	}
	o.gateway.flags(c.Flags())
	c.Flags().StringVar(&o.gateway.caSecret, "ca-secret", "crosswalk-tls", "`NAME` of the Secret with the CA, in the namespace of the Service")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "test everything and write nothing")
	c.Flags().BoolVar(&o.convertible, "convertible", false, "have the API server refuse objects that do not convert, once all stored ones do")
	c.Flags().BoolVar(&o.print, "print", false, "print spec.conversion as a patch for GitOps, without a cluster")
	c.Flags().StringVar(&o.issuer, "cert-manager", "", "`NAMESPACE/NAME` of the Certificate of which cert-manager fills in caBundle, for --print")
	o.format = output.Flag(c.Flags(), output.ReportFormats...)
	o.cluster = cluster.Declare(c.Flags())
	command.CompleteFlag(c, "output", command.CompleteFormats(output.ReportFormats...))
	return c
}

type attachOptions struct {
	gateway     gatewayFlags
	dryRun      bool
	print       bool
	convertible bool
	issuer      string // the Certificate of cert-manager, for print
	format      *output.Format
	cluster     *cluster.Flags
}

func (o *attachOptions) run(ctx context.Context, s command.Streams, args []string) error {
	c, err := o.cluster.Open()
	if err != nil {
		return err
	}
	g, err := o.gateway.open(ctx, c)
	if err != nil {
		return err
	}
	write := c.Attach
	if o.convertible {
		write = c.AttachConvertible
	}
	return eachTarget(ctx, s, c, args, *o.format, func(t *attach.Target) (attach.Outcome, error) { return write(ctx, t, g, o.dryRun) })
}

// eachTarget changes some definitions and reports on all. A definition that fails does not keep the
// others from being changed.
func eachTarget(ctx context.Context, s command.Streams, c *attach.Cluster, names []string, format output.Format, change func(*attach.Target) (attach.Outcome, error)) error {
	report := output.NewReport(s.Out, format, true)
	var failed error
	found := false
	for _, name := range names {
		t, err := c.Find(ctx, name)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		found = true
		outcome, err := change(t)
		addChecks(report, outcome.Target, outcome.Checks)
		result := output.Result{Module: outcome.Target, Check: outcome.Action, Verdict: output.Pass, Why: paragraph(outcome.Message)}
		if err != nil {
			result.Verdict = output.Fail
			if len(outcome.Checks.Failures()) == 0 { // otherwise the report has it
				result.Why = strings.TrimPrefix(result.Why+"\n"+paragraph(err.Error()), "\n")
			}
		}
		report.Add(result)
		if ctx.Err() != nil {
			failed = errors.Join(failed, err)
			break
		}
	}
	if !found && format == output.Table {
		return failed // "0 passed, 0 failed" says nothing
	}
	if err := report.Close(); err != nil {
		return err
	}
	if failed == nil && report.Failed() {
		return command.ErrFound
	}
	return failed
}

// addChecks adds the steps of a conversion's way to a report.
func addChecks(report *output.Report, target string, checks attach.Checks) {
	verdicts := map[attach.Result]output.Verdict{attach.Passed: output.Pass, attach.Warning: output.Note, attach.Failed: output.Fail}
	for _, check := range checks {
		why := check.Text
		if check.Remedy != "" {
			why += "\nremedy: " + check.Remedy
		}
		report.Add(output.Result{Module: target, Check: last(check.Name), Verdict: verdicts[check.Result], Why: why})
	}
}

func detachCommand() *cobra.Command {
	var dryRun bool
	c := changing(&cobra.Command{
		Use: "detach [flags] CRD...", Short: "remove the gateway from definitions",
		Long: `Removes spec.conversion of CustomResourceDefinitions or CompositeResourceDefinitions, and the policies of attach --convertible
(docs/use/attach.md). From then on the API server changes the apiVersion of objects and nothing else. It refuses while more than one version
is served or stored, because objects would then be read with the fields of another version, and while managedFields of an object have
entries at a version that is not served (crosswalk migrate-storage carries them over).

If the controller keeps the definition, the same write sets the annotation crosswalk-gateway.github.io/attach to false.
`,
		Example: `crosswalk detach crontabs.stable.example.com
crosswalk detach --dry-run crontabs.stable.example.com`,
		Annotations: map[string]string{command.ExampleTest: "TestAttachCommand in test/e2e"},
	}, func(ctx context.Context, c *attach.Cluster, t *attach.Target) (attach.Outcome, error) {
		return c.Detach(ctx, t, dryRun)
	})
	c.Flags().BoolVar(&dryRun, "dry-run", false, "write nothing")
	return c
}

// changing completes a command that changes definitions, one after the other.
func changing(c *cobra.Command, change func(context.Context, *attach.Cluster, *attach.Target) (attach.Outcome, error)) *cobra.Command {
	format, flags := output.Flag(c.Flags(), output.ReportFormats...), cluster.Declare(c.Flags())
	command.CompleteFlag(c, "output", command.CompleteFormats(output.ReportFormats...))
	c.Args, c.ValidArgsFunction = command.SomeArgs("CustomResourceDefinition"), cluster.CompleteDefinitions(&flags)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		api, err := flags.Open()
		if err != nil {
			return err
		}
		ctx := cmd.Context()
		return eachTarget(ctx, command.StreamsOf(cmd), api, args, *format, func(t *attach.Target) (attach.Outcome, error) { return change(ctx, api, t) })
	}
	return c
}

// gatewayFlags name a gateway.
type gatewayFlags struct {
	service, url, caFile, caSecret string
	port                           int32
}

func (g *gatewayFlags) flags(flags *pflag.FlagSet) {
	flags.StringVar(&g.service, "service", "crosswalk-system/crosswalk", "the gateway's Service, as `NAMESPACE/NAME`")
	flags.Int32Var(&g.port, "port", 443, "`PORT` of the Service")
	flags.StringVar(&g.url, "url", "", "`URL` of a gateway outside of the cluster, such as https://gateway.example.com/convert; instead of --service")
	flags.StringVar(&g.caFile, "ca-file", "", "`FILE` with the CA of the gateway's certificate, as PEM")
}

// address returns the gateway without its CA.
func (g *gatewayFlags) address() (attach.Gateway, error) {
	namespace, name, ok := strings.Cut(g.service, "/")
	switch {
	case g.url != "":
		if err := attach.CheckURL(g.url); err != nil {
			return attach.Gateway{}, command.Usagef("--url %w", err)
		}
	case !ok || namespace == "" || name == "":
		return attach.Gateway{}, command.Usagef("--service must be NAMESPACE/NAME, not %q", g.service)
	}
	a := attach.Gateway{Namespace: namespace, Name: name, Port: g.port, URL: g.url}
	if g.caFile != "" {
		var err error
		if a.CA, err = os.ReadFile(g.caFile); err != nil {
			return a, err
		}
		if !x509.NewCertPool().AppendCertsFromPEM(a.CA) {
			return a, fmt.Errorf("%s has no certificate in PEM", g.caFile)
		}
	}
	return a, nil
}

// open returns the gateway with its CA.
func (g *gatewayFlags) open(ctx context.Context, c *attach.Cluster) (attach.Gateway, error) {
	a, err := g.address()
	if err != nil || a.URL != "" || len(a.CA) > 0 {
		return a, err
	}
	if a.CA, err = c.CA(ctx, a.Namespace, g.caSecret); err != nil {
		return a, fmt.Errorf("%w; name it with --ca-file or --ca-secret", err)
	}
	return a, nil
}

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
