package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// Attach points a target to a gateway. It first tests the gateway with the planned stanza, and
// changes nothing if the test fails or with dryRun, which the API server itself checks. After the
// change it reads an object through the API server. If that fails and worked before, it puts the
// previous stanza back.
func (c *Cluster) Attach(ctx context.Context, t *Target, g Gateway, dryRun bool) (Outcome, error) {
	out := Outcome{Target: t.String(), Action: ActionRefused}
	if err := t.injected(); err != nil {
		out.Message = "nothing was changed"
		return out, err
	}
	out.Checks = c.Probe.Examine(ctx, t, g.Stanza())
	if err := out.Checks.Err(); err != nil {
		out.Message = "nothing was changed"
		return out, err
	}
	before := t.Conversion()
	through := c.Probe.Through(ctx, t)
	if slices.ContainsFunc(through, func(check Check) bool {
		return check.Result == Failed && strings.Contains(check.Text, "is forbidden: ")
	}) {
		out.Checks, out.Message = append(out.Checks, through...), "nothing was changed"
		return out, through.Err() // nobody could test the stanza after the change
	}
	worked := through.Err() == nil
	changed, err := c.convert(ctx, t, g, dryRun)
	switch {
	case err != nil:
		return out, fmt.Errorf("writing spec.conversion of %s: %w", t, err)
	case dryRun:
		out.Action, out.Message = ActionWould, describe(before, changed.Conversion())
		if equality.Semantic.DeepEqual(before, changed.Conversion()) {
			out.Action = ActionNone
		}
		return out, nil
	case equality.Semantic.DeepEqual(before, changed.Conversion()):
		out.Action = ActionNone
	default:
		out.Action, out.Message = ActionAttached, describe(before, changed.Conversion())
		if owners := t.Owners(); len(owners) > 0 && before != nil && before.Strategy == apiextensions.WebhookConverter {
			out.Message += "; before, it belonged to " + strings.Join(owners, ", ")
		}
		if !c.Probe.Direct { // otherwise nothing is read
			if err := c.settle(ctx, t); err != nil {
				return out, unread(ctx, err)
			}
		}
	}
	after := c.Probe.Through(ctx, changed)
	if ctx.Err() != nil {
		return out, unread(ctx, ctx.Err()) // which says nothing against the stanza
	}
	out.Checks = append(out.Checks, after...)
	if err := after.Err(); err != nil && worked && out.Action == ActionAttached {
		if undo := putBack(ctx, c, t, before); undo != nil {
			return out, errors.Join(err, fmt.Errorf("putting the previous spec.conversion back: %w", undo))
		}
		out.Action, out.Message = ActionRolledBack, "the previous spec.conversion is in force again"
		return out, err
	} else if err != nil {
		return out, err
	}
	return out, nil
}

// unread is the error of a run that ended after the stanza was written, and before an object was read
// with it.
func unread(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return &Interrupted{what: "interrupted; spec.conversion was written, and no object was read with it yet; ", How: "run the command again", err: err}
}

// Restore writes the stanza without a test of the gateway. It is for a target that was attached
// and lost its stanza: until it has one again, objects are read with the fields of another version,
// and no error says so.
func (c *Cluster) Restore(ctx context.Context, t *Target, g Gateway) error {
	if _, err := c.convert(ctx, t, g, false); err != nil {
		return fmt.Errorf("restoring spec.conversion of %s: %w", t, err)
	}
	return nil
}

// settle waits until API servers use a changed stanza. For an XRD it first waits until Crossplane
// has copied the stanza.
func (c *Cluster) settle(ctx context.Context, t *Target) error {
	if t.Composite() {
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
			now, err := c.refresh(ctx, t)
			if err != nil {
				return err
			}
			want := now.Conversion()
			if !slices.ContainsFunc(now.Definitions, func(crd *apiextensions.CustomResourceDefinition) bool {
				return !equality.Semantic.DeepEqual(crd.Spec.Conversion, want)
			}) {
				break
			}
			if err := sleep(ctx, time.Second); err != nil {
				return err
			}
		}
	}
	return sleep(ctx, settleTime)
}

// putBack writes the previous stanza; nil stands for none.
func putBack(ctx context.Context, c *Cluster, t *Target, before *apiextensions.CustomResourceConversion) error {
	operation := t.unconvert()
	if before != nil {
		operation = t.reconvert(before)
	}
	_, err := c.patch(ctx, t, false, operation)
	return err
}
