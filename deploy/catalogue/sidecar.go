package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/golden"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
)

// writeSidecar writes the module's sidecar: a golden case for each sample and each other version,
// and the acknowledged losses. The answers are the module's, which adopt compared with the
// operator's code.
func (e *entry) writeSidecar(ctx context.Context) error {
	type lossy struct {
		From   string `json:"from"`
		To     string `json:"to"`
		Path   string `json:"path"`
		Class  string `json:"class,omitempty"`
		Reason string `json:"reason"`
	}
	type test struct {
		Name   string          `json:"name"`
		From   string          `json:"from"`
		To     string          `json:"to"`
		Object json.RawMessage `json:"object"`
		Want   struct{}        `json:"want"`
	}
	var sidecar struct {
		Lossy []lossy `json:"lossy,omitempty"`
		Cases []test  `json:"cases,omitempty"`
	}
	for _, l := range e.kind.Losses {
		for _, way := range l.Ways {
			from, to, _ := strings.Cut(way, arrow)
			for _, path := range l.Paths {
				sidecar.Lossy = append(sidecar.Lossy, lossy{from, to, path, l.Class, l.reason()})
			}
		}
	}
	names := map[string]int{}
	for _, s := range e.samples {
		for _, to := range e.Versions {
			if to == s.version {
				continue
			}
			name := s.file + " to " + to
			if names[name]++; names[name] > 1 {
				name += fmt.Sprintf(" (%d)", names[name])
			}
			sidecar.Cases = append(sidecar.Cases, test{Name: name, From: s.version, To: to, Object: s.object})
		}
	}
	e.Cases = len(sidecar.Cases)
	var text strings.Builder
	fmt.Fprintf(&text, "# Written by make catalogue: samples and losses of %s %s.\n", e.Operator, e.Version)
	if err := output.Write(&text, output.YAML, sidecar); err != nil {
		return err
	}
	module := filepath.Join(e.dir, e.Module)
	file := filepath.Join(e.dir, strings.TrimSuffix(e.Module, ".wasm.zst")+".yaml")
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		return err
	}
	m, err := runtime.Open(ctx, module, runtime.OpenConfig{SkipCases: true})
	if err != nil {
		return err
	}
	results := load.TryCases(ctx, m)
	m.Close()
	if len(results) > 0 {
		if _, err := golden.UpdateSidecar(file, results); err != nil {
			return err
		}
	}
	if m, err = runtime.Open(ctx, module, runtime.OpenConfig{}); err != nil {
		return fmt.Errorf("the module fails its own golden cases: %w", err)
	}
	m.Close()
	return nil
}

// reason is the reason with its source, as in the sidecar.
func (l loss) reason() string { return fmt.Sprintf("%s (%s)", l.Reason, l.Source) }
