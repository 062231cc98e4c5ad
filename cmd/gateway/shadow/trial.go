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
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// trialTime bounds one trial. A module's own limit, --call-timeout, ends it sooner.
const trialTime = 25 * time.Second

// What stands in the place of a path where one of the two refused the object.
const (
	refusesNow    = "(the candidate refuses the object)"
	refusedBefore = "(the module that serves refuses the object)"
)

// try has the candidate do what the module that serves did, under the same contract, and enters how its answer compares.
func (s *Shadow) try(ctx context.Context, t *trial) {
	r := t.results
	if (*s.candidates.Load())[r.step] != r {
		return // the candidate, or the module that serves, is another by now
	}
	defer func() {
		if p := recover(); p != nil {
			s.cfg.Logger.Error("panic contained while a candidate was tried; this is a bug", "err", p, "stack", string(debug.Stack()))
			r.fail(host.FaultInternal, "the gateway failed while it tried the candidate; its log says why")
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	answer, outcome, rejected := s.cfg.Review(ctx, r.step.review(t.before))
	if ctx.Err() != nil && context.Cause(ctx) == context.Canceled {
		return // the gateway ends
	}
	switch {
	case rejected != nil:
		r.fail(host.FaultInternal, rejected.Message)
	case outcome.Failure == host.FailureRefused && t.after == nil:
		r.agree()
	case outcome.Failure == host.FailureRefused:
		r.disagree([]string{refusesNow})
	case outcome.Failure == host.FailureNoRoute:
		// it has just been taken away
	case outcome.Failure != "":
		r.fail(outcome.Failure, r.step.unnamed(outcome.Message))
	case t.after == nil:
		r.disagree([]string{refusedBefore})
	default:
		converted, ok := onlyObject(answer)
		switch {
		case !ok:
			r.fail(host.FaultInternal, "the answer to the trial has no object")
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

// unnamed returns what a message says behind the conversion's name, which is without the name of the object: /shadow and the log need not
// say whose object was drawn.
func (s step) unnamed(message string) string {
	if _, rest, ok := strings.Cut(message, " of "+s.groupKind()+" from "+s.from+" to "+s.to+": "); ok {
		return rest
	}
	return message
}

// onlyObject returns the one converted object of an answer.
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

// element is the place in a list, which is left out of a path: what differs in one element mostly does in all.
var element = regexp.MustCompile(`\[[0-9]+\]`)

// paths returns the paths of the fields in which two objects differ, each once, and no more than show that not all can be kept.
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
