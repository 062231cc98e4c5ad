package main

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"sigs.k8s.io/karpenter/pkg/operator/injection"
)

// SetUpContext returns the context of the conversions with the classes of nodes of the provider, as
// the main of karpenter-provider-aws sets them.
func SetUpContext(ctx context.Context) context.Context {
	return injection.WithNodeClasses(ctx, []schema.GroupVersionKind{{Group: "karpenter.k8s.aws", Version: "v1", Kind: "EC2NodeClass"}})
}
