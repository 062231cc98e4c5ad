package module

import (
	"context"
	"fmt"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// passCases converts the object of every case and returns an error for the first wrong answer. The cases run as in production,
// one after the other, so a module that depends on earlier objects fails here. They may take half of CompileTime, so that the
// vetting child itself can report that they take too long.
func (m *Module) passCases(ctx context.Context) error {
	limit := m.limits.CompileTime / 2
	deadline := time.Now().Add(limit)
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	for i := range m.sidecar.Cases {
		c := &m.sidecar.Cases[i]
		err := m.passCase(ctx, c)
		if err != nil && !time.Now().Before(deadline) {
			return fmt.Errorf("%s: its cases take longer than %v, the limit for all cases of a module: use fewer or cheaper cases", m.sidecar.File, limit)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: from %s to %s %w", m.sidecar.File, c.Label, c.Edge.From, c.Edge.To, err)
		}
	}
	return nil
}

// passCase converts the object of one case. It does not count the call: a test is not traffic.
func (m *Module) passCase(ctx context.Context, c *artifact.GoldenCase) error {
	converted, refused, fault, wrong := m.convertWhole(ctx, c.Edge, c.Object)
	refusal, isRefusal := refused[0]
	switch {
	case wrong != nil:
		return fmt.Errorf("the module's answer %w", wrong)
	case fault != nil:
		return fmt.Errorf("the module failed: %w", fault)
	case isRefusal && c.Want != nil:
		return fmt.Errorf("the module refuses the object, which it should convert: %s", foreign.Fit(refusal, maxShown))
	case isRefusal && refusal != c.WantError:
		return fmt.Errorf("the module refuses the object with %q, not with %q", foreign.Fit(refusal, maxShown), foreign.Fit(c.WantError, maxShown))
	case isRefusal:
		return nil
	case c.Want == nil:
		return fmt.Errorf("the module converts the object, which it should refuse with %q", foreign.Fit(c.WantError, maxShown))
	}
	got, err := artifact.FillIn(converted, c.To(), c.Edge.Kind, c.Object)
	if err != nil {
		return fmt.Errorf("the module's answer is wrong: %w", err)
	}
	if !rawjson.Equal(c.Want, got) {
		return fmt.Errorf("the module's answer differs from want in %s", differenceOf(c.Want, got))
	}
	return nil
}
