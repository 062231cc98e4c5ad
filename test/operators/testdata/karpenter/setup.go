// Set-up code for crosswalk adopt of Karpenter v1.0's NodePool, for clusters in AWS.
package main

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
)

// SetUpContext adds to the context of conversions the values that the webhook of Karpenter's provider
// for AWS adds: NodePools of v1beta1 without a group of their node class get that of the first.
func SetUpContext(ctx context.Context) context.Context {
	return injection.WithNodeClasses(ctx, []schema.GroupVersionKind{{Group: "karpenter.k8s.aws", Version: "v1", Kind: "EC2NodeClass"}})
}
