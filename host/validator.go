package host

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// maxViolations is how many violations of one object are counted. An object that was converted into
// something else entirely has as many as it has fields, and each costs the time to write its path.
const maxViolations = 100

// maxNamed is how many violations of an object are named.
const maxNamed = 3

// validator validates converted objects against their schema.
type validator struct {
	state   *conversion
	scratch []byte // the object that is being validated
}

// validate checks every object of the batch against the schema of its current version. The outcome
// has the violations, and counts the objects that were not checked against all of it; if schemas are
// enforced, the first invalid object fails the review. Objects in a version that the definition does
// not have fail no review, because its file may be older than the modules.
func (d *validator) validate(ctx context.Context, batch []int, c *chunk) *failure {
	crd, version := d.state.definition, string(d.state.version)
	switch {
	case crd == nil && d.state.waitsFor != "":
		c.pass(batch, fmt.Sprintf("%s has not been read yet", foreign.Clean(d.state.waitsFor, maxFault)))
		return nil
	case crd == nil:
		return nil
	case !slices.ContainsFunc(crd.Versions, func(v schema.Version) bool { return v.Name == version }):
		c.pass(batch, fmt.Sprintf("%s has no version %s", foreign.Clean(crd.FileName(), maxFault), version))
		return nil
	}
	for n, i := range batch {
		first, err := d.violations(c, i, version)
		late := ctx.Err() != nil
		if late && d.state.converter.enforce {
			return &failure{reason: faults.Deadline, message: fmt.Sprintf("cannot convert %s of %s: the request's deadline passed before it was checked against its schema (%s)",
				d.state.review.title(i), c.last.label, advice(faults.Deadline))}
		}
		if first != "" || err != nil {
			if fail := d.found(c, i, first, err); fail != nil {
				return fail
			}
		}
		if late {
			c.pass(batch[n+1:], "the request's deadline passed")
			return nil
		}
	}
	return nil
}

// pass counts objects that are not checked.
func (c *chunk) pass(objects []int, cause string) {
	if c.unchecked += len(objects); c.unchecked > 0 && c.uncheckedCause == "" {
		c.uncheckedCause = cause
	}
}

// found enters the result of a check: the first violation in words, and the error of a check that
// did not reach the end of the object. If schemas are enforced, either fails the review.
func (d *validator) found(c *chunk, i int, first string, err error) *failure {
	last, version, file := c.last, d.state.version, d.state.definition.FileName()
	switch {
	case d.state.converter.enforce && first != "":
		return &failure{FailureSchema, last.module.Name(), fmt.Sprintf("cannot convert %s of %s: module %s broke the schema of %s: %s (%s, --schema-check=enforce)",
			d.state.review.title(i), last.label, ref(last.module), version, first, file)}
	case d.state.converter.enforce && err != nil:
		return &failure{reason: FailureSchema, message: fmt.Sprintf("cannot convert %s of %s: it cannot be checked against the schema of %s: %s: simplify the schema in %s (--schema-check=enforce)",
			d.state.review.title(i), last.label, version, foreign.Clean(err.Error(), maxFault), file)}
	}
	if first != "" && c.violation == "" {
		c.violation = fmt.Sprintf("%s, converted by module %s: %s", d.state.review.title(i), ref(last.module), first)
	}
	if err != nil {
		c.pass([]int{i}, d.state.review.title(i)+": "+foreign.Clean(err.Error(), maxFault))
	}
	return nil
}

// violations counts the violations of an object and returns the first maxNamed in words, "" if there are
// none. A violation never quotes a value. The error says why the check did not reach the end of the
// object: its work, or the review's deadline.
func (d *validator) violations(c *chunk, i int, version string) (first string, incomplete error) {
	o := &d.state.review.objects[i]
	n := 0
	err := d.state.definition.Check(version, d.written(i), schema.Options{Partial: o.fragment(), Budget: d.state.budget}, func(v schema.Violation) bool {
		if n++; n <= maxNamed {
			first = strings.TrimPrefix(first+"; "+foreign.Clean(v.String(), maxFault), "; ")
		}
		if v.Pruned {
			c.pruned++
		} else {
			c.invalid++
		}
		return n < maxViolations && !d.state.converter.enforce
	})
	return first, err
}

// written returns a converted object as it will be in the answer, valid until the next call.
func (d *validator) written(i int) []byte {
	c := &d.state.objects[i].content
	if c.spliced.IsZero() && c.apiVersion && c.kind && c.meta != (rawjson.Span{}) {
		return c.doc // the check does not look into these members, only whether they are there
	}
	out := writer{dst: d.scratch[:0]}
	d.state.review.objects[i].write(&out, d.state.review.body, c, d.state.review.desired.raw.Of(d.state.review.body), forServer)
	d.scratch = out.dst
	return out.dst
}

// recycle gives up a large buffer.
func (d *validator) recycle() {
	if cap(d.scratch) > arenaKeep {
		d.scratch = nil
	}
}

// fragment reports whether the object is a fragment, as in server-side apply: without metadata or
// with only a name. An object that is stored or about to be stored has a uid.
func (o *object) fragment() bool { return o.meta.keep[identityUID] == (rawjson.Span{}) }
