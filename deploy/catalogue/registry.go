package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/dockerregistry"
)

// startRegistry starts a registry of the run's own, which keeps its files in the directory of the run,
// and sets o.registry. stop ends it.
func (o *options) startRegistry(ctx context.Context) (stop func(), err error) {
	r, err := dockerregistry.Start(ctx, dockerregistry.Config{Dir: filepath.Join(o.out, "registry")})
	if err != nil {
		return nil, fmt.Errorf("there is no registry to publish to: %w; or name one with REGISTRY=HOST/PATH", err)
	}
	o.registry = r.Host + "/catalogue"
	return func() {
		r.Stop()
		fmt.Fprintf(o.log, "the registry has stopped; start it again with: %s\n", r.Command)
	}, nil
}
