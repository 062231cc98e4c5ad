package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// maxViolations is how many violations of one object are counted. An object that was converted into
// something else entirely has as many as it has fields, and each costs the time to write its path.
const maxViolations = 100

// validator validates converted objects against their schema.
type validator struct {
	state   *conversion
	scratch []byte // the object that is being validated
}

// validate checks every object of the batch against the schema of its current version. The outcome
// has the violations; if schemas are enforced, the first invalid object fails the review. Objects
// in a version that the definition does not have are not checked, because the definition's file may
// be older than the modules.
func (d *validator) validate(ctx context.Context, batch []int, c *chunk) *failure {
	version := string(d.state.version)
	if crd := d.state.definition; crd == nil || !slices.ContainsFunc(crd.Versions, func(v schema.Version) bool { return v.Name == version }) {
		return nil
	}
	for _, i := range batch {
		first, err := d.violations(c, i, version)
		if ctx.Err() != nil {
			return d.late(c, i)
		}
		if first == "" && err == nil {
			continue
		}
		if fail := d.found(c, i, first, err); fail != nil {
			return fail
		}
	}
	return nil
}

// late says that the review's time ended before an object was checked. A schema that is
// only reported lets the object pass.
func (d *validator) late(c *chunk, i int) *failure {
	if !d.state.converter.enforce {
		return nil
	}
	return &failure{reason: faults.Deadline, message: fmt.Sprintf("cannot convert %s of %s: the request's deadline passed before it was checked against its schema (%s)",
		d.state.review.title(i), c.last.label, advice(faults.Deadline))}
}

// found enters the result of a check: the first violation in words, and the error of a check that
// took too much work. If schemas are enforced, either fails the review.
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
		if c.unchecked++; c.uncheckedCause == "" {
			c.uncheckedCause = d.state.review.title(i) + ": " + foreign.Clean(err.Error(), maxFault)
		}
	}
	return nil
}

// violations counts the violations of an object and returns the first in words, "" if there are
// none. A violation never quotes a value. The error is schema.ErrWork if the check exceeded the
// review's budget.
func (d *validator) violations(c *chunk, i int, version string) (first string, tooMuch error) {
	o := &d.state.review.objects[i]
	n := 0
	err := d.state.definition.Check(version, d.written(i), schema.Options{Partial: o.fragment(), Budget: d.state.budget}, func(v schema.Violation) bool {
		if n++; n == 1 {
			first = foreign.Clean(v.String(), maxFault)
		}
		if v.Pruned {
			c.pruned++
		} else {
			c.invalid++
		}
		return n < maxViolations && !d.state.converter.enforce
	})
	if !errors.Is(err, schema.ErrWork) {
		err = nil // another error is one of an object nested deeper than the check goes, which the contract's own check has let pass
	}
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
