package attach

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// AttachConvertible is Attach, and makes the API server refuse writes of objects that do not convert,
// by one policy for each served version of the target's definitions. It first converts all stored
// objects, and changes nothing if one of them is bad: such an object could not be corrected through
// an API server with these policies. It converts those that changed until the policies were in force,
// and deletes the policies again if one of them is bad.
func (c *Cluster) AttachConvertible(ctx context.Context, t *Target, g Gateway, dryRun bool) (Outcome, error) {
	refused := Outcome{Target: t.String(), Action: ActionRefused, Message: "nothing was changed"}
	before, err := c.Policies.enforced(ctx)
	if apierrors.IsNotFound(err) {
		return refused, fmt.Errorf("the API server has no ValidatingAdmissionPolicy, which Kubernetes 1.30 and later have: %w", err)
	} else if err != nil {
		return refused, err
	}
	var all []*Inspection
	var inspections Checks
	for _, crd := range t.Definitions {
		i, err := c.Probe.Inspect(ctx, crd, g.Stanza(), maxNamed, 0)
		if err != nil {
			refused.Checks = c.Probe.Examine(ctx, t, g.Stanza()) // it names the step that failed
			return refused, fmt.Errorf("converting the stored objects: %w", err)
		}
		inspections.inspection(crd, i)
		all = append(all, i)
	}
	if err := inspections.Err(); err != nil {
		refused.Checks = inspections
		return refused, err
	}
	if _, err := c.Policies.enforce(ctx, t, before, true); err != nil { // or a missing right would end the work half-way
		return refused, err
	}
	out, err := c.Attach(ctx, t, g, dryRun)
	out.Checks = append(out.Checks, inspections...)
	if err != nil {
		return out, err
	}
	check, err := c.Policies.enforce(ctx, t, before, dryRun)
	if err != nil { // such as that of an API server that was not met before
		if undo := c.Policies.withdraw(ctx, t, before); undo != nil {
			return out, fmt.Errorf("%w; %w; the definition is attached, and has some of its admission policies: run the command again", err, undo)
		}
		out.Message = strings.TrimPrefix(out.Message+"; without the new admission policies", "; ")
		return out, fmt.Errorf("%w; run the command again", err)
	}
	if dryRun {
		out.Checks = append(out.Checks, check...)
		return out, nil
	}
	if err := sleep(ctx, settleTime); err != nil {
		return out, err
	}
	for i, crd := range t.Definitions {
		if err := c.Probe.inspect(ctx, crd, g.Stanza(), maxNamed, 0, all[i]); err != nil {
			return out, fmt.Errorf("converting the objects that changed meanwhile: %w; run the command again", err)
		}
		if len(all[i].Bad) > 0 {
			out.Checks.inspection(crd, all[i])
			return out, errors.Join(out.Checks.Err(), c.Policies.Unenforce(ctx, t))
		}
	}
	out.Checks = append(out.Checks, check...)
	return out, nil
}
