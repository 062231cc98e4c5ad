package status

import (
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/shadow"
	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/statuspage"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

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
		var facts []string
		for _, t := range results {
			if t.Module != st.File {
				continue
			}
			facts = append(facts, t.From+"→"+t.To+" "+score(t))
			if t.Different+t.Failed > 0 && v.State == statuspage.Note {
				v.State = statuspage.Warn
			}
			if fields := mostFrequent(t.Paths); fields != "" {
				facts = append(facts, "differs in "+fields)
			}
			if t.LastFailure != "" {
				facts = append(facts, "last failure "+t.LastFailure)
			}
		}
		v.Facts = strings.Join(facts, " · ")
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
