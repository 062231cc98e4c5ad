package list

// All returns the kinds, sorted by the form and name. Versions are those that the Go module proxy has.
func All() []Operator {
	const (
		capi     = "sigs.k8s.io/cluster-api/api/"
		kueue    = "sigs.k8s.io/kueue/apis/kueue"
		tekton   = "github.com/tektoncd/pipeline/pkg/apis/"
		longhorn = "github.com/longhorn/longhorn-manager/k8s/pkg/apis/longhorn"
		blocks   = "github.com/apecloud/kubeblocks/apis/apps"
		openyurt = "github.com/openyurtio/openyurt/pkg/apis/apps"
		loki     = "github.com/grafana/loki/operator/apis/loki"
		logging  = "github.com/kube-logging/logging-operator/pkg/sdk/logging/api"
	)
	return []Operator{
		{Name: "controller-runtime", Version: "v0.22.3", Kind: "ExternalJob", Form: Methods, Test: true,
			Packages: under("sigs.k8s.io/controller-runtime/pkg/webhook/conversion/testdata/api", "v1", "v2", "v3"),
			Accept:   "externaljob.lock", Note: "test data with two spokes"},
		{Name: "prometheus-operator", Version: "v0.88.0", Kind: "AlertmanagerConfig", Form: Methods,
			Packages: under("github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring", "v1alpha1", "v1beta1")},
		{Name: "MetalLB", Version: "v0.16.2", Kind: "BGPPeer", Form: Methods,
			Packages: under("go.universe.tf/metallb/api", "v1beta1", "v1beta2")},
		{Name: "Kueue", Version: "v0.15.0", Kind: "Workload", Form: Methods, Packages: under(kueue, "v1beta1", "v1beta2")},
		{Name: "Kueue", Version: "v0.15.0", Kind: "ClusterQueue", Form: Methods, Packages: under(kueue, "v1beta1", "v1beta2")},
		{Name: "external-secrets", Version: "v0.9.20", Kind: "ExternalSecret", Form: Methods,
			Packages: under("github.com/external-secrets/external-secrets/apis/externalsecrets", "v1alpha1", "v1beta1")},
		{Name: "Cluster API", Version: "v1.11.5", Kind: "IPAddressClaim", Form: Methods, Packages: under(capi+"ipam", "v1alpha1", "v1beta1", "v1beta2")},
		{Name: "Cluster API", Version: "v1.11.5", Kind: "Machine", Form: Methods, Accept: "capi-v1.11-machine.lock", Packages: under(capi+"core", "v1beta1", "v1beta2"), SetUp: "capi-v1.11.go",
			Note: "main's function for the versions of references asks the API server; the set-up names v1beta1"},
		{Name: "Cluster API", Version: "v1.11.5", Kind: "Cluster", Form: Methods, Packages: under(capi+"core", "v1beta1", "v1beta2"), SetUp: "capi-v1.11.go"},
		{Name: "Cluster API", Version: "v1.11.5", Kind: "KubeadmControlPlane", Form: Methods, Packages: under(capi+"controlplane/kubeadm", "v1beta1", "v1beta2"),
			SetUp: "capi-kubeadm-v1.11.go"},
		{Name: "Cluster API AWS", Version: "v2.13.0", Kind: "AWSMachine", Form: Methods, Accept: "capa-awsmachine.lock", Packages: under("sigs.k8s.io/cluster-api-provider-aws/v2/api", "v1beta1", "v1beta2")},
		{Name: "Cluster API vSphere", Version: "v1.14.0", Kind: "VSphereMachine", Form: Methods,
			Packages: under("sigs.k8s.io/cluster-api-provider-vsphere/apis", "v1alpha3", "v1alpha4", "v1beta1"),
			Note:     "go.mod replaces modules"},
		{Name: "vm-operator", Version: "v1.8.6", Kind: "VirtualMachine", Form: Methods, Packages: under("github.com/vmware-tanzu/vm-operator/api", "v1alpha1", "v1alpha2"),
			Note: "go.mod replaces a module by a directory"},
		{Name: "OpenTelemetry", Version: "v0.139.0", Kind: "OpenTelemetryCollector", Form: Methods, Accept: "otel.lock",
			Packages: under("github.com/open-telemetry/opentelemetry-operator/apis", "v1alpha1", "v1beta1")},
		{Name: "Dapr", Version: "v1.14.0", Kind: "Subscription", Form: Methods, Packages: under("github.com/dapr/dapr/pkg/apis/subscriptions", "v1alpha1", "v2alpha1"),
			Note: "go.mod replaces modules"},
		{Name: "Karmada", Version: "v1.13.1", Kind: "ResourceBinding", Form: Methods, Packages: under("github.com/karmada-io/karmada/pkg/apis/work", "v1alpha1", "v1alpha2")},
		{Name: "Kruise", Version: "v1.8.0", Kind: "StatefulSet", Form: Methods, Packages: under("github.com/openkruise/kruise/apis/apps", "v1alpha1", "v1beta1"),
			Note: "go.mod replaces modules"},
		{Name: "Kruise Rollouts", Version: "v0.6.0", Kind: "Rollout", Form: Methods, Packages: under("github.com/openkruise/rollouts/api", "v1alpha1", "v1beta1")},
		{Name: "argocd-operator", Version: "v0.15.0", Kind: "ArgoCD", Form: Methods, Packages: under("github.com/argoproj-labs/argocd-operator/api", "v1alpha1", "v1beta1")},
		{Name: "Longhorn", Version: "v1.9.0", Kind: "Volume", Form: Methods, Accept: "longhorn-volume.lock", Packages: under(longhorn, "v1beta1", "v1beta2"),
			Note: "go.mod replaces modules; the conditions have the order of a map"},
		{Name: "Longhorn", Version: "v1.9.0", Kind: "Node", Form: Methods, Accept: "longhorn-node.lock", Packages: under(longhorn, "v1beta1", "v1beta2")},
		{Name: "KubeBlocks", Version: "v1.0.0", Kind: "Cluster", Form: Methods, Accept: "kubeblocks-cluster.lock", Packages: under(blocks, "v1alpha1", "v1")},
		{Name: "KubeBlocks", Version: "v1.0.0", Kind: "ComponentDefinition", Form: Methods, Packages: under(blocks, "v1alpha1", "v1")},
		{Name: "KServe", Version: "v0.17.0", Kind: "LLMInferenceService", Form: Methods, Accept: "kserve.lock", Packages: under("github.com/kserve/kserve/pkg/apis/serving", "v1alpha1", "v1alpha2"),
			Note: "go.mod replaces and excludes modules"},
		{Name: "OpenYurt", Version: "v1.5.0", Kind: "NodePool", Form: Methods, Packages: under(openyurt, "v1alpha1", "v1beta1"),
			Note: "go.mod replaces modules"},
		{Name: "OpenYurt", Version: "v1.5.0", Kind: "YurtAppSet", Form: Methods, Accept: "openyurt-yurtappset.lock", Packages: under(openyurt, "v1alpha1", "v1beta1")},
		{Name: "Azure Service Operator", Version: "v2.13.0", Kind: "Redis", Form: Methods,
			Packages: under("github.com/Azure/azure-service-operator/v2/api/cache", "v1api20230401", "v1api20230401/storage", "v1api20230801", "v1api20230801/storage"),
			Note:     "a storage version for each version"},
		{Name: "Loki", Version: "v0.0.0-20241021105923-5e970e50b166", Kind: "LokiStack", Form: Methods, Packages: under(loki, "v1beta1", "v1")},
		{Name: "Loki", Version: "v0.0.0-20241021105923-5e970e50b166", Kind: "AlertingRule", Form: Methods, Packages: under(loki, "v1beta1", "v1")},
		{Name: "Crossplane", Version: "v1.20.0", Kind: "Provider", Form: Methods, Packages: under("github.com/crossplane/crossplane/apis/pkg/meta", "v1alpha1", "v1"),
			Note: "a kind of packages, which no API server stores"},
		{Name: "logging-operator", Version: "v0.11.0", Kind: "Logging", Form: Methods, Packages: under(logging, "v1alpha1", "v1beta1"), Note: "go.mod replaces a module"},
		{Name: "logging-operator", Version: "v0.11.0", Kind: "Flow", Form: Methods, Packages: under(logging, "v1alpha1", "v1beta1")},

		{Name: "Tekton", Version: "v1.6.0", Kind: "Task", Form: Context, Accept: "tekton.lock", SetUp: "tekton.go", Packages: under(tekton+"pipeline", "v1", "v1beta1")},
		{Name: "Tekton", Version: "v1.6.0", Kind: "Pipeline", Form: Context, Accept: "tekton.lock", SetUp: "tekton.go", Packages: under(tekton+"pipeline", "v1", "v1beta1")},
		{Name: "Tekton", Version: "v1.6.0", Kind: "PipelineRun", Form: Context, Accept: "tekton.lock", SetUp: "tekton.go", Packages: under(tekton+"pipeline", "v1", "v1beta1")},
		{Name: "Tekton", Version: "v1.6.0", Kind: "ResolutionRequest", Form: Context, Packages: under(tekton+"resolution", "v1alpha1", "v1beta1")},
		{Name: "Karpenter", Version: "v1.0.8", Kind: "NodePool", Form: Context, Accept: "karpenter-nodepool.lock", Packages: under("sigs.k8s.io/karpenter/pkg/apis", "v1beta1", "v1"), SetUp: "karpenter.go",
			Note: "the context has the provider's classes of nodes"},
		{Name: "Karpenter", Version: "v1.0.8", Kind: "NodeClaim", Form: Context, Packages: under("sigs.k8s.io/karpenter/pkg/apis", "v1beta1", "v1"), SetUp: "karpenter.go",
			Note: "reads NodePools from the API server during a conversion"},
		{Name: "Knative Eventing", Version: "v0.43.0", Kind: "EventType", Form: Context, Test: true,
			Packages: under("knative.dev/eventing/pkg/apis/eventing", "v1beta1", "v1beta2", "v1beta3")},
		{Name: "Knative Eventing", Version: "v0.43.0", Kind: "PingSource", Form: Context, Packages: under("knative.dev/eventing/pkg/apis/sources", "v1beta2", "v1")},

		{Name: "KubeVirt", Version: "v1.6.0", Kind: "VirtualMachineInstancetype", Form: Functions, Test: true,
			Packages: under("kubevirt.io/api/instancetype", "v1alpha1", "v1alpha2", "v1beta1")},
		{Name: "Gatekeeper", Version: "v0.0.0-20241101234656-e78c8abd754a", Kind: "Provider", Form: Functions,
			Packages: under("github.com/open-policy-agent/frameworks/constraint/pkg/apis/externaldata", "unversioned", "v1alpha1", "v1beta1"),
			Note:     "conversions by way of an internal version"},

		{Name: "Cluster API", Version: "v1.14.2", Kind: "Machine", Form: Converter, Accept: "capi-v1.14-machine.lock", SetUp: "capi-v1.14.go",
			Packages: []string{capi + "core/v1beta1", capi + "core/v1beta2", "sigs.k8s.io/cluster-api/core/webhooks/conversion"},
			Note:     "the conversions are in another module than the kinds"},
		{Name: "Cluster API", Version: "v1.14.2", Kind: "Cluster", Form: Converter, SetUp: "capi-v1.14.go",
			Packages: []string{capi + "core/v1beta1", capi + "core/v1beta2", "sigs.k8s.io/cluster-api/core/webhooks/conversion"}},
		{Name: "Cluster API", Version: "v1.14.2", Kind: "IPAddressClaim", Form: Converter, Test: true,
			Packages: []string{capi + "ipam/v1alpha1", capi + "ipam/v1beta1", capi + "ipam/v1beta2", "sigs.k8s.io/cluster-api/core/webhooks/conversion"}},
		{Name: "Cluster API", Version: "v1.14.2", Kind: "KubeadmControlPlane", Form: Converter, SetUp: "capi-kubeadm-v1.14.go",
			Packages: []string{capi + "controlplane/kubeadm/v1beta1", capi + "controlplane/kubeadm/v1beta2", "sigs.k8s.io/cluster-api/controlplane/kubeadm/webhooks/conversion"}},

		{Name: "Shipwright", Version: "v0.15.0", Kind: "Build", Form: Unstructured, Packages: under("github.com/shipwright-io/build/pkg/apis/build", "v1alpha1", "v1beta1")},
		{Name: "Shipwright", Version: "v0.15.0", Kind: "BuildStrategy", Form: Unstructured, Test: true,
			Packages: under("github.com/shipwright-io/build/pkg/apis/build", "v1alpha1", "v1beta1"),
			Accept:   "shipwright-buildstrategy.lock"},
	}
}
