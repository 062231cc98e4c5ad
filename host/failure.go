package host

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// failure is the reason why a review fails. A user of kubectl sees its message after the API
// server's own "conversion webhook for <apiVersion>, Kind=<kind> failed: ". It names objects,
// versions and modules; it never quotes the content of an object.
type failure struct {
	reason  string // one of Failures
	module  string // file name of the module at fault, if it was one
	message string
}

// invalid is the failure for a request that breaks a rule.
func invalid(format string, args ...any) *failure {
	return &failure{reason: FailureInvalid, message: fmt.Sprintf(format, args...)}
}

const (
	// maxWord bounds a name taken over from a request: the longest that Kubernetes knows has 253
	// bytes.
	maxWord = 253
	// maxRefusal bounds a guest's own words: enough for an explanation, little enough for a
	// terminal.
	maxRefusal = 4 << 10
	// maxFault bounds the text of an error in a message.
	maxFault = 1 << 10
)

// shown returns a name from a request fit to be shown: as it is if it is plain, else in quotes.
func shown[T ~string | ~[]byte](name T) string { return foreign.Name(name, maxWord) }

// quoted returns a name from a request in quotes.
func quoted[T ~string | ~[]byte](name T) string { return foreign.Quote(name, maxWord) }

// ref names a module: "CronTab.stable.example.com_v1_v2.wasm (sha256:0123456789ab)".
func ref(m Module) string { return m.Name() + " (sha256:" + foreign.Digest(m.Digest()) + ")" }

// title names the object at index i of a review: "object 3 (default/my-cron)".
func (o *object) title(body []byte, i int) string {
	name := o.meta.identifier(identityName, body)
	if len(name) == 0 {
		return "object " + strconv.Itoa(i) + " (no name)"
	}
	title := "object " + strconv.Itoa(i) + " ("
	if namespace := o.meta.identifier(identityNamespace, body); len(namespace) > 0 {
		title += shown(namespace) + "/"
	}
	return title + shown(name) + ")"
}

// identifier returns one of the identifying fields, unescaped; nil if it is absent or not a string.
func (m *metadata) identifier(which int, body []byte) []byte {
	if m.keep[which] == (rawjson.Span{}) {
		return nil
	}
	var s rawjson.Scanner
	s.Reset(m.keep[which].Of(body), 0)
	_, text := s.String() // empty if it is not a string
	return text
}

// faultOf returns the kind of fault of a Module's error.
func faultOf(err error) string {
	var f Fault
	switch {
	case errors.As(err, &f) && advice(f.Fault()) != "":
		return f.Fault()
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return faults.Deadline
	}
	return faults.Internal
}

// advice returns the remedy for a fault; "" for an unknown fault.
func advice(fault string) string {
	switch fault {
	case faults.Trap, faults.Stack, faults.ABI:
		return "a bug of the module: tell its author"
	case faults.Fuel:
		return "it loops without end, or --fuel-per-object and --fuel-per-byte are too low for such objects, or --fuel-to-start is for such a program"
	case faults.Deadline:
		return "try again; if it happens often, the gateway is overloaded or a module slow"
	case faults.Memory:
		return "it loses memory, or --module-memory-bytes is too low for such objects"
	case faults.Output:
		return "a bug of the module, or the limit on answers is too low for such objects"
	case faults.Busy:
		return "try again; if it happens often, the gateway is overloaded"
	case faults.Breaker:
		return "the gateway retries it automatically; its log has the earlier failures"
	case faults.Internal:
		return "the gateway's log may say more"
	}
	return ""
}
