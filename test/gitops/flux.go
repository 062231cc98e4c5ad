package main

import (
	"context"
	"fmt"

	"github.com/fluxcd/pkg/ssa"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// flux applies as kustomize-controller does.
type flux struct{ manager *ssa.ResourceManager }

func newFlux(config *rest.Config) (engine, error) {
	c, err := client.New(config, client.Options{})
	if err != nil {
		return nil, err
	}
	return flux{ssa.NewResourceManager(c, nil, ssa.Owner{Field: "kustomize-controller", Group: "kustomize.toolkit.fluxcd.io"})}, nil
}

func (f flux) compare(ctx context.Context, objects []*unstructured.Unstructured) (drift []string, err error) {
	for _, o := range objects {
		change, _, _, err := f.manager.Diff(ctx, o, ssa.DefaultDiffOptions())
		if err != nil {
			return drift, err
		}
		if change.Action != ssa.UnchangedAction {
			drift = append(drift, fmt.Sprintf("%s %s", change.Subject, change.Action))
		}
	}
	return drift, nil
}

func (f flux) apply(ctx context.Context, objects []*unstructured.Unstructured) (changed []string, err error) {
	options := ssa.DefaultApplyOptions()
	// kustomize-controller takes over from kubectl, and from itself before it applied.
	options.Cleanup = ssa.ApplyCleanupOptions{
		Annotations: []string{"kubectl.kubernetes.io/last-applied-configuration"},
		FieldManagers: []ssa.FieldManager{
			{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationApply},
			{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationUpdate},
			{Name: "before-first-apply", OperationType: metav1.ManagedFieldsOperationUpdate},
			{Name: "kustomize-controller", OperationType: metav1.ManagedFieldsOperationUpdate},
		},
	}
	set, err := f.manager.ApplyAllStaged(ctx, objects, options)
	if err != nil {
		return nil, err
	}
	for _, entry := range set.Entries {
		if entry.Action != ssa.UnchangedAction {
			changed = append(changed, fmt.Sprintf("%s %s", entry.Subject, entry.Action))
		}
	}
	return changed, nil
}
