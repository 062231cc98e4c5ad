package status

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/schemas"
	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/statuspage"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// moduleView shows a file with a module.
func moduleView(st runtime.Status) statuspage.Module {
	m := statuspage.Module{File: st.File, Status: cmp.Or(probationWord(st), st.State), State: stateOf(st), Digest: foreign.Digest(st.Digest), Facts: moduleFacts(st)}
	switch {
	case st.LastError != "" && st.Digest != "":
		m.Trouble = "the file's newest content is not served: " + st.LastError
	case st.LastError != "":
		m.Trouble = st.LastError
	case st.BreakerOpen:
		m.Trouble = "circuit breaker open: " + st.LastFault
	}
	return m
}

func probationWord(st runtime.Status) string {
	if st.ProbationUntil != nil && st.State == runtime.StateServing {
		return "on probation"
	}
	return ""
}

// moduleFacts returns the details of a serving module.
func moduleFacts(st runtime.Status) (facts []statuspage.Fact) {
	add := func(name, value string) { facts = append(facts, statuspage.Fact{Name: name, Value: value}) }
	switch {
	case st.Digest == "" && st.LoadingSince != nil:
		add("loading since", clock(*st.LoadingSince))
		return facts
	case st.Digest == "":
		return nil
	case st.State == runtime.StateListing || st.State == runtime.StateRefused: // SHA256SUMS
		if st.SignedBy != "" {
			add("signed by", st.SignedBy)
		}
		return facts
	}
	if d := st.Description; d != nil {
		add("language", cmp.Or(d.Language, "unknown"))
		if text := d.Proof.String(); text != "" {
			add("states a proof", text)
		}
	}
	if st.Fields != nil {
		add("sees only", declared(st.Fields))
	}
	add("size", kibibytes(st.Size))
	add("objects", strconv.FormatInt(st.Objects, 10))
	add("calls", strconv.FormatInt(st.Calls, 10))
	add("faults", strconv.FormatInt(st.Faults, 10))
	if st.LastFault != "" && !st.BreakerOpen {
		add("last fault", st.LastFault)
	}
	add("instances", fmt.Sprintf("%d idle, %d working", st.Idle, st.Working))
	add("golden cases", strconv.Itoa(st.Cases))
	if st.ProbationUntil != nil {
		add("on probation until", clock(*st.ProbationUntil))
		add("previous version", foreign.Digest(st.PreviousDigest))
		add("batches it converted", strconv.Itoa(st.PreviousBatches))
	}
	if st.LoadingSince != nil {
		add("new content loading since", clock(*st.LoadingSince))
	}
	if st.Pinned {
		add("digest", "pinned")
	}
	if st.Listed {
		add("listed", cmp.Or(st.SignedBy, "unsigned"))
	}
	return facts
}

// clock writes a time of day.
func clock(t time.Time) string { return t.UTC().Format(time.TimeOnly) + " UTC" }

// declared lists the fields that a module declares, by version, shortened to the space on the page.
func declared(fields map[string][]string) string {
	const most = 300 // bytes
	var parts []string
	for _, version := range slices.SortedFunc(maps.Keys(fields), host.CompareVersions) {
		parts = append(parts, version+": "+cmp.Or(strings.Join(fields[version], ", "), "nothing"))
	}
	return foreign.Shorten(strings.Join(parts, "; "), most)
}

func kibibytes(n int) string {
	if n < 10<<20 {
		return fmt.Sprintf("%d KiB", (n+1023)>>10)
	}
	return fmt.Sprintf("%d MiB", (n+1<<20-1)>>20)
}

// definitionView shows a file with a CustomResourceDefinition among the modules.
func definitionView(d schemas.Status) statuspage.Module {
	m := statuspage.Module{File: d.File, Status: d.State, State: statuspage.Good, Digest: foreign.Digest(d.Digest), Trouble: d.LastError}
	switch {
	case d.State == runtime.StateFailed:
		m.State = statuspage.Bad
	case d.LastError != "":
		m.State = statuspage.Warn
	}
	if len(d.Versions) > 0 {
		m.Facts = append(m.Facts, statuspage.Fact{Name: "versions", Value: strings.Join(d.Versions, ", ")})
	}
	return m
}
