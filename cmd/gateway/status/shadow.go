package status

import (
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/shadow"
	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/statuspage"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// resultOf returns the result of the shadow module for a conversion, or nil.
func resultOf(results []shadow.Status, kind, from, to string) *shadow.Status {
	for i, r := range results {
		if r.Kind == kind && r.From == from && r.To == to {
			return &results[i]
		}
	}
	return nil
}

// score is the result of a shadow module, in words.
func score(t shadow.Status) string {
	return fmt.Sprintf("%d same, %d different, %d failed", t.Same, t.Different, t.Failed)
}

// shadowViews shows the shadow modules among the modules.
func shadowViews(modules []runtime.Status, results []shadow.Status) (views []statuspage.Module) {
	for _, st := range modules {
		if st.State == runtime.StateListing {
			continue
		}
		v := statuspage.Module{File: st.File, Status: "shadow module", State: statuspage.Note, Digest: foreign.Digest(st.Digest), Trouble: st.LastError}
		if st.LastError != "" {
			v.State = statuspage.Bad
			if st.State != runtime.StateServing { // no version of it is loaded
				v.Status = "shadow module, " + st.State
			}
		}
		for _, t := range results {
			if t.Module != st.File {
				continue
			}
			v.Facts = append(v.Facts, statuspage.Fact{Name: t.From + "→" + t.To, Value: score(t)})
			if t.Different+t.Failed > 0 && v.State == statuspage.Note {
				v.State = statuspage.Warn
			}
			if fields := mostFrequent(t.Paths); fields != "" {
				v.Facts = append(v.Facts, statuspage.Fact{Name: t.From + "→" + t.To + " differs in", Value: fields})
			}
			if t.LastFailure != "" {
				v.Facts = append(v.Facts, statuspage.Fact{Name: t.From + "→" + t.To + " last failure", Value: t.LastFailure})
			}
		}
		views = append(views, v)
	}
	return views
}

// mostFrequent names the fields in which results differ most often.
func mostFrequent(paths []shadow.PathCount) string {
	const most = 5
	var names []string
	for i, p := range paths {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(paths)-most))
			break
		}
		names = append(names, p.Path)
	}
	return strings.Join(names, ", ")
}
