package verify

import (
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/conformance"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// conform runs the checks of conformance on one module. Each check starts with a fresh one.
func conform(ctx context.Context, path string, config runtime.OpenConfig, objects []json.RawMessage, report *output.Report) error {
	config.Limits = conformance.Limits(config.Limits)
	open := func(ctx context.Context) (*module.Module, error) { return modules.Open(ctx, path, config) }
	start := time.Now()
	return conformance.Run(ctx, open, objects, func(r conformance.Result) {
		report.Add(output.Result{Module: filepath.Base(path), File: path, Edge: r.Edge, Check: r.Check, Verdict: output.Verdict(r.Verdict), Why: r.Why, Took: time.Since(start)})
		start = time.Now()
	})
}
