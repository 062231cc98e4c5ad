package host

import (
	"context"
	"fmt"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
	"github.com/crosswalk-gateway/crosswalk/internal/schema"
)

// Schemas is where the schemas that converted objects are held against come from. It is safe for concurrent use.
type Schemas interface {
	// Find returns the definition of a kind; nil means that its objects are not checked.
	Find(group, kind string) *schema.CRD
}

// maxViolations is how many violations of one object are counted. An object that was converted into something else entirely has as many
// as it has fields, and each costs the time to write its path.
const maxViolations = 100

// schemas holds every object of the share against the schema of the version it is in now. What is wrong is told in the outcome; if
// schemas are enforced, the first that is wrong fails the review. Objects of a version that the definition does not have are not
// checked: the definition is a file that may be older than the modules.
func (l *lane) schemas(ctx context.Context, p *share) *failure {
	version := string(l.version)
	if d := l.definition; d == nil || !slices.ContainsFunc(d.Versions, func(v schema.Version) bool { return v.Name == version }) {
		return nil
	}
	last := p.last
	for _, i := range l.batch {
		if ctx.Err() != nil {
			if !l.enforce {
				return nil
			}
			return &failure{kind: FaultDeadline, message: fmt.Sprintf("cannot convert %s of %s: the time for the request was up before it was held against its schema (%s)",
				l.review.objects[i].title(l.review.body, i), last.label, advice(FaultDeadline))}
		}
		if first := l.violations(p, i, version); first == "" {
			continue
		} else if l.enforce {
			return &failure{FailureSchema, last.module.Name(), fmt.Sprintf("cannot convert %s of %s: module %s broke the schema of %s: %s (%s, --schema-check=enforce)",
				l.review.objects[i].title(l.review.body, i), last.label, signed(last.module), version, first, l.definition.FileName())}
		} else if p.violation == "" {
			p.violation = fmt.Sprintf("%s, converted by module %s: %s", l.review.objects[i].title(l.review.body, i), signed(last.module), first)
		}
	}
	return nil
}

// violations counts what is wrong with an object and returns the first of it in words; "" if nothing is. A violation never quotes a value.
func (l *lane) violations(p *share, i int, version string) (first string) {
	o := &l.review.objects[i]
	n := 0
	// The error is one of an object nested deeper than the check goes, which the contract's own check has let pass by --max-depth.
	_ = l.definition.Check(version, l.written(i), schema.Options{Partial: o.fragment()}, func(v schema.Violation) bool {
		if n++; n == 1 {
			first = words(v.String(), maxFault)
		}
		if v.Pruned {
			p.pruned++
		} else {
			p.invalid++
		}
		return n < maxViolations && !l.enforce
	})
	return first
}

// written returns a converted object as it will be in the answer, valid until the next call.
func (l *lane) written(i int) []byte {
	c := &l.objects[i].content
	if c.spliced.IsZero() && c.apiVersion && c.kind && c.meta != (rawjson.Span{}) {
		return c.doc // the check does not look into these members, only whether they are there
	}
	out := writer{dst: l.whole[:0]}
	l.review.objects[i].write(&out, l.review.body, c, l.review.desired.raw.Of(l.review.body), forServer)
	l.whole = out.dst
	return out.dst
}

// fragment says whether the object is a part of one, as server-side apply sends them: with no metadata or only a name. What is stored or
// about to be has a uid.
func (o *object) fragment() bool { return o.meta.keep[identityUID] == (rawjson.Span{}) }
