package main

import (
	"context"
	"fmt"

	"github.com/argoproj/argo-cd/gitops-engine/v3/pkg/cache"
	"github.com/argoproj/argo-cd/gitops-engine/v3/pkg/diff"
	gitops "github.com/argoproj/argo-cd/gitops-engine/v3/pkg/engine"
	"github.com/argoproj/argo-cd/gitops-engine/v3/pkg/sync"
	"github.com/argoproj/argo-cd/gitops-engine/v3/pkg/sync/common"
	"github.com/argoproj/argo-cd/gitops-engine/v3/pkg/utils/kube"
	"github.com/argoproj/argo-cd/gitops-engine/v3/pkg/utils/tracing"
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
)

const (
	namespace = "default"
	manager   = "argocd-controller"
	// trackingAnnotation marks the objects of an application, as Argo CD's own annotation does.
	trackingAnnotation = "argocd.argoproj.io/tracking-id"
)

// argoCD compares and applies as Argo CD's application controller does: with server-side apply and
// its comparison by a dry run, or with kubectl's client-side apply and a three-way comparison.
type argoCD struct {
	name       string
	serverSide bool
	cache      cache.ClusterCache
	engine     gitops.GitOpsEngine
	dryRunner  diff.ServerSideDryRunner
}

func newArgoCD(config *rest.Config, serverSide bool) (engine, error) {
	a := &argoCD{name: "client-side", serverSide: serverSide}
	if serverSide {
		a.name = "server-side"
	}
	log := logr.Discard()
	a.cache = cache.NewClusterCache(config, cache.SetLogr(log),
		cache.SetPopulateResourceInfoHandler(func(o *unstructured.Unstructured, _ bool) (info any, cacheManifest bool) {
			tracked := o.GetAnnotations()[trackingAnnotation]
			return tracked, tracked == a.name
		}))
	a.engine = gitops.NewEngine(config, a.cache, gitops.WithLogr(log))
	if _, err := a.engine.Run(); err != nil {
		return nil, err
	}
	kubectl := &kube.KubectlCmd{Log: log, Tracer: tracing.NopTracer{}}
	applier, _, err := kubectl.ManageServerSideDiffDryRuns(config)
	if err != nil {
		return nil, err
	}
	a.dryRunner = diff.NewK8sServerSideDryRunner(applier)
	return a, nil
}

// isOurs reports whether an object belongs to this engine's manifests.
func (a *argoCD) isOurs(r *cache.Resource) bool { return r.Info == a.name }

func (a *argoCD) tracked(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	for _, o := range objects {
		annotations := o.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[trackingAnnotation] = a.name
		o.SetAnnotations(annotations)
	}
	return objects
}

func (a *argoCD) compare(ctx context.Context, objects []*unstructured.Unstructured) (drift []string, err error) {
	objects = a.tracked(objects)
	live, err := a.cache.GetManagedLiveObjs(objects, a.isOurs)
	if err != nil {
		return nil, err
	}
	both := sync.Reconcile(objects, live, namespace, a.cache)
	options := []diff.Option{diff.WithLogr(logr.Discard()), diff.WithManager(manager), diff.WithGVKParser(a.cache.GetGVKParser())}
	if a.serverSide {
		options = append(options, diff.WithServerSideDiff(true), diff.WithServerSideDryRunner(a.dryRunner))
	}
	result, err := diff.DiffArray(ctx, both.Target, both.Live, options...)
	if err != nil {
		return nil, err
	}
	for i, d := range result.Diffs {
		if d.Modified {
			drift = append(drift, fmt.Sprintf("%s: live %s, predicted %s", title(both.Target[i], both.Live[i]), d.NormalizedLive, d.PredictedLive))
		}
	}
	return drift, nil
}

func (a *argoCD) apply(ctx context.Context, objects []*unstructured.Unstructured) (changed []string, err error) {
	results, err := a.engine.Sync(ctx, a.tracked(objects), a.isOurs, "revision", namespace,
		sync.WithLogr(logr.Discard()), sync.WithServerSideApply(a.serverSide), sync.WithServerSideApplyManager(manager), sync.WithPrune(true))
	for _, r := range results {
		if r.Status != common.ResultCodeSynced {
			return changed, fmt.Errorf("%s: %s: %s", r.ResourceKey.String(), r.Status, r.Message)
		}
	}
	return changed, err
}

func title(target, live *unstructured.Unstructured) string {
	if target == nil {
		target = live
	}
	return target.GetKind() + "/" + target.GetName()
}
