// Command certmanager runs cert-manager's controllers, its webhook or its injector of CAs, by its
// first argument. cert-manager's own commands are modules that no Go proxy has, because their paths
// are not those of their directories; this command starts the same packages with the flags that
// cert-manager's chart gives. The module's path lies below cert-manager's because the webhook is an
// internal package of it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/runtime"
	clientgo "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2"
	aggregator "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager/signals"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	crds "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	webhookconfig "github.com/cert-manager/cert-manager/internal/apis/config/webhook"
	"github.com/cert-manager/cert-manager/internal/webhook"
	certmanager "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/cert-manager/cert-manager/pkg/controller"
	"github.com/cert-manager/cert-manager/pkg/controller/cainjector"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	_ "github.com/cert-manager/cert-manager/pkg/controller/issuers"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
	"github.com/cert-manager/cert-manager/pkg/util"
)

func main() {
	commands := map[string]func(context.Context, []string) error{"controller": controllers, "webhook": serve, "cainjector": inject}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: certmanager controller|webhook|cainjector [flags]")
		os.Exit(2)
	}
	ctrl.SetLogger(klog.Background())
	if err := commands[os.Args[1]](signals.SetupSignalHandler(), os.Args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "certmanager %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}

// flagSet returns flags that accept the others of cert-manager's commands without effect: one
// replica needs no election.
func flagSet(name string) *pflag.FlagSet {
	flags := pflag.NewFlagSet(name, pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	return flags
}

// controllers runs those of issuers in namespaces with a CA or without, and of certificates.
func controllers(ctx context.Context, args []string) error {
	var options controller.ContextOptions
	flags := flagSet("controller")
	flags.StringVar(&options.ClusterResourceNamespace, "cluster-resource-namespace", "kube-system", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	options.KubernetesAPIQPS, options.KubernetesAPIBurst = 20, 50
	options.CertificateRequestMinimumBackoffDuration = time.Hour
	options.CertificateRequestMaximumBackoffDuration = 32 * time.Hour
	factory, err := controller.NewContextFactory(ctx, options)
	if err != nil {
		return err
	}
	shared, err := factory.Build()
	if err != nil {
		return err
	}
	var run []controller.Interface
	for name, construct := range controller.Known() {
		c, err := construct(factory)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		run = append(run, c)
	}
	shared.SharedInformerFactory.Start(ctx.Done())
	shared.KubeSharedInformerFactory.Start(ctx.Done())
	var wait sync.WaitGroup
	errs := make([]error, len(run))
	for i, c := range run {
		wait.Go(func() { errs[i] = c.Run(5, ctx) }) // ends with ctx
	}
	wait.Wait()
	return errors.Join(errs...)
}

// serve runs the webhook that validates cert-manager's objects.
func serve(ctx context.Context, args []string) error {
	config := webhookconfig.WebhookConfiguration{MetricsListenAddress: "0"}
	flags := flagSet("webhook")
	flags.Int32Var(&config.SecurePort, "secure-port", 6443, "")
	flags.Int32Var(&config.HealthzPort, "healthz-port", 6080, "")
	flags.StringVar(&config.TLSConfig.Dynamic.SecretNamespace, "dynamic-serving-ca-secret-namespace", "", "")
	flags.StringVar(&config.TLSConfig.Dynamic.SecretName, "dynamic-serving-ca-secret-name", "", "")
	flags.StringSliceVar(&config.TLSConfig.Dynamic.DNSNames, "dynamic-serving-dns-names", nil, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	config.TLSConfig.Dynamic.LeafDuration = 7 * 24 * time.Hour
	server, err := webhook.NewCertManagerWebhookServer(ctrl.Log, config)
	if err != nil {
		return err
	}
	return server.Run(ctx)
}

// inject runs the injector of CAs into definitions and webhook configurations.
func inject(ctx context.Context, args []string) error {
	if err := flagSet("cainjector").Parse(args); err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgo.AddToScheme, certmanager.AddToScheme, aggregator.AddToScheme, crds.AddToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config = util.RestConfigWithUserAgent(config, "cainjector") // which names the field manager
	manager, err := ctrl.NewManager(config, ctrl.Options{Scheme: scheme, Metrics: metrics.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	enabled := map[string]bool{}
	for _, s := range []string{
		cainjector.MutatingWebhookConfigurationName, cainjector.ValidatingWebhookConfigurationName,
		cainjector.APIServiceName, cainjector.CustomResourceDefinitionName,
	} {
		enabled[s] = true
	}
	err = cainjector.RegisterAllInjectors(ctx, manager, cainjector.SetupOptions{EnableCertificatesDataSource: true, EnabledReconcilersFor: enabled})
	if err != nil {
		return err
	}
	return manager.Start(ctx)
}
