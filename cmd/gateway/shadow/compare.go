package shadow

import (
	"context"
	"encoding/json"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/difference"
	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
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
	answer, outcome, rejected := s.cfg.Review(ctx, r.step.review(t.before))
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
		converted, ok := onlyObject(answer)
		switch {
		case !ok:
			r.fail(faults.Internal, "the response has no object")
		case rawjson.Equal(t.after, converted):
			r.agree()
		default:
			r.disagree(paths(t.after, converted))
		}
	}
}

// review is a request to convert one object along the step.
func (s step) review(object []byte) []byte {
	head := `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"shadow","desiredAPIVersion":`
	body := make([]byte, 0, len(head)+len(s.group)+len(s.to)+len(object)+32)
	body = append(body, head...)
	body = rawjson.Quote(body, s.group+"/"+s.to)
	body = append(body, `,"objects":[`...)
	body = append(body, object...)
	return append(body, "]}}"...)
}

// unnamed returns the part of a message after the name of the conversion, so that /shadow and the
// log do not name the sampled object.
func (s step) unnamed(message string) string {
	if _, rest, ok := strings.Cut(message, " of "+s.groupKind()+" from "+s.from+" to "+s.to+": "); ok {
		return rest
	}
	return message
}

// onlyObject returns the one converted object of a response.
func onlyObject(answer []byte) (object []byte, ok bool) {
	var review struct {
		Response struct {
			ConvertedObjects []json.RawMessage `json:"convertedObjects"`
		} `json:"response"`
	}
	if json.Unmarshal(answer, &review) != nil || len(review.Response.ConvertedObjects) != 1 {
		return nil, false
	}
	return review.Response.ConvertedObjects[0], true
}

// element is an index in a list. paths omits it: a difference in one element is mostly in all.
var element = regexp.MustCompile(`\[[0-9]+\]`)

// paths returns the paths of the fields in which two objects differ, each once; at most maxPaths+1,
// which tells that there are more.
func paths(want, got []byte) (list []string) {
	seen := map[string]bool{}
	difference.Each(want, got, func(path string, _, _ any) {
		path = element.ReplaceAllString(path, "[]")
		if !seen[path] && len(list) <= maxPaths {
			seen[path] = true
			list = append(list, path)
		}
	})
	return list
}
