package shadow

import (
	"context"
	"runtime/debug"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/difference"
	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
	"github.com/crosswalk-gateway/crosswalk/internal/review"
)

// runTime bounds one run of a shadow module. A module's own limit, --call-timeout, ends it sooner.
const runTime = 25 * time.Second

// The entries in the list of paths if one of the two modules refused the object.
const (
	refusesNow    = "(the shadow module refuses the object)"
	refusedBefore = "(the serving module refuses the object)"
)

// runSample repeats a conversion with the shadow module, under the same contract, and records the
// comparison of the results.
func (s *Shadow) runSample(ctx context.Context, t *sample) {
	r := t.results
	if (*s.all.Load())[r.step] != r {
		return // the shadow module or the serving module was replaced meanwhile
	}
	defer func() {
		if p := recover(); p != nil {
			s.cfg.Logger.Error("panic recovered while running a shadow module; this is a bug", "err", p, "stack", string(debug.Stack()))
			r.fail(faults.Internal, "the gateway failed while running the shadow module; its log has the reason")
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	answer, outcome, rejected := s.cfg.Review(ctx, review.Request(r.step.group+"/"+r.step.to, t.before))
	if ctx.Err() != nil && context.Cause(ctx) == context.Canceled {
		return // the gateway shuts down
	}
	switch {
	case rejected != nil:
		r.fail(faults.Internal, rejected.Error())
	case outcome.Failure == host.FailureRefused && t.after == nil:
		r.agree()
	case outcome.Failure == host.FailureRefused:
		r.disagree([]string{refusesNow})
	case outcome.Failure == host.FailureNoRoute:
		// the shadow module was just removed
	case outcome.Failure != "":
		r.fail(outcome.Failure, r.step.unnamed(outcome.Message))
	case t.after == nil:
		r.disagree([]string{refusedBefore})
	default:
		switch converted := review.Objects(answer); {
		case len(converted) != 1:
			r.fail(faults.Internal, "the response has no object")
		case rawjson.Equal(t.after, converted[0]):
			r.agree()
		default:
			r.disagree(paths(t.after, converted[0]))
		}
	}
}

// unnamed returns the part of a message after the name of the conversion, so that /shadow and the
// log do not name the sampled object.
func (s step) unnamed(message string) string {
	if _, rest, ok := strings.Cut(message, " of "+s.groupKind()+" from "+s.from+" to "+s.to+": "); ok {
		return rest
	}
	return message
}

// paths returns the paths of the fields in which two objects differ; at most maxPaths+1, which tells
// that there are more.
func paths(want, got []byte) (list []string) {
	difference.Fields(want, got, maxPaths+1, func(path string, _, _ any) { list = append(list, path) })
	return list
}
