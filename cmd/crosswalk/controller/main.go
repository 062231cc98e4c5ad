// Command controller keeps annotated CustomResourceDefinitions attached to a gateway: it writes
// their spec.conversion after a test, restores it if somebody removes it, copies the definitions
// into the ConfigMap that the gateway reads, and can keep the gateway's certificate. Conversions go
// on while it does not run.
package main

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	core "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager/signals"
	registry "sigs.k8s.io/controller-runtime/pkg/metrics"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"context"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/internal/buildinfo"
)

// options are the command line.
type options struct {
	kubeconfig, context string
	namespace, service  string
	url, caFile         string
	port                int32
	secret, definitions string
	keepCertificate     bool
	health, metrics     string
	lease               string
	version             bool
}

func (o *options) flags(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&o.namespace, "namespace", os.Getenv("POD_NAMESPACE"), "namespace of the gateway, and of the Secret, the ConfigMap and the lease (default: $POD_NAMESPACE)")
	flags.StringVar(&o.service, "service", "crosswalk", "name of the gateway's Service")
	flags.Int32Var(&o.port, "port", 443, "port of the Service")
	flags.StringVar(&o.url, "url", "", "URL of a gateway outside of the cluster, instead of --service")
	flags.StringVar(&o.caFile, "ca-file", "", "file with the CA of the gateway's certificate (default: ca.crt of --tls-secret)")
	flags.StringVar(&o.secret, "tls-secret", "crosswalk-tls", "name of the Secret with the gateway's certificate")
	flags.BoolVar(&o.keepCertificate, "keep-certificate", false, "issue the certificate in --tls-secret, and renew it")
	flags.StringVar(&o.definitions, "definitions", "crosswalk-definitions", "name of the ConfigMap with copies of the attached definitions; empty = none")
	flags.StringVar(&o.lease, "lease", "crosswalk-controller", "name of the lease, which lets one replica work, and of the ConfigMap that records the attached definitions")
	flags.StringVar(&o.health, "health-listen", ":8081", "address of /healthz and /readyz; 0 = none")
	flags.StringVar(&o.metrics, "metrics-listen", ":8080", "address of /metrics; 0 = none")
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "file with clusters and users (default: the pod's service account)")
	flags.StringVar(&o.context, "context", "", "name of the kubeconfig's context")
	flags.BoolVar(&o.version, "version", false, "print the version and exit")
}

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	var o options
	flags := pflag.NewFlagSet("controller", pflag.ContinueOnError)
	o.flags(flags)
	flags.Usage = func() {
		fmt.Print("controller keeps the gateway in the spec.conversion of annotated definitions.\n\nUsage: controller [flags]\n\n", flags.FlagUsagesWrapped(80))
	}
	err := flags.Parse(os.Args[1:])
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return
	case err == nil && o.version:
		fmt.Printf("crosswalk controller %v\n", buildinfo.Read())
		return
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case err == nil && o.namespace == "":
		err = errors.New("--namespace must be set, or $POD_NAMESPACE")
	case err == nil && o.keepCertificate && (o.url != "" || o.caFile != ""):
		err = errors.New("--keep-certificate is for a Service in the cluster: leave out --url and --ca-file")
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "controller: %v (--help lists the flags)\n", err)
		os.Exit(2)
	}
	if err := run(signals.SetupSignalHandler(), log, o); err != nil {
		log.Error("exiting with error", "err", err)
		os.Exit(1)
	}
}

// resync is the interval of looking at everything, without a change.
const resync = time.Minute

// run keeps the definitions attached until ctx ends.
func run(ctx context.Context, log *slog.Logger, o options) error {
	logger := logr.FromSlogHandler(log.Handler())
	ctrl.SetLogger(logger)
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: o.context}).ClientConfig()
	if err != nil {
		return err
	}
	config.UserAgent = "crosswalk-controller"
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Logger:                        logger,
		LeaderElection:                true,
		LeaderElectionID:              o.lease,
		LeaderElectionNamespace:       o.namespace,
		LeaderElectionReleaseOnCancel: true,
		HealthProbeBindAddress:        o.health,
		Metrics:                       metrics.Options{BindAddress: o.metrics},
		// Reading them through a cache would need the right to list all Secrets and ConfigMaps.
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&core.Secret{}, &core.ConfigMap{}}}},
	})
	if err != nil {
		return err
	}
	k, err := newKeeper(manager, o, log)
	if err != nil {
		return err
	}
	if err := errors.Join(manager.AddHealthzCheck("ping", healthz.Ping), manager.AddReadyzCheck("ping", healthz.Ping)); err != nil {
		return err
	}
	// Only metadata is kept in memory: definitions can have a megabyte each.
	watched := &metav1.PartialObjectMetadata{}
	watched.SetGroupVersionKind(definitionKind)
	err = ctrl.NewControllerManagedBy(manager).Named("definitions").WatchesMetadata(watched, handler.EnqueueRequestsFromMapFunc(
		func(_ context.Context, o client.Object) []reconcile.Request {
			if o.GetAnnotations()[attach.Annotation] == "" && !k.attached.knows(attach.DefinitionName(o.GetName())) {
				return nil
			}
			return []reconcile.Request{everything}
		}), builder.WithPredicates(predicate.Funcs{UpdateFunc: changed})).Complete(k)
	if err != nil {
		return err
	}
	look, err := newLookout(k, registry.Registry)
	if err != nil {
		return err
	}
	if err := errors.Join(manager.Add(k), manager.Add(look)); err != nil {
		return err
	}
	return manager.Start(ctx)
}

var (
	definitionKind = schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}
	// everything is the one request: each run looks at all definitions, because they share the
	// certificate and the ConfigMap.
	everything = reconcile.Request{NamespacedName: client.ObjectKey{Name: "everything"}}
)

// changed reports whether an update of a definition is a reason to look at everything. The status
// that the controller writes does not count: if a failure's text differs each time, for example by
// the number of a local port, each status would cause the next one without a pause.
func changed(e event.UpdateEvent) bool {
	own := func(name, _ string) bool { return name == attach.StatusAnnotation }
	before, now := maps.Clone(e.ObjectOld.GetAnnotations()), maps.Clone(e.ObjectNew.GetAnnotations())
	maps.DeleteFunc(before, own)
	maps.DeleteFunc(now, own)
	return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() || !maps.Equal(before, now)
}

func newKeeper(manager ctrl.Manager, o options, log *slog.Logger) (*keeper, error) {
	cluster, err := attach.NewCluster(manager.GetConfig())
	if err != nil {
		return nil, err
	}
	cluster.Probe.Direct = true
	k := &keeper{
		options: o, cluster: cluster, client: manager.GetClient(), events: manager.GetEventRecorder("crosswalk-controller"), log: log,
		now: time.Now, tested: map[string]testResult{}, attached: newRecord(manager.GetClient(), o.namespace, o.lease),
		gateway: attach.Gateway{Namespace: o.namespace, Name: o.service, Port: o.port, URL: o.url},
	}
	if o.url != "" {
		if err := attach.CheckURL(o.url); err != nil {
			return nil, fmt.Errorf("--url %w", err)
		}
	}
	if o.caFile != "" {
		if k.gateway.CA, err = os.ReadFile(o.caFile); err != nil {
			return nil, err
		}
	}
	return k, nil
}
