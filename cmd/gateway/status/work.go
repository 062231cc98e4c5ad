package status

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/statuspage"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// workView shows the reviews of a period.
func workView(t serve.Totals, period time.Duration) (w statuspage.Work) {
	if t.Reviews > 0 {
		w.Rate, w.Median = fmt.Sprintf("%.3g /s", float64(t.Reviews)/period.Seconds()), fmt.Sprintf("%.3g ms", t.Median().Seconds()*1000)
	}
	if t.Failed > 0 {
		w.Failed = fmt.Sprintf("%d of %d", t.Failed, t.Reviews)
	}
	return w
}

// rank orders states from good to bad.
func rank(s statuspage.State) int {
	return slices.Index([]statuspage.State{statuspage.Good, statuspage.Note, statuspage.Warn, statuspage.Bad}, s)
}

// kindOf returns the kind in the name of a module's file: <Kind>.<group>.
func kindOf(file string) string {
	_, file = watch.SplitOwner(file)
	kind, _, _ := strings.Cut(file, "_")
	return kind
}

// Work is the work of a conversion in the last minutes, in the format of /modules.
type Work struct {
	From          string     `json:"from"`
	To            string     `json:"to"`
	Reviews       uint64     `json:"reviews"`
	Failed        uint64     `json:"failed"`
	MedianSeconds float64    `json:"medianSeconds"`
	LastFailure   string     `json:"lastFailure,omitempty"` // since the start of the gateway
	LastFailureAt *time.Time `json:"lastFailureAt,omitempty"`
}

// workByModule returns the work of the conversions that each module takes part in, by file.
func workByModule(recent map[serve.Conversion]serve.Totals, routes *host.Routes) map[string][]Work {
	all := map[string][]Work{}
	for c, t := range recent {
		kind, group, _ := strings.Cut(c.Kind, ".")
		w := Work{From: c.From, To: c.To, Reviews: t.Reviews, Failed: t.Failed, MedianSeconds: t.Median().Seconds()}
		if t.Last != nil {
			w.LastFailure, w.LastFailureAt = t.Last.Message, &t.Last.At
		}
		for _, e := range routes.Path(group, kind, c.From, c.To) {
			all[e.Module.Name()] = append(all[e.Module.Name()], w)
		}
	}
	for _, list := range all {
		slices.SortFunc(list, func(a, b Work) int { return strings.Compare(a.From+" "+a.To, b.From+" "+b.To) })
	}
	return all
}
