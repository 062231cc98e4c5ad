package schema

import (
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// Violation is one rule that an object breaks. It never has the value in it, so it may be logged.
type Violation struct {
	// Path is where: spec.replicas, spec.list[3].name, spec.map[key]. It is empty for the object itself.
	Path string
	// Message is the rule, in the words of the schema: "must be an integer, not a string".
	Message string
	// Pruned says that the field is unknown to the schema. The API server drops it without a word, and what is in it is lost.
	Pruned bool
}

// String returns the violation in one line.
func (v Violation) String() string {
	if v.Path == "" {
		return v.Message
	}
	return v.Path + ": " + v.Message
}

// Options say how to check.
type Options struct {
	// Partial says that the object is a fragment, such as server-side apply sends. It is held only to what more fields could not mend:
	// nothing is required and no list and no object has too few parts. anyOf, oneOf and not count for objects and lists only if the
	// fragment breaks them whatever else there may be.
	Partial bool
	// Budget bounds the work of the check. Nil bounds nothing, which is for definitions and objects that the caller trusts.
	Budget *Budget
}

// Check checks an object against the schema of a version, and calls report for each violation, in the order of the object, until it
// returns false. Whether apiVersion and kind are the right ones, and what is in metadata, it does not look at.
//
// It reads the object once, and the values that allOf, anyOf, oneOf or not apply to once more for each of the schemas in there. So the
// time grows in proportion to the object, and the factor depends on the schema alone; the budget bounds it.
//
// # Errors
//
// There is an error if the definition has no such version, or the object is no JSON object: a *rawjson.SyntaxError is in it. What was
// reported until then holds for the part before it. The error is [ErrWork], or has it in it, if the budget did not suffice, and the
// context's if that ended.
func (c *CRD) Check(version string, object []byte, opts Options, report func(Violation) (more bool)) error {
	v := c.version(version)
	if v == nil {
		return fmt.Errorf("%s.%s has no version %q, only %s", c.Kind, c.Group, foreign.Shorten(version, maxName), c.versionNames())
	}
	checker := c.checkers.Get().(*checker)
	defer func() {
		checker.release()
		c.checkers.Put(checker)
	}()
	return checker.run(c, v.root, object, opts, report)
}

func (c *CRD) version(name string) *Version {
	for i := range c.Versions {
		if c.Versions[i].Name == name {
			return &c.Versions[i]
		}
	}
	return nil
}

func (c *CRD) versionNames() string {
	var names []string
	for _, v := range c.Versions {
		names = append(names, v.Name)
	}
	return strings.Join(names, ", ")
}

// checker checks one object at a time. It allocates nothing once its buffers have grown, but for what it reports.
type checker struct {
	doc      []byte // the object
	partial  bool
	unpruned bool // neither fields nor nulls are dropped anywhere
	report   func(Violation) (more bool)
	stopped  bool // nothing more is to be reported
	budget   *Budget
	units    int64  // of the budget, taken and not spent
	halted   error  // why the check cannot go on
	skipped  error  // the first rule that takes too much work by itself
	path     []step // to the value that is looked at

	scanner *rawjson.Scanner // over the object, or over a value in it that is looked at once more
	base    int              // where that value begins
	depth   int              // how many of the scanners are in use
	spares  []*rawjson.Scanner
	spare   rawjson.Scanner // for short use

	kept    int            // how many embedded metadata we are in, where unknown fields are kept
	marks   []uint64       // bits for the required members that were there, of all objects we are in
	keys    []rawjson.Span // places of the keys of the list map elements we are in; zero for one that is not there
	sets    []*uniques     // see borrowUniques
	setsOut int

	trial trial
}

func newChecker() *checker { return &checker{} }

// run checks an object.
func (c *checker) run(crd *CRD, root *node, object []byte, opts Options, report func(Violation) (more bool)) error {
	c.doc, c.partial, c.unpruned, c.report, c.stopped = object, opts.Partial, crd.unpruned, report, false
	c.path, c.keys, c.marks, c.base, c.depth, c.kept, c.setsOut, c.trial = c.path[:0], c.keys[:0], c.marks[:0], 0, 0, 0, 0, trial{}
	c.enter(opts.Budget, object)
	c.push(rawjson.Span{Start: 0, End: len(object)})
	if c.scanner.Peek() != rawjson.Object {
		c.scanner.Object() // for its error
	}
	c.value(root, false)
	incomplete := c.leave()
	if c.stopped {
		return nil
	}
	if c.halted != nil {
		return incomplete
	}
	if c.scanner.End(); c.scanner.Err() != nil {
		return fmt.Errorf("the object cannot be checked: %w", c.scanner.Err())
	}
	return incomplete
}

// release lets go of the object.
func (c *checker) release() {
	c.doc, c.report = nil, nil
	for _, s := range c.spares {
		s.Reset(nil, 0)
	}
	c.spare.Reset(nil, 0)
}

// push begins to look at a part of the object with a scanner of its own. c.scanner and c.base must be put back in the end, by pop.
func (c *checker) push(part rawjson.Span) (outer *rawjson.Scanner, base int) {
	outer, base = c.scanner, c.base
	if c.depth == len(c.spares) {
		c.spares = append(c.spares, new(rawjson.Scanner))
	}
	c.scanner, c.base = c.spares[c.depth], part.Start
	c.scanner.Reset(part.Of(c.doc), 0)
	c.depth++
	c.spend(part.End - part.Start)
	return outer, base
}

func (c *checker) pop(outer *rawjson.Scanner, base int) {
	c.scanner, c.base = outer, base
	c.depth--
}

// visit looks once more at a value that was read before.
func (c *checker) visit(n *node, value rawjson.Span, keep bool) {
	outer, base := c.push(value)
	c.value(n, keep)
	c.pop(outer, base)
}

// over says whether there is no use in looking on.
func (c *checker) over() bool {
	return c.stopped || c.trial.failed || c.halted != nil || c.scanner.Err() != nil
}

// violate reports that the value at the path breaks a rule, given in parts. In a trial it only fails.
func (c *checker) violate(rule ...string) { c.tell("", false, rule...) }

// tell is violate for the value at the path, or for the member of it that is named.
func (c *checker) tell(member string, pruned bool, rule ...string) {
	switch {
	case c.halted != nil: // a verdict of half a check
	case c.trial.on:
		c.trial.failed = true
	case !c.stopped:
		c.spend(workOfValue * (len(c.path) + 1)) // the names on the path
		c.stopped = !c.report(Violation{c.where(member), strings.Join(rule, ""), pruned})
	}
}

// borrowUniques returns an empty one. Those that are borrowed must be returned in the reverse order.
func (c *checker) borrowUniques() *uniques {
	if c.setsOut == len(c.sets) {
		c.sets = append(c.sets, newUniques())
	}
	u := c.sets[c.setsOut]
	u.reset()
	c.setsOut++
	return u
}

func (c *checker) returnUniques() { c.setsOut-- }
