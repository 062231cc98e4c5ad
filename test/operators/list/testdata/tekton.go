package main

import (
	"context"

	"github.com/tektoncd/pipeline/pkg/apis/config"
)

// SetUpContext returns the context of the conversions with the defaults of Tekton's release, which the
// webhook reads from ConfigMaps; name the values of yours here.
func SetUpContext(ctx context.Context) context.Context {
	defaults, err := config.NewDefaultsFromMap(map[string]string{"default-timeout-minutes": "60", "default-service-account": "default"})
	if err != nil {
		panic(err)
	}
	features, err := config.NewFeatureFlagsFromMap(map[string]string{})
	if err != nil {
		panic(err)
	}
	all := *config.FromContextOrDefaults(ctx)
	all.Defaults, all.FeatureFlags = defaults, features
	return config.ToContext(ctx, &all)
}
