package status

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/schemas"
	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/statuspage"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// moduleView shows a file with a module.
func moduleView(st runtime.Status) statuspage.Module {
	m := statuspage.Module{File: st.File, Status: statusWord(st), State: stateOf(st), Digest: foreign.Digest(st.Digest), Facts: moduleFacts(st)}
	switch {
	case st.BreakerOpen:
		m.Trouble = "circuit breaker open: " + st.LastFault
	case st.LastError != "" && st.Digest != "":
		m.Trouble = "the file's newest content is not served: " + st.LastError
	case st.LastError != "":
		m.Trouble = st.LastError
	case st.State == runtime.StateSuperseded:
		m.Trouble = "other files serve its conversions: " + strings.Join(st.Superseded, ", ")
	case st.State == runtime.StateOrphaned:
		m.Trouble = "the file was deleted; the module serves until the gateway restarts"
	}
	return m
}

// statusWord returns the state of a file, or why a module that serves needs attention.
func statusWord(st runtime.Status) string {
	switch {
	case st.State != runtime.StateServing:
		return st.State
	case st.BreakerOpen:
		return "breaker open"
	case st.LastError != "" && st.RolledBackAt != nil:
		return "rolled back"
	case st.LastError != "":
		return "file refused"
	case st.ProbationUntil != nil:
		return "on probation"
	}
	return st.State
}

// moduleFacts returns the details of a serving module; /modules has all.
func moduleFacts(st runtime.Status) string {
	var facts []string
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, name+" "+value)
		}
	}
	switch {
	case st.Digest == "" && st.LoadingSince != nil:
		add("loading since", clock(*st.LoadingSince))
	case st.Digest == "":
	case st.State == runtime.StateListing || st.State == runtime.StateRefused: // SHA256SUMS
		add("signed by", st.SignedBy)
	default:
		if d := st.Description; d != nil {
			add("language", d.Language)
			if d.Proof.Rules != "" { // older modules do not state what it carries
				facts = append(facts, strings.TrimSuffix("states a proof, carries "+d.Proof.Carries, ", carries "))
			}
		}
		add("calls", strconv.FormatInt(st.Calls, 10))
		if st.Faults > 0 {
			add("faults", strconv.FormatInt(st.Faults, 10))
		}
		if !st.BreakerOpen {
			add("last fault", st.LastFault)
		}
		if st.ProbationUntil != nil {
			add("on probation until", clock(*st.ProbationUntil))
			add("previous version", foreign.Digest(st.PreviousDigest))
			add("batches it converted", strconv.Itoa(st.PreviousBatches))
		}
		if st.LoadingSince != nil {
			add("new content loading since", clock(*st.LoadingSince))
		}
		if st.Listed {
			add("listed", cmp.Or(st.SignedBy, "unsigned"))
		}
	}
	return strings.Join(facts, " · ")
}

// clock writes a time of day.
func clock(t time.Time) string { return t.UTC().Format(time.TimeOnly) + " UTC" }

// definitionView shows a file with a CustomResourceDefinition among the modules.
func definitionView(d schemas.Status) statuspage.Module {
	m := statuspage.Module{File: d.File, Status: d.State, State: statuspage.Good, Digest: foreign.Digest(d.Digest), Trouble: d.LastError}
	switch {
	case d.State == runtime.StateFailed:
		m.State = statuspage.Bad
	case d.LastError != "":
		m.Status, m.State = "file refused", statuspage.Warn
	}
	return m
}

// stateOf returns the state of a module's file.
func stateOf(st runtime.Status) statuspage.State {
	switch {
	case st.BreakerOpen || st.State == runtime.StateFailed || st.State == runtime.StateOverrun || st.State == runtime.StateRefused:
		return statuspage.Bad
	case st.State == runtime.StateOrphaned || st.LastError != "":
		return statuspage.Warn
	case st.State == runtime.StateSuperseded || st.State == runtime.StateLoading || st.ProbationUntil != nil:
		return statuspage.Note
	}
	return statuspage.Good
}
